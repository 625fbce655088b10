package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/feature"
	"aibd/internal/lists"
)

// Against the definition, with more features than a word has bits.
func TestSharing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	chains := make([][]*feature.Allocation, 2)
	for c := range chains {
		for range 12 {
			chains[c] = append(chains[c], randomZ(rng, 5, 90, 0.3))
		}
	}
	mean := Sharing(chains)
	for i := range 5 {
		for j := range 5 {
			counts := make([][]float64, 2)
			sum := 0.0
			for c := range chains {
				for _, z := range chains[c] {
					shared := z.RowSum(i)
					if i != j {
						shared = z.Shared(i, j)
					}
					counts[c] = append(counts[c], float64(shared))
					sum += float64(shared)
				}
			}
			mcse := SharingMCSE(chains, [][2]int{{i, j}})[0]
			if math.Abs(mean[i][j]-sum/24) > 1e-12 || math.Abs(mcse-MCSEMean(counts)) > 1e-12 {
				t.Errorf("items %d and %d: %v (%v), expected %v (%v)", i, j, mean[i][j], mcse, sum/24, MCSEMean(counts))
			}
		}
	}
}

func TestMeanSharing(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 1, 0}, {1, 1, 0}, {0, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	got := MeanSharing(z, [][][2]int{{{0, 1}}, {{0, 2}, {1, 0}}, nil})
	if got[0] != 2 || got[1] != 1.5 || !math.IsNaN(got[2]) {
		t.Errorf("%v, want 2, 1.5 and NaN", got)
	}
}

// Items along a line are found in their order or the reverse, which begins with the smaller
// index.
func TestByLikeness(t *testing.T) {
	place := []float64{3, 0, 5, 1, 4, 2}
	sharing := lists.Square(len(place))
	for i, a := range place {
		for j, b := range place {
			sharing[i][j] = math.Exp(-math.Abs(a - b))
		}
	}
	if got, want := ByLikeness(sharing), []int{1, 3, 5, 0, 4, 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for i := range sharing { // two groups, interleaved
		for j := range sharing {
			sharing[i][j] = float64(1 - (i+j)%2)
		}
	}
	if got, want := ByLikeness(sharing), []int{0, 2, 4, 1, 3, 5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := ByLikeness(lists.Square(2)); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("two items in the order %v", got)
	}
	if got := ByLikeness(lists.Square(4)); len(got) != 4 {
		t.Errorf("items that share nothing: %v", got)
	}
}
