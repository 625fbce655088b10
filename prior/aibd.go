package prior

import "fmt"

// AIBD is the attraction Indian buffet distribution (paper (7)): items arrive in
// the order of a permutation, and the item at position p (from one) takes an
// existing dish with probability
//
//	(p-1)/p * sum of f(temperature, d) over earlier owners / the same over all earlier items
//
// and Poisson(mass/p) new dishes. If all similarities of an item to the earlier
// ones are 0, the earlier ones count equally: the limit as they tend to 0
// together. Where some are infinite (reciprocal decay at distance 0) only those
// count.
type AIBD struct{ attracted }

// NewAIBD returns the AIBD with the permutation perm, zero-based: perm[p] is the
// item that arrives at position p. It returns an error unless mass is positive,
// temperature is at least 0 and perm holds each item once.
func NewAIBD(affinity *Affinity, mass, temperature float64, perm []int) (*AIBD, error) {
	if err := validMass(mass); err != nil {
		return nil, err
	}
	if err := validTemperature(temperature); err != nil {
		return nil, err
	}
	if err := ValidPermutation(perm, affinity.N()); err != nil {
		return nil, err
	}
	return newAIBD(affinity, mass, temperature, perm), nil
}

func newAIBD(affinity *Affinity, mass, temperature float64, perm []int) *AIBD {
	return &AIBD{newAttracted(affinity, mass, temperature, perm, false)}
}

// WithMass returns the law with another mass.
func (l *AIBD) WithMass(mass float64) Law {
	checkMass(mass)
	c := *l
	c.mass = mass
	return &c
}

// WithTemperature returns the law with another temperature. It panics unless
// temperature is finite and at least 0.
func (l *AIBD) WithTemperature(temperature float64) *AIBD {
	if err := validTemperature(temperature); err != nil {
		panic("prior: " + err.Error())
	}
	return newAIBD(l.aff, l.mass, temperature, l.perm)
}

// WithPermutation returns the law with another permutation. It panics unless
// perm holds each item once.
func (l *AIBD) WithPermutation(perm []int) *AIBD {
	if err := ValidPermutation(perm, l.N()); err != nil {
		panic("prior: " + err.Error())
	}
	return newAIBD(l.aff, l.mass, l.temperature, perm)
}

// With returns the law with another temperature and permutation. It panics where
// WithTemperature and WithPermutation do.
func (l *AIBD) With(temperature float64, perm []int) Attraction {
	checkAttraction(temperature, perm, l.N())
	return newAIBD(l.aff, l.mass, temperature, perm)
}

// Tracker returns the incremental form of the law.
func (l *AIBD) Tracker() Tracker {
	return inserter{l.tracker(), new(insertion)}
}

// String describes the law in one line.
func (l *AIBD) String() string {
	return fmt.Sprintf("AIBD(N=%d, mass=%g, temperature=%g, %s)", l.N(), l.mass, l.temperature, l.aff.decay)
}
