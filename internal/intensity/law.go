// Package intensity is the machinery of package prior: the intensities nu of the laws
// over feature allocations, and what follows them through changes of an allocation.
//
// All laws have one form, which package prior states. Its laws embed those of this
// package.
package intensity

import (
	"fmt"
	"math"

	"aibd/feature"
	"aibd/internal/permutation"
)

// Law is the part of a law that samplers use.
type Law interface {
	// LogIntensity returns log nu of a column given as a bitset over the items (see
	// feature.Allocation.Column); -Inf if such a column cannot occur.
	LogIntensity(column []uint64) float64
	// SumLogIntensity returns the sum of log nu over the columns of z.
	SumLogIntensity(z *feature.Allocation) float64
	// Tracker returns the incremental form of the law, following the allocation
	// without features.
	Tracker() Tracker
}

// Attracted is the part of a law with distances that other laws are made from.
type Attracted interface {
	// Affinity returns the distances and the decay.
	Affinity() *Affinity
}

// attracted is what laws with distances have in common.
type attracted struct {
	aff               *Affinity
	mass, temperature float64
}

// N returns the number of items.
func (l *attracted) N() int { return l.aff.N() }

// Mass returns the mass parameter.
func (l *attracted) Mass() float64 { return l.mass }

// Temperature returns the temperature.
func (l *attracted) Temperature() float64 { return l.temperature }

// Affinity returns the distances and the decay.
func (l *attracted) Affinity() *Affinity { return l.aff }

// validMass returns an error unless mass is positive and finite.
func validMass(mass float64) error {
	if !(mass > 0) || math.IsInf(mass, 1) {
		return fmt.Errorf("mass: found %g, expected a positive finite number", mass)
	}
	return nil
}

// validTemperature returns an error unless temperature is finite and at least 0.
func validTemperature(temperature float64) error {
	if !(temperature >= 0) || math.IsInf(temperature, 1) {
		return fmt.Errorf("temperature: found %g, expected a finite number >= 0", temperature)
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
