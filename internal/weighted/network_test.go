package weighted

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

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
		neighbors := g.neighbors[g.start[a]:g.start[a+1]]
		if len(neighbors) > 1+p.Neighbors || len(neighbors) < min(a, 1+p.Neighbors) {
			t.Errorf("node %d: found %d neighbors", a, len(neighbors))
		}
		for x, b := range neighbors {
			for y, c := range neighbors[:x] {
				pair := g.pair[int(g.pairs[a])+x*(x-1)/2+y]
				if parents := g.neighbors[g.start[b]:g.start[b+1]]; parents[pair] != c {
					t.Fatalf("node %d: neighbors %d and %d are no neighbors of each other", a, b, c)
				}
			}
		}
		for b := 1; b <= a; b++ {
			i, j := int(g.item[a]), int(g.item[b])
			difference := math.Abs(implied.At(i, j) - exact.At(i, j))
			if a == b || slices.Contains(neighbors, int32(b)) {
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

// The neighbors of a node are those that a search by the definition finds, among places, whose distances have bounds, and
// of two distances, which have none.
func TestNeighbors(t *testing.T) {
	const n, neighbors = 80, 4
	rng := rand.New(rand.NewPCG(2, 1))
	lon, lat, rows := make([]float64, n), make([]float64, n), make([][]float64, n)
	for i := range n {
		lon[i], lat[i], rows[i] = 3*rng.Float64(), 50+2*rng.Float64(), []float64{rng.Float64()}
		if i%5 == 4 { // ties
			lon[i], lat[i] = lon[i-1], lat[i-1]
		}
	}
	places, err := similarity.NewPlaces(lon, lat)
	if err != nil {
		t.Fatal(err)
	}
	points, err := similarity.NewPoints(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, near := range [][]Component{{{places, 0.001, 0.5}}, {{places, 0.001, 0.5}, {points, 0.5, 20}}, {{similarity.Alike(points), 0, 0}}} {
		p := &Prior{Near: near, Neighbors: neighbors}
		p.Prepare(n - 2)
		p = p.With(near).With(near)
		g, s := p.network, p.Start()
		correlation := func(a, b int32) (sum float64) {
			i, j := int(g.item[a]), int(g.item[b])
			for m, c := range near {
				sum += s.Shares[1+m] * c.correlation(c.Distances.At(max(i, j), min(i, j)), s.Rates[m])
			}
			return sum
		}
		first := func(a int32, sorted []int32, count int) []int32 {
			slices.SortStableFunc(sorted, func(x, y int32) int { return cmp.Compare(correlation(a, y), correlation(a, x)) })
			return sorted[:min(count, len(sorted))]
		}
		c := newConditioner(g, p)
		for a := int32(1); a <= n; a++ {
			var earlier, best []int32
			for b := int32(1); b < a; b++ {
				earlier = append(earlier, b)
			}
			least := math.Inf(1)
			c.findClosest(a)
			for e, parent := range first(a, earlier, candidates) {
				if got := c.closest[e].node; got != parent {
					t.Fatalf("%d distances, node %d: found candidate %d, expected %d", len(near), a, got, parent)
				}
				clique := append([]int32{parent}, g.neighbors[g.start[parent]+1:g.start[parent+1]]...)
				clique = first(a, clique, neighbors)
				size := len(clique)
				c, v := mat.NewSymDense(size, nil), mat.NewVecDense(size, nil)
				for x, b := range clique {
					c.SetSym(x, x, 1)
					v.SetVec(x, correlation(a, b))
					for y, d := range clique[:x] {
						c.SetSym(x, y, correlation(b, d))
					}
				}
				var root mat.Cholesky
				var solved mat.VecDense
				if !root.Factorize(c) {
					t.Fatal("no factor")
				}
				if err := root.SolveVecTo(&solved, v); err != nil {
					t.Fatal(err)
				}
				if residual := 1 - mat.Dot(v, &solved); residual < least-1e-12 {
					least, best = residual, clique
				}
			}
			slices.Sort(best)
			if got := g.neighbors[g.start[a]+1 : g.start[a+1]]; !slices.Equal(got, best) {
				t.Fatalf("%d distances, node %d: found neighbors %v, expected %v", len(near), a, got, best)
			}
		}
	}
}
