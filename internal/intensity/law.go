// Package intensity is the machinery of package prior: the intensities nu of the laws
// over feature allocations, and what follows them through changes of an allocation.
//
// All laws have one form, which package prior states. Its laws embed those of this
// package.
package intensity

import (
	"cmp"
	"fmt"
	"math"

	"aibd/feature"
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

// ValidPermutation returns an error unless perm has each of 0 to n-1 once. Messages
// count from one.
func ValidPermutation(perm []int, n int) error {
	if len(perm) != n {
		return fmt.Errorf("permutation: found %d entries, expected %d", len(perm), n)
	}
	seen := make([]int, n)
	for p, i := range perm {
		if i < 0 || i >= n {
			return fmt.Errorf("permutation: entry %d is %d, expected an item from 1 to %d", p+1, i+1, n)
		}
		if seen[i] != 0 {
			return fmt.Errorf("permutation: entry %d is %d, which entry %d is already", p+1, i+1, seen[i])
		}
		seen[i] = p + 1
	}
	return nil
}

// must panics with the first of the errors: parameters from user input go through
// constructors, which return errors.
func must(errs ...error) {
	if err := cmp.Or(errs...); err != nil {
		panic("prior: " + err.Error())
	}
}

// Identity returns the permutation in which item p arrives at position p.
func Identity(n int) []int {
	perm := make([]int, n)
	for p := range perm {
		perm[p] = p
	}
	return perm
}
