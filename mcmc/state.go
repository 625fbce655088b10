package mcmc

import (
	"fmt"
	"math"
	"slices"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/intensity"
	"aibd/internal/permutation"
	"aibd/lglfm"
	"aibd/prior"
)

// State is where a chain stands: the unknowns, and what is derived from them so
// that the next step is cheap. Kernels keep both together.
type State struct {
	Z           *feature.Allocation
	Mass        float64
	Temperature float64 // NaN if the law has none
	Permutation []int   // nil if the law has none; Permutation[p] arrives at position p
	Scales      lglfm.Scales

	post     *Posterior
	most     int // features
	tracker  intensity.Tracker
	cache    *collapsed.Cache
	spectrum collapsed.Spectrum
	spectral bool    // spectrum is of the current Z
	atScales float64 // its log likelihood at the current scales
	logLik   float64
	pack     draws.Draw
}

// Start says where a chain starts. Mass, temperature and permutation are those of
// the posterior's law where they are zero or nil.
type Start struct {
	Z           *feature.Allocation // nil: no features
	Mass        float64
	Temperature float64
	Permutation []int
	Scales      lglfm.Scales
}

// NewState returns the state at the given start. It returns an error if the start
// lies outside the support of the prior, where a chain would never leave it, or
// the posterior's parts do not fit together.
func NewState(post *Posterior, start Start) (*State, error) {
	return newState(post, start, true)
}

// newState is NewState; a state that is not fresh but restored may stand at
// MaxFeatures.
func newState(post *Posterior, start Start, fresh bool) (*State, error) {
	if err := post.Validate(); err != nil {
		return nil, err
	}
	if err := start.Scales.Valid(); err != nil {
		return nil, err
	}
	law := post.Law
	if start.Mass != 0 {
		if !(start.Mass > 0) || math.IsInf(start.Mass, 1) {
			return nil, fmt.Errorf("start: found mass %g, expected a positive finite number", start.Mass)
		}
		law = law.WithMass(start.Mass)
	}
	if err := post.Data.Check(start.Scales); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	s := &State{Mass: law.Mass(), Temperature: math.NaN(), Scales: start.Scales, post: post, most: MaxFeatures}
	if a, ok := law.(prior.Attraction); ok {
		s.Temperature, s.Permutation = a.Temperature(), a.Permutation()
		if start.Temperature != 0 {
			if !(start.Temperature > 0) || math.IsInf(start.Temperature, 1) {
				return nil, fmt.Errorf("start: found temperature %g, expected a positive finite number", start.Temperature)
			}
			s.Temperature = start.Temperature
		}
		if start.Permutation != nil && s.Permutation == nil {
			return nil, fmt.Errorf("start: the prior of Z has no permutation")
		}
		if start.Permutation != nil {
			if err := permutation.Check(start.Permutation, make([]bool, a.N())); err != nil {
				return nil, fmt.Errorf("start: permutation: %w", err)
			}
			s.Permutation = slices.Clone(start.Permutation)
		}
		law = a.With(s.Temperature, s.Permutation)
	} else if start.Temperature != 0 || start.Permutation != nil {
		return nil, fmt.Errorf("start: the prior of Z has no temperature and no permutation")
	}
	s.Z = feature.New(law.N())
	if start.Z != nil {
		if start.Z.N() != law.N() {
			return nil, fmt.Errorf("start: found Z of %d items, expected %d", start.Z.N(), law.N())
		}
		s.Z = start.Z.Clone()
	}
	if k := float64(s.Z.K()) + s.Mass*law.TotalIntensity(); fresh && !(k <= MaxFeatures) || s.Z.K() > MaxFeatures {
		return nil, fmt.Errorf("start: found %d features and mass %g, which expects %.3g, together more than %d", s.Z.K(), s.Mass, s.Mass*law.TotalIntensity(), MaxFeatures)
	}
	s.tracker = law.Tracker()
	s.cache = collapsed.NewCache(post.Data.Collapsed(), s.Z, s.Scales)
	s.refresh()
	if lp := s.LogPrior(); math.IsInf(lp, -1) || math.IsNaN(lp) {
		return nil, fmt.Errorf("start: %s", s.outside())
	}
	if math.IsNaN(s.logLik) || math.IsInf(s.logLik, 0) {
		return nil, fmt.Errorf("start: the likelihood is %g at SigmaX %g, SigmaA %g", s.logLik, s.Scales.SigmaX, s.Scales.SigmaA)
	}
	return s, nil
}

// outside says which part of a state has no prior density.
func (s *State) outside() string {
	p := s.post
	switch {
	case math.IsInf(p.SigmaX.LogDensity(s.Scales.SigmaX), -1):
		return fmt.Sprintf("SigmaX %g is outside its prior, uniform on (0, %g)", s.Scales.SigmaX, p.SigmaX.Max)
	case math.IsInf(p.SigmaA.LogDensity(s.Scales.SigmaA), -1):
		return fmt.Sprintf("SigmaA %g is outside its prior, uniform on (0, %g)", s.Scales.SigmaA, p.SigmaA.Max)
	case p.Temperature != nil && math.IsInf(p.Temperature.LogDensity(s.Temperature), -1):
		return fmt.Sprintf("temperature %g is outside its gamma prior", s.Temperature)
	}
	return "Z has probability 0 under its prior"
}

// refresh derives everything afresh from the unknowns, so that a state restored
// from them goes on exactly as the one they were taken from.
func (s *State) refresh() {
	s.tracker.Reset(s.Z)
	s.cache.Refresh(s.Z, s.Scales)
	s.settle()
}

// reload derives everything afresh after the data have been replaced.
func (s *State) reload() {
	s.cache.Reset(s.post.Data.Collapsed(), s.Z, s.Scales)
	s.settle()
}

// settle takes the log likelihood from the cache, after Z or the data have changed.
func (s *State) settle() { s.logLik, s.spectral = s.cache.LogLik(), false }

// catchUp brings the cache to the current scales, whose moves do without it.
func (s *State) catchUp() {
	if s.cache.Scales() != s.Scales {
		s.refresh()
	}
}

// combine puts a column in the place of column a, of which it is the sum with the terms
// or, turned, the negative of that. The caller settles the state.
func (s *State) combine(a int, terms []collapsed.Term, turned bool, column []uint64) {
	s.cache.Combine(a, terms, turned)
	s.Z.AppendColumn(column)
	s.Z.Remove(a) // the new one takes its number
	s.tracker.AppendColumn(column)
	s.tracker.Remove(a)
}

// LogLik returns log p(X | Z, SigmaX, SigmaA).
func (s *State) LogLik() float64 { return s.logLik }

// LogPrior returns the log prior density of Z and of everything else that is
// random.
func (s *State) LogPrior() float64 {
	k := float64(s.Z.K())
	sum := -s.Mass*s.tracker.TotalIntensity() + k*math.Log(s.Mass) + s.tracker.SumLogIntensity() - s.Z.LogMultiplicities()
	p := s.post
	if p.Mass != nil {
		sum += p.Mass.LogDensity(s.Mass)
	}
	if p.Temperature != nil {
		sum += p.Temperature.LogDensity(s.Temperature)
	}
	if p.Permutation {
		orders, _ := math.Lgamma(float64(s.Z.N() + 1))
		sum -= orders
	}
	return sum + p.SigmaX.LogDensity(s.Scales.SigmaX) + p.SigmaA.LogDensity(s.Scales.SigmaA)
}

// draw fills a Draw with the state. It is valid until the next step.
func (s *State) draw(iteration int) *draws.Draw {
	s.pack = draws.Draw{
		Iteration: iteration,
		Mass:      s.Mass, Temperature: s.Temperature,
		SigmaX: s.Scales.SigmaX, SigmaA: s.Scales.SigmaA,
		LogLik: s.LogLik(), LogPrior: s.LogPrior(),
		Permutation: s.Permutation, Z: s.Z,
	}
	return &s.pack
}

// spectrumNow returns the likelihood at the current Z for any scales.
func (s *State) spectrumNow() *collapsed.Spectrum {
	if !s.spectral {
		s.spectrum.Reset(s.post.Data.Collapsed(), s.Z)
		s.spectral = true
	}
	return &s.spectrum
}
