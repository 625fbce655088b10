// Package prior holds the laws over feature allocations: the Indian buffet
// process (IBP), the attraction Indian buffet distribution (AIBD) and the distance
// dependent Indian buffet process (dd-IBP), with their pmf, exact moments and draws, and the incremental form that samplers
// use.
//
// All laws have one form. The number of columns equal to z is
// Poisson(mass * nu(z)), independently over the non-empty sets z of items, so
// that
//
//	log p(Z) = -mass*H + K log mass + sum_k log nu(z_k) - sum_z log n_z!
//
// with H = sum_z nu(z) and n_z the number of columns equal to z. A law is known
// once its intensity nu and its total H are; the number of features is
// Poisson(mass*H), and the mass given Z under a gamma(a, rate b) prior is
// gamma(a+K, rate b+H).
//
// Warr, Dahl, Meyer and Lui, "The Attraction Indian Buffet Distribution"
// (Bayesian Analysis), is "the paper" in the comments.
package prior

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"aibd/feature"
	"aibd/internal/parallel"
)

// A Law is a distribution over feature allocations of N items. Laws are
// immutable and safe for concurrent use.
type Law interface {
	// N returns the number of items.
	N() int
	// Mass returns the mass parameter, positive.
	Mass() float64
	// WithMass returns the same law with another mass. It panics unless mass is
	// positive and finite.
	WithMass(mass float64) Law
	// LogIntensity returns log nu(z) for the column given as a bitset over the
	// items (see feature.Allocation.Column); -Inf if such a column cannot occur.
	LogIntensity(column []uint64) float64
	// TotalIntensity returns H, the sum of nu over all columns.
	TotalIntensity() float64
	// Rand draws an allocation. The order of its columns carries no meaning. It
	// panics if more than 1e8 features are expected.
	Rand(rng *rand.Rand) *feature.Allocation
	// ExpectedSharing returns the N x N matrix whose entry (i, j) is the expected
	// number of features that items i and j share; the diagonal holds the
	// expected number of features of each item. It is exact, and panics where that
	// takes too long: for the DDIBP of more than MaxEnumeratedItems items.
	ExpectedSharing() [][]float64
	// Tracker returns the incremental form of the law, following the allocation
	// without features.
	Tracker() Tracker
}

// An Attraction is a Law in which near items share features: it has a temperature
// and, unless it treats all items alike, a permutation.
type Attraction interface {
	Law
	// Temperature returns the temperature, at least 0.
	Temperature() float64
	// Permutation returns a copy of the permutation, nil if the law has none.
	Permutation() []int
	// Affinity returns the distances and the decay.
	Affinity() *Affinity
	// With returns the law with another temperature and permutation. It panics
	// unless temperature is finite and at least 0 and perm holds each item once; a
	// law without a permutation ignores perm.
	With(temperature float64, perm []int) Attraction
}

// LogProb returns the log probability of the allocation z, the class of all
// matrices that differ from it in the order of columns only: paper (1) for the
// IBP, (7) for the AIBD. It is -Inf if z cannot occur, and panics if z is of
// another number of items.
func LogProb(law Law, z *feature.Allocation) float64 {
	if z.N() != law.N() {
		panic(fmt.Sprintf("prior: an allocation of %d items under a law over %d", z.N(), law.N()))
	}
	mass := law.Mass()
	sum := -mass*law.TotalIntensity() + float64(z.K())*math.Log(mass) - z.LogMultiplicities()
	if l, ok := law.(interface {
		sumLogIntensity(*feature.Allocation) float64
	}); ok {
		return sum + l.sumLogIntensity(z)
	}
	for k := range z.K() {
		sum += law.LogIntensity(z.Column(k))
	}
	return sum
}

// LogProbs returns LogProb of each allocation, computed on all cores.
func LogProbs(law Law, zs []*feature.Allocation) []float64 {
	logs := make([]float64, len(zs))
	parallel.Each(context.Background(), runtime.GOMAXPROCS(0), len(zs), func(i int) error { // which never fails
		logs[i] = LogProb(law, zs[i])
		return nil
	})
	return logs
}

// NumFeatures returns the log probabilities of 0 to most features: the number of
// features is Poisson(mass*H) under every law.
func NumFeatures(law Law, most int) []float64 {
	mean := law.Mass() * law.TotalIntensity()
	logs := make([]float64, most+1)
	for k := range logs {
		lg, _ := math.Lgamma(float64(k + 1))
		logs[k] = -mean - lg
		if k > 0 {
			logs[k] += float64(k) * math.Log(mean)
		}
	}
	return logs
}

// checkMass panics on a mass that no law has: laws from user input are made by
// constructors, which return errors.
func checkMass(mass float64) {
	if !(mass > 0) || math.IsInf(mass, 1) {
		panic(fmt.Sprintf("prior: mass %g is not positive and finite", mass))
	}
}

// validMass is checkMass for user input.
func validMass(mass float64) error {
	if !(mass > 0) || math.IsInf(mass, 1) {
		return fmt.Errorf("mass: found %g, expected a positive finite number", mass)
	}
	return nil
}

// ValidPermutation reports an error unless perm holds each of 0 to n-1 once.
// Messages count from one, as people do.
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

// Identity returns the permutation in which item p arrives at position p.
func Identity(n int) []int {
	perm := make([]int, n)
	for p := range perm {
		perm[p] = p
	}
	return perm
}
