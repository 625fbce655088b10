package mcmc

import (
	"math"
	"math/rand/v2"
)

// Temperature is a random walk on the temperature, accepted by Metropolis. The
// posterior's Temperature must not be nil.
type Temperature struct {
	step  float64 // standard deviation of the walk
	adapt walk
}

// NewTemperature returns the kernel with the given step, the standard deviation
// of the random walk; tuning starts from it. It panics unless step is positive.
func NewTemperature(step float64) *Temperature {
	if !(step > 0) {
		panic("mcmc: the step of the temperature is not positive")
	}
	return &Temperature{step: step}
}

// Name returns "temperature".
func (k *Temperature) Name() string { return "temperature" }

// Step makes one proposal.
func (k *Temperature) Step(rng *rand.Rand, s *State) Info {
	next := s.Temperature + k.step*rng.NormFloat64()
	u := rng.ExpFloat64()
	log := math.Inf(-1)
	if next > 0 {
		sum, h := s.tracker.SumLogIntensity(), s.tracker.TotalIntensity()
		newSum, newH := s.tracker.Propose(next, s.Permutation)
		log = newSum - sum - s.Mass*(newH-h) +
			s.post.Temperature.LogDensity(next) - s.post.Temperature.LogDensity(s.Temperature)
	}
	k.adapt.learn1(&k.step, log)
	if !(log+u > 0) {
		return Info{1, 0}
	}
	s.tracker.Accept()
	s.Temperature = next
	return Info{1, 1}
}

// Adapt turns tuning on or off.
func (k *Temperature) Adapt(on bool) { k.adapt.on = on }

// Tuning returns the step and the number of steps learned from.
func (k *Temperature) Tuning() []float64 { return []float64{k.step, k.adapt.count} }

// SetTuning puts back what Tuning returned.
func (k *Temperature) SetTuning(t []float64) { k.step, k.adapt.count = t[0], t[1] }
