// Package prior has the laws over feature allocations: the Indian buffet
// process (IBP), the attraction Indian buffet distribution (AIBD) and the distance
// dependent Indian buffet process (dd-IBP), with their pmf, exact moments and draws.
//
// All laws have one form. The number of columns equal to z is
// Poisson(mass * nu(z)), independently over the non-empty sets z of items, so
// that
//
//	log p(Z) = -mass*H + K log mass + sum_k log nu(z_k) - sum_z log n_z!
//
// with H = sum_z nu(z) and n_z the number of columns equal to z. Its
// intensity nu and their sum H determine a law. The number of features is
// Poisson(mass*H), and the mass given Z under a gamma(a, rate b) prior is
// gamma(a+K, rate b+H).
//
// Warr, Dahl, Meyer and Lui, "The Attraction Indian Buffet Distribution"
// (Bayesian Analysis), is "the paper" in the comments.
package prior

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/intensity"
	"aibd/internal/permutation"
	"aibd/similarity"
)

// A Law is a distribution over feature allocations of N items. Laws are
// immutable and safe for concurrent use. Package prior makes them; NewLaw makes one of any intensity.
type Law interface {
	// N returns the number of items.
	N() int
	// Mass returns the mass parameter, positive.
	Mass() float64
	// WithMass returns the same law with another mass. It panics unless mass is
	// positive and finite.
	WithMass(mass float64) Law
	// LogIntensity returns log nu of a column given as a bitset over the items (see
	// feature.Allocation.Column); -Inf if such a column cannot occur.
	LogIntensity(column []uint64) float64
	// TotalIntensity returns H, the sum of nu over all columns.
	TotalIntensity() float64
	// Rand draws an allocation. The order of its columns carries no meaning. It
	// panics if more than 1e8 features are expected.
	Rand(rng *rand.Rand) *feature.Allocation
	// ExpectedSharing returns the N x N matrix whose entry (i, j) is the expected
	// number of features that items i and j share; the diagonal holds the
	// expected number of features of each item. It is exact, and panics where that
	// takes too long: for the DDIBP, and a law of NewLaw, of more than MaxEnumeratedItems items.
	ExpectedSharing() [][]float64

	machinery() intensity.Law
}

// An Attraction is a Law in which near items share features: it has a temperature
// and, unless it treats all items alike, a permutation.
type Attraction interface {
	Law
	// Temperature returns the temperature, at least 0, of several distances that of the first.
	Temperature() float64
	// FurtherTemperatures returns a copy of the temperatures of the distances after the first, nil if
	// there is one distance.
	FurtherTemperatures() []float64
	// Permutation returns a copy of the permutation, nil if the law has none.
	Permutation() []int
	// Affinity returns the distances and the decay.
	Affinity() *Affinity
	// With returns the law with another temperature and permutation. It panics
	// unless temperature is finite and at least 0 and perm holds each item once; a
	// law without a permutation ignores perm. The temperatures of the distances after the
	// first stay.
	With(temperature float64, perm []int) Attraction
	// WithFurtherTemperatures returns the law with other temperatures of the distances after the first.
	// It panics unless there is one for each, finite and at least 0.
	WithFurtherTemperatures(temperatures []float64) Attraction
}

func init() { intensity.Unwrap = func(law any) intensity.Law { return law.(Law).machinery() } }

// LogProb returns the log probability of the allocation z, the class of all
// matrices that differ from it in the order of columns only: paper (1) for the
// IBP, (7) for the AIBD. It is -Inf if z cannot occur. LogProb panics if z has another
// number of items than the law.
func LogProb(law Law, z *feature.Allocation) float64 {
	if z.N() != law.N() {
		panic(fmt.Sprintf("prior: an allocation of %d items under a law of %d", z.N(), law.N()))
	}
	if hasEmpty(z) {
		return math.Inf(-1)
	}
	mass := law.Mass()
	return -mass*law.TotalIntensity() + float64(z.K())*math.Log(mass) - z.LogMultiplicities() + law.machinery().SumLogIntensity(z)
}

// hasEmpty reports whether no item has one of the features.
func hasEmpty(z *feature.Allocation) bool {
	for k := range z.K() {
		if z.Size(k) == 0 {
			return true
		}
	}
	return false
}

// NumFeatures returns the log probabilities of 0 to maxK features: the number of
// features is Poisson(mass*H) under every law.
func NumFeatures(law Law, maxK int) []float64 {
	mean := law.Mass() * law.TotalIntensity()
	logs := make([]float64, maxK+1)
	for k := range logs {
		lg, _ := math.Lgamma(float64(k + 1))
		logs[k] = -mean - lg
		if k > 0 {
			logs[k] += float64(k) * math.Log(mean)
		}
	}
	return logs
}

// Identity returns the permutation in which item p arrives at position p.
func Identity(n int) []int { return permutation.Identity(n) }

// Affinity is how much each item attracts each other one: pairwise distances
// and the decays that turn them into similarities at temperatures. It is
// immutable and shared by the laws made from it.
type Affinity struct{ affinity *intensity.Affinity }

// NewAffinity prepares distances and a decay. It panics if the decay gives an
// exponent that is not a number, as a negative shift does. The distances need not be
// symmetric: row i, column j is how far the arriving item i is from the earlier
// item j. Several distances (similarity.Several) have a decay each, or one for all; NewAffinity panics under another number of decays, and unless all
// distances have the same number of items. Laws are made with all their temperatures equal.
func NewAffinity(distances similarity.Distances, decays ...similarity.Decay) *Affinity {
	return &Affinity{intensity.NewAffinity(distances, decays...)}
}

// N returns the number of items.
func (a *Affinity) N() int { return a.affinity.N() }

// temperatures returns a temperature for each distance, all equal.
func (a *Affinity) temperatures(temperature float64) intensity.Temperatures {
	t := intensity.Temperatures{First: temperature}
	for len(t.Tail)+1 < a.Count() {
		t.Tail = append(t.Tail, temperature)
	}
	return t
}

// Several returns the distances, one or more.
func (a *Affinity) Several() similarity.Several { return a.affinity.Several() }

// Count returns the number of distances.
func (a *Affinity) Count() int { return len(a.Several()) }

// Distance returns distance m, which is numbered from zero.
func (a *Affinity) Distance(m int) *similarity.Matrix { return a.Several()[m] }

// Decay returns the decay of distance m, which is numbered from zero.
func (a *Affinity) Decay(m int) similarity.Decay { return a.affinity.Decay(m) }
