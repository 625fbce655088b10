package collapsed_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"aibd/internal/collapsed"
)

// BenchmarkUnknownInColumn measures a draw of the unknown cells of a column and the likelihood, of
// 2,000 items with 20 features: fewer unknown cells than features, by cells, and more, by loadings.
func BenchmarkUnknownInColumn(b *testing.B) {
	for _, unknown := range []int{15, 25, 200, 1000} {
		b.Run(fmt.Sprint(unknown), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(14, 4))
			z, x := collapsed.RandomZ(rng, 2000, 20, 0.2), collapsed.RandomX(rng, 2000, 1)
			for i := range unknown {
				x[2*i][0] = math.NaN()
			}
			data, err := collapsed.NewData(x)
			if err != nil {
				b.Fatal(err)
			}
			var c collapsed.Cells
			current, scales := data.Detach(), collapsed.Scales{SigmaX: 0.5, SigmaA: 1}
			for b.Loop() {
				c.Reset(data, z, scales)
				c.Draw(rng, current)
				collapsed.LogLik(current, z, scales)
			}
		})
	}
}
