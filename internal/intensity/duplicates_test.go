package intensity_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"aibd/feature"
	"aibd/internal/intensity"
	"aibd/prior"
	"aibd/similarity"
)

// duplicates returns an AIBD of n items, of which each group of some is at one place, so that
// they are infinitely similar, and an allocation that it draws.
func duplicates(t testing.TB, n, group int, decay similarity.Decay) (*prior.AIBD, *feature.Allocation) {
	t.Helper()
	rng := rand.New(rand.NewPCG(51, 52))
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i / group)
	}
	law, err := prior.NewAIBD(prior.NewAffinity(similarity.AbsDifference(x), decay), 2, 1.5, rng.Perm(n))
	if err != nil {
		t.Fatal(err)
	}
	return law, law.Rand(rng)
}

// counted is a decay that counts its calls.
type counted struct {
	similarity.Reciprocal
	calls *int
}

func (c counted) LogSimilarity(temperature, distance float64) float64 {
	*c.calls++
	return c.Reciprocal.LogSimilarity(temperature, distance)
}

// TestDuplicatesTakeTwoSimilaritiesAPair: a permutation, and all positions of an item, are
// weighed in O(N^2) where most similarities vanish beside those of items at one place.
func TestDuplicatesTakeTwoSimilaritiesAPair(t *testing.T) {
	for _, group := range []int{2, 8, 64} {
		calls := 0
		law, z := duplicates(t, 64, group, counted{calls: &calls})
		tr := intensity.Unwrap(law).Tracker().(intensity.Inserter)
		tr.Reset(z)
		weights, limit := make([]float64, 64), 2*64*64
		calls = 0
		tr.Insertions(7, weights)
		if calls > limit {
			t.Errorf("groups of %d: insertions found %d similarities, expected at most %d", group, calls, limit)
		}
		calls = 0
		tr.Propose(intensity.Temperatures{First: law.Temperature() / 2}, law.Permutation())
		if calls > limit {
			t.Errorf("groups of %d: a proposal found %d similarities, expected at most %d", group, calls, limit)
		}
	}
}

func BenchmarkDuplicates(b *testing.B) {
	for _, group := range []int{2, 15} {
		law, z := duplicates(b, 182, group, similarity.Reciprocal{})
		tr := intensity.Unwrap(law).Tracker().(intensity.Inserter)
		tr.Reset(z)
		weights := make([]float64, law.N())
		b.Run(fmt.Sprintf("insertions, groups of %d", group), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tr.Insertions(7, weights)
			}
		})
		b.Run(fmt.Sprintf("propose, groups of %d", group), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tr.Propose(intensity.Temperatures{First: law.Temperature() / 2}, law.Permutation())
			}
		})
	}
}
