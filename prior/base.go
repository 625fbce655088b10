package prior

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"aibd/feature"
	"aibd/internal/intensity"
	"aibd/internal/lists"
)

// base has the methods that all laws share.
type base struct{ law intensity.Law }

// N returns the number of items.
func (l base) N() int { return l.law.N() }

// Mass returns the mass parameter.
func (l base) Mass() float64 { return l.law.Mass() }

// LogIntensity returns log nu of a column given as a bitset over the items, -Inf if it cannot occur.
func (l base) LogIntensity(column []uint64) float64 { return l.law.LogIntensity(column) }

// TotalIntensity returns H, the sum of nu over all columns.
func (l base) TotalIntensity() float64 { return l.law.TotalIntensity() }

// Rand draws an allocation by the generative process.
func (l base) Rand(rng *rand.Rand) *feature.Allocation { return l.law.Rand(rng) }

func (l base) machinery() intensity.Law { return l.law }

// attracted has the methods that all laws with distances share.
type attracted struct {
	base
	with     intensity.Attracted // the law
	affinity *Affinity
}

func newAttracted(law intensity.Attracted, affinity *Affinity) attracted {
	return attracted{base{law}, law, affinity}
}

// Temperature returns the temperature, of several distances that of the first.
func (l attracted) Temperature() float64 { return l.with.Temperatures().First }

// FurtherTemperatures returns a copy of the temperatures of the distances after the first.
func (l attracted) FurtherTemperatures() []float64 { return slices.Clone(l.with.Temperatures().Tail) }

// temperatures returns the temperatures of the law with another one of the first distance.
func (l attracted) temperatures(temperature float64) intensity.Temperatures {
	return intensity.Temperatures{First: temperature, Tail: l.with.Temperatures().Tail}
}

// withTail returns the temperatures of the law with others of the distances after the first.
func (l attracted) withTail(temperatures []float64) intensity.Temperatures {
	return intensity.Temperatures{First: l.Temperature(), Tail: temperatures}
}

// Permutation returns a copy of the permutation, nil if the law has none.
func (l attracted) Permutation() []int { return l.with.Permutation() }

// Affinity returns the distances and the decay.
func (l attracted) Affinity() *Affinity { return l.affinity }

// String describes the law in one line.
func (l attracted) String() string { return l.with.String() }

// arriving has the methods of the laws in which items arrive in the order of a permutation.
type arriving struct {
	attracted
	law *intensity.Sequential
}

func newArriving(law *intensity.Sequential, affinity *Affinity) arriving {
	return arriving{newAttracted(law, affinity), law}
}

// as returns a law of the kind that law is, the AIBD or the sequential dd-IBP.
func (l arriving) as(law *intensity.Sequential) Attraction {
	if law.Self() {
		return &SequentialDDIBP{newArriving(law, l.affinity)}
	}
	return &AIBD{newArriving(law, l.affinity)}
}

// WithMass returns the law with another mass.
func (l arriving) WithMass(mass float64) Law { return l.as(l.law.WithMass(mass)) }

// With returns the law with another temperature and permutation.
func (l arriving) With(temperature float64, perm []int) Attraction {
	return l.as(l.law.With(l.temperatures(temperature), perm))
}

// WithFurtherTemperatures returns the law with other temperatures of the distances after the first.
func (l arriving) WithFurtherTemperatures(temperatures []float64) Attraction {
	return l.as(l.law.With(l.withTail(temperatures), l.Permutation()))
}

// ExpectedSharing returns the exact expected sharing under the permutation, in
// O(N^3).
func (l arriving) ExpectedSharing() [][]float64 { return l.law.ExpectedSharing() }

// MaxEnumeratedItems is the max number of items for which ExpectedSharing of the DDIBP and of a law of
// NewLaw adds over all sets of items.
const MaxEnumeratedItems = 16

// enumerated returns the exact expected sharing, by summation over all 2^N - 1 columns.
func enumerated(l Law) [][]float64 {
	n := l.N()
	if n > MaxEnumeratedItems {
		panic(fmt.Sprintf("prior: exact expected sharing for %d items, at most %d under this law", n, MaxEnumeratedItems))
	}
	s := lists.Square(n)
	var members []int
	for c := uint64(1); c < 1<<n; c++ {
		column := []uint64{c}
		nu := l.Mass() * math.Exp(l.LogIntensity(column))
		members = feature.Members(members[:0], column)
		for _, i := range members {
			for _, j := range members {
				s[i][j] += nu
			}
		}
	}
	return s
}
