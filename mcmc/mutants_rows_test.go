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
	singletons Singletons
	// ratio weighs a flip by the logs of the ratios of likelihood and prior; nil:
	// their sum.
	ratio func(s *State, i, column int, likelihood, prior float64) float64
	stale bool // the likelihood is not computed afresh at the start
	// oneOrder scans the columns that were there at the start of the scan, in one
	// order for all rows, fixedOrder all of them, the last one first.
	oneOrder, fixedOrder bool
	order                []int
}

func (*rowsCopy) Name() string { return "mutant" }

func (k *rowsCopy) Step(rng *rand.Rand, s *State) Info {
	if !k.stale {
		s.refresh()
	}
	if k.oneOrder {
		k.order = append(k.order[:0], rng.Perm(s.Z.K())...)
	}
	for i := range s.Z.N() {
		k.row(rng, s, i)
	}
	s.logLik = s.cache.LogLik()
	return Info{1, 1}
}

func (k *rowsCopy) row(rng *rand.Rand, s *State, i int) {
	c, t := s.cache, s.tracker
	c.Open(s.Z, i)
	k.pass(rng, s, i)
	c.SetSingletons(k.singletons.draw(rng, s, i))
	edit := c.Close()
	for _, a := range edit.Removed {
		t.Remove(a)
	}
	for range edit.Appended {
		t.Append(i)
	}
	if edit.Changed() {
		s.spectral = false
	}
}

// pass weighs every entry of the open row of item i.
func (k *rowsCopy) pass(rng *rand.Rand, s *State, i int) {
	c, t := s.cache, s.tracker
	switch {
	case k.fixedOrder:
		k.order = k.order[:0]
		for a := s.Z.K() - 1; a >= 0; a-- {
			k.order = append(k.order, a)
		}
	case !k.oneOrder:
		k.order = rng.Perm(s.Z.K())
	}
	for _, a := range k.order {
		if a >= s.Z.K() || !c.Shared(a) {
			continue
		}
		l, p := c.LogFlip(a), t.LogFlip(i, a)
		log := l + p
		if k.ratio != nil {
			log = k.ratio(s, i, a, l, p)
		}
		if accept(rng, log) {
			c.Flip(a)
			t.Flip(i, a)
		}
	}
}

// seriesCopy draws singletons from a series of 40 terms, far beyond what counts in
// the models, with places for faults.
type seriesCopy struct {
	logLambda   func(s *State, i int) float64 // nil: the right one
	noFactorial bool
	noVariance  bool // new columns change the prior only, not the likelihood
	keep        bool // columns are only added
	few         int  // 0: 40 terms
}

func (k seriesCopy) draw(rng *rand.Rand, s *State, i int) int {
	base, e, r := s.cache.Predictive()
	logLambda := math.Log(s.Mass) + s.tracker.LogSingleton(i)
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
		w.add(log + s.cache.LogPredictive(base+float64(j)/r, e))
	}
	if k.keep {
		return max(w.pick(rng), s.cache.Singletons())
	}
	return w.pick(rng)
}

// withTracker is a kernel that asks another law.
func withTracker(inner Kernel, other func(s *State) intensity.Tracker) Kernel {
	return step(func(rng *rand.Rand, s *State) Info {
		own := s.tracker
		s.tracker = other(s)
		info := inner.Step(rng, s)
		s.tracker = own
		own.Reset(s.Z)
		return info
	})
}

// lawOf returns the tracker of a law at the temperature of s.
func lawOf(law prior.Attraction) func(s *State) intensity.Tracker {
	return func(s *State) intensity.Tracker { return law.With(s.Temperature, prior.Identity(law.N())).Tracker() }
}

func exactRows() *Rows { return NewRows(new(ExactSingletons)) }

var rowControls = []mutant{
	{"rows", "a copy without a fault", ofAIBD, func() Kernel { return &rowsCopy{singletons: seriesCopy{}} }},
	{"rows", "under a law of its own", ofSymmetric, func() Kernel {
		return withTracker(exactRows(), lawOf(ofSymmetric.post.Law.(prior.Attraction)))
	}},
}

var rowMutants = []mutant{
	{"rows", "wrong sign of the prior in the ratio", ofAIBD, func() Kernel {
		return &rowsCopy{singletons: seriesCopy{}, ratio: func(_ *State, _, _ int, l, p float64) float64 { return l - p }}
	}},
	{"rows", "a flip's prior ratio of column sizes without the item itself", ofIBP, func() Kernel {
		// (m+1)/(N-m-1) in the place of m/(N-m) for m other members.
		return &rowsCopy{singletons: seriesCopy{}, ratio: func(s *State, i, a int, l, p float64) float64 {
			n, m := float64(s.Z.N()), float64(s.Z.Size(a))
			if s.Z.Has(i, a) {
				return l + math.Log((n-m+1)/(m+1))
			}
			return l + math.Log((m+1)/(n-m))
		}}
	}},
	{"rows", "columns in fixed order", ofBusy, func() Kernel {
		return &rowsCopy{singletons: new(ExactSingletons), fixedOrder: true}
	}},
	{"rows", "columns listed once a scan, not for each row", ofThree, func() Kernel {
		return &rowsCopy{singletons: seriesCopy{}, oneOrder: true}
	}},
	{"rows", "first owner's factor of nu forgotten", ofAIBD, func() Kernel {
		return withTracker(exactRows(), func(s *State) intensity.Tracker { return noOwner{s.tracker, s} })
	}},
	{"rows", "likelihood stale after a change of the scales", ofIBP, func() Kernel {
		return NewCycle(NewScales(stepScale, stepScale, 0), &rowsCopy{singletons: seriesCopy{}, stale: true})
	}},
	{"rows", "sequential nu in the symmetric dd-IBP", ofSymmetric, func() Kernel {
		return withTracker(exactRows(), lawOf(ofSequential.post.Law.(prior.Attraction)))
	}},
	{"rows", "singletons cut off early", ofIBP, func() Kernel { return NewRows(&TruncatedSingletons{Divisor: 1}) }},
	{"rows", "at most one singleton", ofIBP, func() Kernel { return &rowsCopy{singletons: seriesCopy{few: 2}} }},
	{"rows", "singletons without 1/j!", ofIBP, func() Kernel { return &rowsCopy{singletons: seriesCopy{noFactorial: true}} }},
	{"rows", "new dishes, mass/h_i, taken for singletons", ofSymmetric, func() Kernel {
		return &rowsCopy{singletons: seriesCopy{logLambda: func(s *State, i int) float64 {
			h := 0.0
			for j := range s.Z.N() {
				h += math.Exp(-s.Temperature * math.Abs(places[i]-places[j]))
			}
			return math.Log(s.Mass / h)
		}}}
	}},
	{"rows", "new dishes, mass/p, taken for singletons", ofAIBD, func() Kernel {
		return &rowsCopy{singletons: seriesCopy{logLambda: func(s *State, i int) float64 {
			return math.Log(s.Mass / float64(slices.Index(s.Permutation, i)+1))
		}}}
	}},
	{"rows", "singletons by the prior alone", ofWide, func() Kernel { return &rowsCopy{singletons: seriesCopy{noVariance: true}} }},
	{"rows", "singletons only added", ofIBP, func() Kernel { return &rowsCopy{singletons: seriesCopy{keep: true}} }},
}
