package weighted

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/similarity"
)

// Neighbors of a node are neighbors of each other, and the covariances of the approximation are those of C among them.
// With nearest items as neighbors neither would hold.
func TestNetwork(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(1, 1))
	rows, items := make([][]float64, n), make([]int, n)
	for i := range rows {
		rows[i], items[i] = []float64{rng.Float64(), rng.Float64()}, i
	}
	points, err := similarity.NewPoints(rows)
	if err != nil {
		t.Fatal(err)
	}
	p := &Prior{Near: []Component{{points, 0.5, 20}}, Neighbors: 5}
	p.Prepare(n - 3)
	for range 3 {
		p = p.With(p.Near)
	}
	g, s := p.network, Shares{[]float64{0.2, 0.7}, []float64{2}}
	implied, exact := p.dense(s, items), p.exact(s, items)
	other := 0.0
	for a := 1; a <= n; a++ {
		mine := g.to[g.start[a]:g.start[a+1]]
		if len(mine) > 1+p.Neighbors || len(mine) < min(a, 1+p.Neighbors) {
			t.Errorf("node %d: found %d neighbors", a, len(mine))
		}
		for x, b := range mine {
			for y, c := range mine[:x] {
				pair := g.pair[int(g.pairs[a])+x*(x-1)/2+y]
				if of := g.to[g.start[b]:g.start[b+1]]; of[pair] != c {
					t.Fatalf("node %d: neighbors %d and %d are no neighbors of each other", a, b, c)
				}
			}
		}
		for b := 1; b <= a; b++ {
			i, j := int(g.item[a]), int(g.item[b])
			difference := math.Abs(implied.At(i, j) - exact.At(i, j))
			if a == b || slices.Contains(mine, int32(b)) {
				if difference > 1e-12 {
					t.Errorf("nodes %d and %d: found covariance %v, expected %v", a, b, implied.At(i, j), exact.At(i, j))
				}
			} else {
				other = max(other, difference)
			}
		}
	}
	if !(other > 1e-3 && other < 0.5) {
		t.Errorf("other pairs differ by up to %v, expected an approximation", other)
	}
	for i := n - 3; i < n; i++ {
		if g.node[i] != int32(i+1) {
			t.Errorf("item %d: found node %d, expected it last", i, g.node[i])
		}
	}
}
