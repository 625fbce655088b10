package prior

import (
	"errors"
	"fmt"

	"aibd/similarity"
)

// SequentialDDIBP is the distance dependent Indian buffet process (Gershman,
// Frazier and Blei, 2015) with links to earlier items only, in the order of a
// permutation. With P_pq = f(temperature, d) for q < p, P_pp = 1 and h_p their
// sum, the item at position p takes an existing dish with probability
//
//	sum of P_pq over earlier owners / h_p
//
// and Poisson(mass/h_p) new ones: it is an arrival law like the AIBD, which is the
// same with the similarities of each row scaled to add to p-1. Every item expects
// mass features; at temperature 0 it is the IBP.
type SequentialDDIBP struct{ attracted }

// errSelf is why a decay does not serve for the dd-IBP.
var errSelf = errors.New("the dd-IBP needs a decay that is 1 at distance 0")

// mostSimilar is the largest similarity that the dd-IBP takes: beyond, the share
// that an item keeps for new dishes would lose its digits.
const mostSimilar = 1e6

// validSelf reports an error unless an item's similarity to itself is 1 under the
// decay of aff, as the dd-IBP assumes, and given similarities are not beyond
// reason.
func validSelf(aff *Affinity) error {
	if _, ok := aff.decay.(similarity.Given); ok {
		for i := range aff.N() {
			for j := range aff.N() {
				if x := aff.dist.At(i, j); i != j && x > mostSimilar {
					return fmt.Errorf("proximity: row %d, column %d: found %g, expected at most %g", i+1, j+1, x, mostSimilar)
				}
			}
		}
		return nil
	}
	if aff.decay.LogSimilarity(1, 0) != 0 {
		return fmt.Errorf("decay: found %s; %w, as reciprocal is with shift 1", aff.decay, errSelf)
	}
	return nil
}

// NewSequentialDDIBP returns the sequential dd-IBP with the permutation perm,
// zero-based: perm[p] is the item that arrives at position p. It returns an error
// unless mass is positive, temperature is at least 0, perm holds each item once
// and the decay is 1 at distance 0 (of the reciprocal ones that with shift 1).
func NewSequentialDDIBP(affinity *Affinity, mass, temperature float64, perm []int) (*SequentialDDIBP, error) {
	if err := errors.Join(validMass(mass), validTemperature(temperature), validSelf(affinity), ValidPermutation(perm, affinity.N())); err != nil {
		return nil, err
	}
	return newSequentialDDIBP(affinity, mass, temperature, perm), nil
}

func newSequentialDDIBP(affinity *Affinity, mass, temperature float64, perm []int) *SequentialDDIBP {
	return &SequentialDDIBP{newAttracted(affinity, mass, temperature, perm, true)}
}

// WithMass returns the law with another mass.
func (l *SequentialDDIBP) WithMass(mass float64) Law {
	checkMass(mass)
	c := *l
	c.mass = mass
	return &c
}

// With returns the law with another temperature and permutation.
func (l *SequentialDDIBP) With(temperature float64, perm []int) Attraction {
	checkAttraction(temperature, perm, l.N())
	return newSequentialDDIBP(l.aff, l.mass, temperature, perm)
}

// Tracker returns the incremental form of the law.
func (l *SequentialDDIBP) Tracker() Tracker { return l.tracker() }

// String describes the law in one line.
func (l *SequentialDDIBP) String() string {
	return fmt.Sprintf("sequential dd-IBP(N=%d, mass=%g, temperature=%g, %s)", l.N(), l.mass, l.temperature, l.aff.decay)
}
