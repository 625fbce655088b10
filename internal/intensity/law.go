// Package intensity is the machinery of package prior: the intensities nu of the laws
// over feature allocations, and what follows them through changes of an allocation.
//
// All laws have one form, which package prior states. Its laws hold those of this
// package.
package intensity

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/permutation"
)

// Law is a law as samplers use it.
type Law interface {
	// N returns the number of items.
	N() int
	// Mass returns the mass parameter.
	Mass() float64
	// TotalIntensity returns H, the sum of nu over all columns.
	TotalIntensity() float64
	// Rand draws an allocation.
	Rand(rng *rand.Rand) *feature.Allocation
	// LogIntensity returns log nu of a column given as a bitset over the items (see
	// feature.Allocation.Column); -Inf if such a column cannot occur.
	LogIntensity(column []uint64) float64
	// SumLogIntensity returns the sum of log nu over the columns of z.
	SumLogIntensity(z *feature.Allocation) float64
	// Tracker returns the incremental form of the law, following the allocation
	// without features.
	Tracker() Tracker
}

// Attracted is a law with distances.
type Attracted interface {
	Law
	// Temperatures returns the temperatures. Callers must not write to them.
	Temperatures() Temperatures
	// Permutation returns a copy of the permutation, nil if the law has none.
	Permutation() []int
	// String describes the law in one line.
	String() string
}

// Unwrap returns what a law of package prior holds. Package prior sets it, and does not export it.
var Unwrap func(law any) Law

// attracted is what laws with distances have in common.
type attracted struct {
	aff          *Affinity
	mass         float64
	temperatures Temperatures
}

// N returns the number of items.
func (l *attracted) N() int { return l.aff.N() }

// Mass returns the mass parameter.
func (l *attracted) Mass() float64 { return l.mass }

// Temperatures returns the temperatures.
func (l *attracted) Temperatures() Temperatures { return l.temperatures }

// validMass returns an error unless mass is positive and finite.
func validMass(mass float64) error {
	if !(mass > 0) || math.IsInf(mass, 1) {
		return fmt.Errorf("mass: found %g, expected a positive finite number", mass)
	}
	return nil
}

// validPermutation returns an error unless perm has each of 0 to n-1 once.
func validPermutation(perm []int, n int) error {
	if err := permutation.Check(perm, make([]bool, n)); err != nil {
		return fmt.Errorf("permutation: %w", err)
	}
	return nil
}

// must panics if err is not nil.
func must(err error) {
	if err != nil {
		panic("prior: " + err.Error())
	}
}
