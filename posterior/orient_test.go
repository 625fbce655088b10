package posterior

import (
	"math/rand/v2"
	"testing"

	"aibd/draws"
	"aibd/feature"
)

// Draws of which features are complements are oriented like the draw of largest density, and
// columns of all items stay.
func TestOrient(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 1))
	for _, n := range []int{7, 64, 70} {
		z := randomZ(rng, n, 3, 0.4)
		ones := feature.New(n)
		ones.Append()
		for i := range n {
			ones.Flip(i, 0)
		}
		z.AppendColumn(ones.Column(0))
		from := []*draws.Draw{{Z: z, LogLik: -1, LogPrior: -1}}
		for flips := range 8 {
			other := feature.New(n)
			for k := range z.K() {
				other.AppendColumn(z.Column(k))
				for i := range n {
					if k < 3 && flips>>k&1 == 1 {
						other.Flip(i, k)
					}
				}
			}
			from = append(from, &draws.Draw{Z: other, LogLik: -2, LogPrior: -1, SigmaX: 3})
		}
		before := from[8].Z.String()
		for t2, d := range Orient(from) {
			if !d.Z.Equal(z) || t2 > 0 && d.SigmaX != 3 {
				t.Errorf("%d items: found draw %d\n%v\nexpected\n%v", n, t2, d.Z, z)
			}
		}
		if from[8].Z.String() != before {
			t.Error("the draws themselves are changed")
		}
	}
}
