package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
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
	mean, mcse := Sharing(chains)
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
			if math.Abs(mean[i][j]-sum/24) > 1e-12 || math.Abs(mcse[i][j]-MCSEMean(counts)) > 1e-12 {
				t.Errorf("items %d and %d: %v (%v), expected %v (%v)", i, j, mean[i][j], mcse[i][j], sum/24, MCSEMean(counts))
			}
		}
	}
}
