package mcmc

import (
	"math/rand/v2"

	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// noise draws the noise scales of the columns of X given the rest, and then moves along the
// direction that leaves the likelihood as it is: SigmaX and SigmaA times a common factor, all
// noise scales over it. Without the second step SigmaX and the mean of the noise scales would
// exchange their parts slowly. It needs both SigmaX and SigmaA random, and an unknown noise scale in
// each column but ordinal ones, whose latent values move with SigmaX.
//
// The scales are 1 while a chain is annealed. Without features all of X is noise, and
// a chain could get stuck where some columns stay noise.
type noise struct {
	prior     collapsed.NoisePrior
	free      []bool
	exchanges bool
	ordinal   int // columns, if they have an intercept
}

func newNoise(post *Posterior) noise {
	columns := len(post.Data.Ordinal())
	k := noise{prior: post.noisePrior(), free: post.Data.FreeNoiseScales()}
	if post.Data.Intercept() {
		k.ordinal = columns
	}
	for _, free := range k.free {
		if free {
			columns++
		}
	}
	k.exchanges = post.SigmaX.Random() && post.SigmaA.Random() && columns == post.Data.D()
	return k
}

// noisePrior returns the prior of the noise scales. With weights its bounds, which may be near the noise, truncate
// the joint prior of SigmaX and the scales.
func (p *Posterior) noisePrior() collapsed.NoisePrior {
	noise := collapsed.Unwrap(p.Data).NoisePrior()
	if p.Features.weights() {
		return noise.Joint()
	}
	return noise
}

// exchanged is the number of common factors that are drawn one after the other. One would do without
// bounds. Where the noise of most columns is at its bound, a factor changes SigmaX little.
const exchanged = 10

func (noise) Name() string { return "noise" }

// Step always accepts the noise scales. Info counts the exchanges, if there are any.
func (k noise) Step(rng *rand.Rand, s *target) Info {
	if s.Power() < 1 {
		return Info{}
	}
	noise, scales := s.DrawNoise(rng), s.Scales()
	if noise == nil {
		return Info{}
	}
	info := Info{1, 1}
	if k.exchanges {
		scales, info = k.exchange(rng, s, noise, scales)
	}
	s.SetNoise(noise, scales)
	return info
}

// exchange moves factors between the scales, which it returns, and the noise scales, which it changes
// in place.
func (k noise) exchange(rng *rand.Rand, s *target, noise []float64, scales lglfm.Scales) (lglfm.Scales, Info) {
	info := Info{Proposed: exchanged}
	for range exchanged {
		g, next := k.prior.DrawFactor(rng, noise, scales, k.ordinal), scales
		next.SigmaX *= g
		next.SigmaA *= g
		p := s.post
		log := p.SigmaX.logRatio(next.SigmaX, scales.SigmaX) + p.SigmaA.logRatio(next.SigmaA, scales.SigmaA)
		if log+rng.ExpFloat64() > 0 {
			info.Accepted++
			scales = next
			for j, free := range k.free {
				if free {
					noise[j] /= g
				}
			}
		}
	}
	return scales, info
}
