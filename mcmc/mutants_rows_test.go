package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/internal/intensity"
	"aibd/prior"
)

// rowsCopy is Rows with places for faults.
type rowsCopy struct {
	singletons singletons
	// ratio weighs a flip by the logs of the ratios of likelihood and prior; nil:
	// their sum.
	ratio func(s *target, i, column int, likelihood, prior float64) float64
	// oneOrder scans the columns that were there at the start of the scan, in one
	// order for all rows, fixedOrder all of them, the last one first.
	oneOrder, fixedOrder bool
	order                []int
	passage              *passageCopy // nil: every entry is weighed
}

func (*rowsCopy) Name() string { return "mutant" }

func (k *rowsCopy) Step(rng *rand.Rand, s *target) Info {
	s.Refresh()
	if k.oneOrder {
		k.order = append(k.order[:0], rng.Perm(s.Z().K())...)
	}
	for i := range s.Z().N() {
		k.row(rng, s, i)
	}
	return Info{1, 1}
}

func (k *rowsCopy) row(rng *rand.Rand, s *target, i int) {
	s.Open(i)
	if k.passage != nil {
		k.passage.run(rng, s, i)
	} else {
		k.pass(rng, s, i)
	}
	s.SetSingletons(k.singletons.draw(rng, s, i))
	s.Close(rng)
}

// pass weighs every entry of the open row of item i.
func (k *rowsCopy) pass(rng *rand.Rand, s *target, i int) {
	switch {
	case k.fixedOrder:
		k.order = k.order[:0]
		for a := s.Z().K() - 1; a >= 0; a-- {
			k.order = append(k.order, a)
		}
	case !k.oneOrder:
		k.order = rng.Perm(s.Z().K())
	}
	for _, a := range k.order {
		if a >= s.Z().K() || !s.Shared(a) {
			continue
		}
		l, p := s.LogFlip(a), s.Law().LogFlip(i, a)
		log := l + p
		if k.ratio != nil {
			log = k.ratio(s, i, a, l, p)
		}
		if accept(rng, log) {
			s.Flip(a)
		}
	}
}

// seriesCopy draws singletons from a series of 40 terms, far beyond what counts in
// the models, with places for faults.
type seriesCopy struct {
	logLambda   func(s *target, i int) float64 // nil: the right one
	noFactorial bool
	noVariance  bool // new columns change the prior only, not the likelihood
	keep        bool // columns are only added
	few         int  // 0: 40 terms
	early       bool // the series ends with the first term below the largest
}

func (k seriesCopy) draw(rng *rand.Rand, s *target, i int) int {
	base, e, r := s.Predictive()
	logLambda := math.Log(s.Mass) + s.Law().LogSingleton(i)
	if k.logLambda != nil {
		logLambda = k.logLambda(s, i)
	}
	if k.noVariance {
		r = math.Inf(1)
	}
	terms := 40
	if k.few > 0 {
		terms = k.few
	}
	var w weights
	w.reset()
	log := 0.0
	for j := range terms {
		if j > 0 {
			log += logLambda
			if !k.noFactorial {
				log -= math.Log(float64(j))
			}
		}
		term := log + s.LogPredictive(base+float64(j)/r, e)
		last := k.early && term < w.top
		if w.add(term); last {
			break
		}
	}
	if k.keep {
		return max(w.pick(rng), s.Singletons())
	}
	return w.pick(rng)
}

// withTracker is a kernel that asks another law.
func withTracker(inner kernel, other func(s *target) intensity.Tracker) kernel {
	return step(func(rng *rand.Rand, s *target) Info {
		s.under(func(intensity.Tracker) intensity.Tracker { return other(s) })
		info := inner.Step(rng, s)
		s.move(s.law(), s.Unknowns())
		return info
	})
}

// lawOf returns the tracker of a law at the temperature of s.
func lawOf(law prior.Attraction) func(s *target) intensity.Tracker {
	return func(s *target) intensity.Tracker {
		return intensity.Unwrap(law.With(s.Temperature(), prior.Identity(law.N()))).Tracker()
	}
}

var rowControls = []mutant{
	{"rows", "a copy without a fault", ofAIBD, func() kernel { return &rowsCopy{singletons: seriesCopy{}} }},
	{"rows", "under a law of its own", ofSymmetric, func() kernel {
		return withTracker(exactRows(), lawOf(ofSymmetric.post.Law.(prior.Attraction)))
	}},
}

var rowMutants = append([]mutant{
	{"rows", "wrong sign of the prior in the ratio", ofAIBD, func() kernel {
		return &rowsCopy{singletons: seriesCopy{}, ratio: func(_ *target, _, _ int, l, p float64) float64 { return l - p }}
	}},
	{"rows", "a flip's prior ratio of column sizes without the item itself", ofIBP, func() kernel {
		// (m+1)/(N-m-1) instead of m/(N-m) for m other members.
		return &rowsCopy{singletons: seriesCopy{}, ratio: func(s *target, i, a int, l, p float64) float64 {
			n, m := float64(s.Z().N()), float64(s.Z().Size(a))
			if s.Z().Has(i, a) {
				return l + math.Log((n-m+1)/(m+1))
			}
			return l + math.Log((m+1)/(n-m))
		}}
	}},
	{"rows", "columns in fixed order", ofBusy, func() kernel {
		return &rowsCopy{singletons: new(exactSingletons), fixedOrder: true}
	}},
	{"rows", "columns listed once a scan, not for each row", ofThree, func() kernel {
		return &rowsCopy{singletons: seriesCopy{}, oneOrder: true}
	}},
	{"rows", "first owner's factor of nu forgotten", ofAIBD, func() kernel {
		return withTracker(exactRows(), func(s *target) intensity.Tracker { return noOwner{intensity.Unwrap(s.law()).Tracker(), s} })
	}},
	{"rows", "sequential nu in the symmetric dd-IBP", ofSymmetric, func() kernel {
		return withTracker(exactRows(), lawOf(ofSequential.post.Law.(prior.Attraction)))
	}},
	{"rows", "singletons cut off early", ofIBP, func() kernel { return &rowsCopy{singletons: seriesCopy{early: true}} }},
	{"rows", "at most one singleton", ofIBP, func() kernel { return &rowsCopy{singletons: seriesCopy{few: 2}} }},
	{"rows", "singletons without 1/j!", ofIBP, func() kernel { return &rowsCopy{singletons: seriesCopy{noFactorial: true}} }},
	{"rows", "new dishes, mass/h_i, taken for singletons", ofSymmetric, func() kernel {
		return &rowsCopy{singletons: seriesCopy{logLambda: func(s *target, i int) float64 {
			h := 0.0
			for j := range s.Z().N() {
				h += math.Exp(-s.Temperature() * math.Abs(places[i]-places[j]))
			}
			return math.Log(s.Mass / h)
		}}}
	}},
	{"rows", "new dishes, mass/p, taken for singletons", ofAIBD, func() kernel {
		return &rowsCopy{singletons: seriesCopy{logLambda: func(s *target, i int) float64 {
			return math.Log(s.Mass / float64(slices.Index(s.Permutation(), i)+1))
		}}}
	}},
	{"rows", "singletons by the prior alone", ofWide, func() kernel { return &rowsCopy{singletons: seriesCopy{noVariance: true}} }},
	{"rows", "singletons only added", ofIBP, func() kernel { return &rowsCopy{singletons: seriesCopy{keep: true}} }},
}, passageMutants()...)

func passageMutants() (all []mutant) {
	for _, fault := range passageFaults {
		if fault.joint {
			all = append(all, mutant{"rows", fault.wrong, ofBusy, rowsWithPassage(fault.passageCopy)})
		}
	}
	return all
}
