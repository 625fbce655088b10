package mcmc

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Mass draws the mass from its full conditional, gamma(a + K, rate b + H), for a
// gamma(a, rate b) prior. The posterior's Mass must not be nil.
type Mass struct{}

// Name returns "mass".
func (Mass) Name() string { return "mass" }

// Step draws; it always accepts.
func (Mass) Step(rng *rand.Rand, s *State) Info {
	p := s.post.Mass
	mass := distuv.Gamma{
		Alpha: p.Shape + float64(s.Z.K()),
		Beta:  p.Rate + s.tracker.TotalIntensity(),
		Src:   rng,
	}.Rand()
	if mass > 0 { // a draw may underflow to 0 for a tiny shape
		s.Mass = mass
	}
	return Info{1, 1}
}
