package mcmc

import (
	"math"
	"math/rand/v2"

	"aibd/internal/intensity"
	"aibd/lglfm"
)

// temperature is a random walk on the temperature of one distance, accepted by Metropolis. It
// must have a prior.
type temperature struct {
	tuner    *tuner
	distance int
	next     intensity.Temperatures // working memory
}

func (k *temperature) Name() string { return "temperature" }

func (k *temperature) Step(rng *rand.Rand, s *target) Info {
	walk, now := k.tuner.walk(k.distance), s.Temperatures().Value(k.distance)
	next := now + walk.Step*rng.NormFloat64()
	u := rng.ExpFloat64()
	log := math.Inf(-1)
	if next > 0 {
		sum, h := s.Law().SumLogIntensity(), s.Law().TotalIntensity()
		k.next.Set(s.Temperatures())
		*k.next.At(k.distance) = next
		newSum, newH := s.ProposeTemperatures(k.next, s.Permutation())
		log = newSum - sum - s.Mass*(newH-h) +
			s.post.temperaturePrior(k.distance).logRatio(next, now)
	}
	k.tuner.one(&walk.Step, &walk.Learned, log)
	if !(log+u > 0) {
		return Info{1, 0}
	}
	s.Accept()
	return Info{1, 1}
}

// scales is a bivariate normal random walk on (SigmaX, SigmaA), or on the one of them
// that is random, accepted by Metropolis. One reduction of Z serves all proposals until Z
// changes. Proposals with SigmaX below 1e-10 of the data, where the likelihood cannot be
// computed (lglfm.Data.Check), are rejected: data without noise, whose posterior has no
// bound there, keep the chain at that bound.
type scales struct{ tuner *tuner }

func (k scales) Name() string { return "scales" }

func (k scales) Step(rng *rand.Rand, s *target) Info {
	now := s.Scales()
	u, v, e := rng.NormFloat64(), rng.NormFloat64(), rng.ExpFloat64()
	next, log := k.tuner.proposeScales(s.post, now, u, v)
	if !math.IsInf(log, -1) {
		before := s.LogLikAt(now)
		log += s.LogLikAt(next) - before + s.LogPriorAt(next) - s.LogPriorAt(now)
	}
	k.tuner.learnScales(s.post, u, v, log)
	if !(log+e > 0) {
		return Info{1, 0}
	}
	s.SetScales(next)
	return Info{1, 1}
}

// proposeScales returns the scales to which the walk moves by two standard normal variables, and the log
// ratio of their prior densities, -Inf where they have none. At least one scale must be random.
func (t *tuner) proposeScales(p *Posterior, now lglfm.Scales, u, v float64) (next lglfm.Scales, log float64) {
	f := t.Scales
	next = now
	switch randomX, randomA := p.SigmaX.Random(), p.SigmaA.Random(); {
	case randomX && randomA:
		next.SigmaX += f.X * u
		next.SigmaA += f.AX*u + f.A*v
	case randomX:
		next.SigmaX += f.X * u
	default:
		next.SigmaA += f.A * v
	}
	if !(next.SigmaX > 0 && next.SigmaA > 0) {
		return next, math.Inf(-1)
	}
	return next, p.SigmaX.logRatio(next.SigmaX, now.SigmaX) + p.SigmaA.logRatio(next.SigmaA, now.SigmaA)
}

// learnScales tunes the walk after a proposal of log ratio log, made by two standard normal variables.
func (t *tuner) learnScales(p *Posterior, u, v, log float64) {
	switch randomX, randomA := p.SigmaX.Random(), p.SigmaA.Random(); {
	case randomX && randomA:
		t.bothScales(u, v, log)
	case randomX:
		t.one(&t.Scales.X, &t.Scales.Learned, log)
	default:
		t.one(&t.Scales.A, &t.Scales.Learned, log)
	}
}
