package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/lglfm"
)

// Scales is a bivariate normal random walk on (SigmaX, SigmaA), or on the one of
// them that is random, accepted by Metropolis. One reduction of Z serves all
// proposals until Z changes. Proposals with SigmaX below 1e-10 of the data, where the
// likelihood cannot be computed (lglfm.Data.Check), are rejected: data without noise,
// whose posterior has no bound there, keep the chain at that bound.
type Scales struct {
	f     factor2
	adapt walk
}

// NewScales returns the kernel whose proposals have the given standard deviations
// and correlation; tuning starts from them. It panics unless the deviations are
// positive and the correlation is inside (-1, 1).
func NewScales(stepX, stepA, correlation float64) *Scales {
	if !(stepX > 0 && stepA > 0 && math.Abs(correlation) < 1) {
		panic(fmt.Sprintf("mcmc: steps %g and %g of the scales with correlation %g", stepX, stepA, correlation))
	}
	return &Scales{f: factor2{stepX, correlation * stepA, stepA * math.Sqrt(1-correlation*correlation)}}
}

// Name returns "scales".
func (k *Scales) Name() string { return "scales" }

// Step makes one proposal.
func (k *Scales) Step(rng *rand.Rand, s *State) Info {
	p := s.post
	u, v, e := rng.NormFloat64(), rng.NormFloat64(), rng.ExpFloat64()
	next := s.Scales
	switch {
	case p.SigmaX.Random() && p.SigmaA.Random():
		next.SigmaX += k.f.a * u
		next.SigmaA += k.f.b*u + k.f.c*v
	case p.SigmaX.Random():
		next.SigmaX += k.f.a * u
	default:
		next.SigmaA += k.f.c * v
	}
	log, newLik := math.Inf(-1), 0.0
	if next.SigmaX > 0 && next.SigmaA > 0 {
		log = p.SigmaX.LogDensity(next.SigmaX) - p.SigmaX.LogDensity(s.Scales.SigmaX) +
			p.SigmaA.LogDensity(next.SigmaA) - p.SigmaA.LogDensity(s.Scales.SigmaA)
	}
	if !math.IsInf(log, -1) {
		now := s.likNow()
		newLik = s.likAt(next)
		log += newLik - now
	}
	switch {
	case p.SigmaX.Random() && p.SigmaA.Random():
		k.adapt.learn2(&k.f, u, v, log)
	case p.SigmaX.Random():
		k.adapt.learn1(&k.f.a, log)
	default:
		k.adapt.learn1(&k.f.c, log)
	}
	if !(log+e > 0) {
		return Info{1, 0}
	}
	s.Scales, s.logLik, s.atScales = next, newLik, newLik
	return Info{1, 1}
}

// likAt returns the log likelihood at the current Z under other scales.
func (s *State) likAt(scales lglfm.Scales) float64 { return s.spectrumNow().LogLik(scales) }

// likNow returns likAt of the current scales.
func (s *State) likNow() float64 {
	if !s.spectral {
		s.atScales = s.likAt(s.Scales)
	}
	return s.atScales
}

// Adapt turns tuning on or off.
func (k *Scales) Adapt(on bool) { k.adapt.on = on }

// Tuning returns the factor of the covariance and the number of steps learned
// from.
func (k *Scales) Tuning() []float64 { return []float64{k.f.a, k.f.b, k.f.c, k.adapt.count} }

// SetTuning puts back what Tuning returned.
func (k *Scales) SetTuning(t []float64) {
	k.f, k.adapt.count = factor2{t[0], t[1], t[2]}, t[3]
}
