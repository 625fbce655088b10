package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/hint"
	"aibd/internal/intensity"
	"aibd/internal/permutation"
	"aibd/internal/state"
	"aibd/lglfm"
	"aibd/prior"
)

// Start says where a chain starts. Mass, temperature and permutation come from
// the posterior's law where they are zero or nil.
type Start struct {
	Z                   *feature.Allocation // nil: no features
	Mass                float64
	Temperature         float64
	FurtherTemperatures []float64 // temperatures of the distances after the first, 0: as Temperature
	Permutation         []int
	Scales              lglfm.Scales
	Cells               []float64 // values of the unknown cells of X, row by row; nil: the means of the observed cells of their columns
	Cutpoints           []float64 // unknown cutpoints of the ordinal columns of X, column by column; nil: those at which a normal distribution has the shares of the categories
	NoiseScales         []float64 // of all columns of X, if they have any; nil: 1 until their first draw, in the first scan that is not annealed
	Weights             []float64 // one for each one of Z as in draws.Draw, if features have weights; nil: all 1
	Shares              []float64 // shares of the variance of the weights, as in draws.Draw; nil: all equal
	Rates               []float64 // and rates; nil: in the middle of their bounds
}

// CheckStart returns an error if a chain cannot start there: the start is outside the
// support of the prior, where a chain would stay forever, or the posterior's parts do not
// fit together.
func (p *Posterior) CheckStart(start Start) error {
	_, err := newTarget(p, start, true, MaxFeatures)
	return err
}

// LogLik returns the log likelihood at a start, of the observed cells given the features, with their weights if they
// have any, and the scales. The loadings are integrated out. It returns the errors of CheckStart, with -Inf.
func (p *Posterior) LogLik(start Start) (float64, error) {
	s, err := newTarget(p, start, true, MaxFeatures)
	if err != nil {
		return math.Inf(-1), err
	}
	var d draws.Draw
	s.Fill(&d)
	return d.LogLik, nil
}

// Init says which features a chain has at its start.
type Init string

const (
	InitEmpty Init = "empty" // none
	InitPrior Init = "prior" // a draw from the prior
	// Factors of a factor analysis, as many as the data allow, if features have weights.
	InitFactors Init = "factors"
	// Sets of alike items, the nodes of a tree over the rows of the data: as many as the law draws, all
	// different, of those that it allows.
	InitData Init = "data"
)

// maxStart bounds the expected number of features of a start drawn from the prior.
const maxStart = 1000

// DrawStart draws a start. What is not zero or nil in given stays, as does what has no
// prior. The rest is drawn from its prior, in the order mass, temperature, permutation,
// SigmaX, SigmaA, and then Z as init says. It returns an error for another Init, and if a draw from the prior
// would have more than about 1000 features, together with the start except Z.
//
// SigmaX and SigmaA are drawn from the part of the prior above its mean. With InitEmpty, a SigmaX
// with a uniform or exponential prior starts between 0.9 and 0.99 of its maximum or mean: all of X
// is noise at first, and the chain adds features as it finds them. A chain that starts with
// too little noise explains all of it by features and is slow to remove them. Given a Z
// with features, they are the likeliest of 100 draws from their priors: with too much noise
// a chain would remove the features before it learns how much there is. With InitFactors scales follow from
// the factors, and so do noise scales, missing cells and, if it has a prior, the mass.
func (p *Posterior) DrawStart(rng *rand.Rand, given Start, init Init) (Start, error) {
	s := given
	if s.Mass == 0 && p.Mass != nil {
		s.Mass = p.Mass.rand(rng)
	}
	p.drawTemperatures(rng, &s, false)
	if s.Permutation == nil && p.Permutation {
		s.Permutation = p.Law.(prior.Attraction).Permutation()
		rng.Shuffle(len(s.Permutation), func(i, j int) { swap(s.Permutation, i, j) })
	}
	if s.Scales.SigmaX == 0 {
		if s.Scales.SigmaX = p.SigmaX.randAbove(rng); init == InitEmpty && p.SigmaX.noise() != 0 {
			s.Scales.SigmaX = p.SigmaX.noise() * (0.9 + 0.09*rng.Float64())
		}
	}
	if s.Scales.SigmaA == 0 {
		s.Scales.SigmaA = p.SigmaA.randAbove(rng)
	}
	if s.Z != nil && s.Z.K() > 0 && s.Z.N() == p.Data.N() && (given.Scales.SigmaX == 0 || given.Scales.SigmaA == 0) {
		s.Scales = p.likeliestScales(rng, s, given.Scales)
	}
	switch {
	case s.Z != nil || init == InitEmpty:
		return s, nil
	case init == InitFactors:
		return p.startAtFactors(rng, s, given.Scales)
	case init != InitPrior && init != InitData:
		return s, hint.Unknown("start", string(init), []string{string(InitEmpty), string(InitFactors), string(InitPrior), string(InitData)})
	}
	u, law, err := p.unknowns(s)
	if err != nil {
		return s, fmt.Errorf("start: %w", err)
	}
	if init == InitData {
		s.Z = drawClusters(rng, collapsed.Unwrap(p.Data).Linkage(), law)
		return s, nil
	}
	if mean := u.Mass * law.TotalIntensity(); mean > maxStart {
		return s, fmt.Errorf("the start drawn from the prior has mass %.3g and would have about %.3g features, expected at most %d", u.Mass, mean, maxStart)
	}
	s.Z = law.Rand(rng)
	return s, nil
}

// likeliestScales returns those of the scales of a start with the largest likelihood among
// 100 draws from their priors. Those that are not 0 in given stay.
func (p *Posterior) likeliestScales(rng *rand.Rand, s Start, given lglfm.Scales) lglfm.Scales {
	best, largest := s.Scales, math.Inf(-1)
	for range 100 {
		try := s.Scales
		if given.SigmaX == 0 {
			try.SigmaX = p.SigmaX.rand(rng, 0)
		}
		if given.SigmaA == 0 {
			try.SigmaA = p.SigmaA.rand(rng, 0)
		}
		if p.Data.Check(try) != nil {
			continue
		}
		var lik float64
		if s.Weights == nil {
			lik = lglfm.LogLik(p.Data, s.Z, try)
		} else {
			start := s
			start.Scales = try
			lik, _ = p.LogLik(start) // scales without a likelihood are not the likeliest
		}
		if lik > largest {
			best, largest = try, lik
		}
	}
	return best
}

// drawClusters draws features among the nodes of a tree.
func drawClusters(rng *rand.Rand, tree *collapsed.Tree, law prior.Law) *feature.Allocation {
	z := feature.New(law.N())
	remaining := int(distuv.Poisson{Lambda: law.Mass() * law.TotalIntensity(), Src: rng}.Rand())
	for _, v := range rng.Perm(tree.Nodes()) {
		if remaining > 0 && !math.IsInf(law.LogIntensity(tree.Node(v)), -1) {
			z.AppendColumn(tree.Node(v))
			remaining--
		}
	}
	return z
}

// rand returns a draw, the mean if the draw underflows.
func (g Gamma) rand(rng *rand.Rand) float64 {
	if x := (distuv.Gamma{Alpha: g.Shape, Beta: g.Rate, Src: rng}).Rand(); x > 0 {
		return x
	}
	return g.Shape / g.Rate
}

// randAbove returns a draw given that it is at least the mean, 0 if the scale is fixed.
func (p ScalePrior) randAbove(rng *rand.Rand) float64 {
	switch {
	case p.Max != 0:
		return p.Max * (1 + rng.Float64()) / 2
	case p.Mean != 0:
		return p.Mean * (1 + rng.ExpFloat64())
	case p.Gamma == nil:
		return 0
	}
	mean := p.Gamma.Shape / p.Gamma.Rate
	for range 100 {
		if x := p.Gamma.rand(rng); x >= mean {
			return x
		}
	}
	return mean // of a prior with nearly all mass at 0
}

// target is what kernels leave invariant: a state under the priors of a posterior. The
// power of its likelihood is the power of the posterior, unless whoever runs the kernels changes it.
type target struct {
	*state.State
	post      *Posterior
	abandon   func() bool // see Chain.Abandon
	abandoned bool
}

// stops reports whether the scan is to be abandoned.
func (s *target) stops() bool {
	s.abandoned = s.abandoned || s.abandon != nil && s.abandon()
	return s.abandoned
}

// newTarget returns the target at a start, which may add features up to limit. A restored
// start, unlike a fresh one, may stand at MaxFeatures.
func newTarget(post *Posterior, start Start, fresh bool, limit int) (*target, error) {
	if err := post.Validate(); err != nil {
		return nil, err
	}
	if err := start.Scales.Valid(); err != nil {
		return nil, err
	}
	u, law, err := post.unknowns(start)
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	expected := u.Mass * law.TotalIntensity()
	if k := u.Z.K(); fresh && !(float64(k)+expected <= MaxFeatures) || k > MaxFeatures {
		return nil, fmt.Errorf("start: found %d features and mass %g, which expects %.3g, together more than %d", k, u.Mass, expected, MaxFeatures)
	}
	s := &target{State: state.New(collapsed.Unwrap(post.Data), intensity.Unwrap(law).Tracker(), u, post.weights(), limit), post: post}
	if lp := s.LogPrior(); math.IsInf(lp, -1) || math.IsNaN(lp) {
		return nil, fmt.Errorf("start: %s", s.outside())
	}
	if lik := s.LogLik(); math.IsNaN(lik) || math.IsInf(lik, 0) {
		return nil, fmt.Errorf("start: the likelihood is %g at SigmaX %g, SigmaA %g", lik, u.Scales.SigmaX, u.Scales.SigmaA)
	}
	return s, nil
}

// unknowns returns the unknowns at a start, and the law there.
func (p *Posterior) unknowns(start Start) (state.Unknowns, prior.Law, error) {
	law := p.Law
	if start.Mass != 0 {
		if err := positive("found mass", start.Mass); err != nil {
			return state.Unknowns{}, nil, err
		}
		law = law.WithMass(start.Mass)
	}
	if err := p.Data.Check(start.Scales); err != nil {
		return state.Unknowns{}, nil, err
	}
	u := state.Unknowns{Mass: law.Mass(), Temperature: math.NaN(), Scales: start.Scales, Cells: start.Cells, Cutpoints: start.Cutpoints, NoiseScales: start.NoiseScales}
	if u.Cells != nil || u.Cutpoints != nil || u.NoiseScales != nil {
		if _, err := u.Complete(collapsed.Unwrap(p.Data).Detach()); err != nil {
			return u, nil, err
		}
	}
	if a, ok := law.(prior.Attraction); ok {
		u.Temperature, u.FurtherTemperatures, u.Permutation = a.Temperature(), a.FurtherTemperatures(), a.Permutation()
		if start.Temperature != 0 {
			if err := positive("found temperature", start.Temperature); err != nil {
				return u, nil, err
			}
			u.Temperature = start.Temperature
		}
		if start.FurtherTemperatures != nil {
			if len(start.FurtherTemperatures) != len(u.FurtherTemperatures) {
				return u, nil, fmt.Errorf("found temperatures of %d further distances, expected %d", len(start.FurtherTemperatures), len(u.FurtherTemperatures))
			}
			for m, x := range start.FurtherTemperatures {
				if x == 0 {
					continue
				}
				if err := positive("found temperature", x); err != nil {
					return u, nil, err
				}
				u.FurtherTemperatures[m] = x
			}
		}
		if start.Permutation != nil && u.Permutation == nil {
			return u, nil, fmt.Errorf("the prior of Z has no permutation")
		}
		if start.Permutation != nil {
			if err := permutation.Check(start.Permutation, make([]bool, a.N())); err != nil {
				return u, nil, fmt.Errorf("permutation: %w", err)
			}
			u.Permutation = slices.Clone(start.Permutation)
		}
		law = a.WithFurtherTemperatures(u.FurtherTemperatures).With(u.Temperature, u.Permutation)
	} else if start.Temperature != 0 || start.Permutation != nil {
		return u, nil, fmt.Errorf("the prior of Z has no temperature and no permutation")
	}
	if u.Z = start.Z; u.Z == nil {
		u.Z = feature.New(law.N())
	}
	if u.Z.N() != law.N() {
		return u, nil, fmt.Errorf("found Z of %d items, expected %d", u.Z.N(), law.N())
	}
	return u, law, p.weigh(&u, start)
}

// outside says which part of a target has no prior density.
func (s *target) outside() string {
	p, scales := s.post, s.Scales()
	switch {
	case math.IsInf(p.SigmaX.LogDensity(scales.SigmaX), -1):
		return fmt.Sprintf("SigmaX %g is outside its prior, uniform on (0, %g)", scales.SigmaX, p.SigmaX.Max)
	case math.IsInf(p.SigmaA.LogDensity(scales.SigmaA), -1):
		return fmt.Sprintf("SigmaA %g is outside its prior, uniform on (0, %g)", scales.SigmaA, p.SigmaA.Max)
	case math.IsInf(p.logTemperatures(s.Temperatures()), -1):
		return fmt.Sprintf("temperature %v is outside its gamma prior", s.Temperatures())
	case math.IsInf(s.LogPriorAt(scales), -1):
		lower := collapsed.Unwrap(p.Data).NoiseBounds()
		for j, noise := range s.NoiseScales() {
			if noise *= scales.SigmaX; noise < lower[j] {
				return fmt.Sprintf("noise of column %d: found SigmaX times noise scale %g, expected at least %g", j+1, noise, lower[j])
			}
		}
	}
	return "Z has probability 0 under its prior"
}

// LogPrior returns the log prior density of Z and of everything else that is random.
func (s *target) LogPrior() float64 {
	p, scales := s.post, s.Scales()
	sum := p.addPriors(s.LogProb(), s.Mass, s.Temperatures())
	if w := s.Weighted(); w != nil {
		sum += w.LogShares()
	}
	return sum + p.SigmaX.LogDensity(scales.SigmaX) + p.SigmaA.LogDensity(scales.SigmaA) + s.LogPriorAt(scales)
}

// logTemperatures returns the log prior density of the temperatures that are random.
func (p *Posterior) logTemperatures(t intensity.Temperatures) float64 {
	sum := 0.0
	for m := range 1 + len(t.Tail) {
		if p.perUnit(m) != nil {
			sum += p.temperaturePrior(m).LogDensity(t.Value(m))
		}
	}
	return sum
}

// addPriors adds to sum the log prior densities of the mass, temperatures and permutation that are random.
func (p *Posterior) addPriors(sum, mass float64, t intensity.Temperatures) float64 {
	if p.Mass != nil {
		sum += p.Mass.LogDensity(mass)
	}
	sum += p.logTemperatures(t)
	if p.Permutation {
		orders, _ := math.Lgamma(float64(p.Data.N() + 1))
		sum -= orders
	}
	return sum
}
