package similarity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestNewEdges(t *testing.T) {
	s, err := NewEdges(4, []Edge{{2, 0, 1.5}, {0, 1, 2}, {1, 0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	if to, d, w := s.Row(0); !slices.Equal(to, []int32{1, 2}) || !slices.Equal(d, []float64{2, 1.5}) || w != nil {
		t.Errorf("row 0: %v %v %v", to, d, w)
	}
	if to, _, _ := s.Row(3); len(to) != 0 || s.N() != 4 || s.Len() != 4 || s.Median() != 1.75 {
		t.Errorf("row 3: %v, N %d, %d entries, median %v", to, s.N(), s.Len(), s.Median())
	}
	half, err := s.Shift(0.5).Per(2)
	if _, d, _ := half.Row(0); err != nil || !slices.Equal(d, []float64{1.25, 1}) {
		t.Errorf("%v, %v", d, err)
	}
	for _, c := range []struct {
		edges []Edge
		want  string
	}{
		{[]Edge{{0, 1, 1}, {0, 4, 1}}, "edge 2: found items 1 and 5, expected items from 1 to 4"},
		{[]Edge{{1, 1, 1}}, "edge 1: found item 2 twice, expected two items"},
		{[]Edge{{0, 1, -1}}, "edge 1: found -1, expected a number of at least 0"},
		{[]Edge{{0, 1, nan}}, "edge 1: found NaN, expected a number of at least 0"},
		{[]Edge{{0, 1, 1}, {1, 0, 2}}, "items 1 and 2: found distances 1 and 2, expected one"},
	} {
		if _, err := NewEdges(4, c.edges); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestNearest compares with a search of all pairs.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, k = 200, 5
	rows, lon, lat := make([][]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		rows[i] = []float64{rng.Float64(), rng.Float64(), rng.Float64()}
		lon[i], lat[i] = 360*rng.Float64()-180, 180*rng.Float64()-90
	}
	plane, err := NewPoints(rows)
	if err != nil {
		t.Fatal(err)
	}
	globe, err := NewPlaces(lon, lat)
	if err != nil {
		t.Fatal(err)
	}
	around, err := GreatCircle(lon, lat)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		points *Points
		dense  *Matrix
		cutoff float64
	}{{plane, Euclidean(rows), 0.25}, {globe, around, 2000}, {globe, around, 1e5}} {
		within, err := c.points.Within(c.cutoff)
		if err != nil {
			t.Fatal(err)
		}
		nearest := c.points.Nearest(k)
		rank := func(i, j int) int {
			r := 0
			for l := range n {
				if l != i && c.dense.At(i, l) < c.dense.At(i, j) {
					r++
				}
			}
			return r
		}
		for i := range n {
			var near, close []int32
			for j := range n {
				if j != i && (rank(i, j) < k || rank(j, i) < k) {
					near = append(near, int32(j))
				}
				if j != i && c.dense.At(i, j) <= c.cutoff {
					close = append(close, int32(j))
				}
			}
			to, d, _ := nearest.Row(i)
			if !slices.Equal(to, near) {
				t.Fatalf("item %d: nearest %v, want %v", i, to, near)
			}
			for x, j := range to {
				if d[x] != c.dense.At(i, int(j)) {
					t.Fatalf("items %d and %d: %v, want %v", i, j, d[x], c.dense.At(i, int(j)))
				}
			}
			if to, _, _ := within.Row(i); !slices.Equal(to, close) {
				t.Fatalf("item %d: within %v, want %v", i, to, close)
			}
		}
	}
}

// TestNearestOfEqual: many points at one place have k neighbours each all the same, and
// no tree of great depth.
func TestNearestOfEqual(t *testing.T) {
	rows := make([][]float64, 3000)
	for i := range rows {
		rows[i] = []float64{float64(i / 2900), 0}
	}
	p, err := NewPoints(rows)
	if err != nil {
		t.Fatal(err)
	}
	s := p.Nearest(3)
	for i := range rows {
		if to, _, _ := s.Row(i); len(to) < 3 {
			t.Fatalf("item %d has neighbours %v", i, to)
		}
	}
	few, err := NewPoints(rows[:2])
	if err != nil {
		t.Fatal(err)
	}
	if to, _, _ := few.Nearest(20).Row(1); !slices.Equal(to, []int32{0}) {
		t.Errorf("neighbours of the second of two: %v", to)
	}
}

// TestFar: the sum of similarities of an item estimates that over all others
// without bias, and near items stay exact.
func TestFar(t *testing.T) {
	const n, k, r = 30, 3, 6
	rows := make([][]float64, n)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range rows {
		rows[i] = []float64{rng.Float64(), rng.Float64()}
	}
	p, err := NewPoints(rows)
	if err != nil {
		t.Fatal(err)
	}
	near := p.Nearest(k)
	const seeds = 3000
	sums, want := make([]float64, n), make([]float64, n)
	for seed := range seeds {
		s := p.WithFar(near, r, uint64(seed))
		for i := range n {
			to, d, w := s.Row(i)
			total := 0.0
			for x, j := range to {
				sums[i] += w[x] * similarityAt(d[x]) / float64(seeds)
				total += w[x]
				if d[x] != p.At(i, int(j)) {
					t.Fatal("a far item at a wrong distance")
				}
			}
			near, _, _ := near.Row(i)
			if len(to) != len(near)+r || math.Abs(total-float64(n-1)) > 1e-9 {
				t.Fatalf("%d entries of item %d with weights that add to %v, want %d", len(to), i, total, n-1)
			}
		}
	}
	for i := range n {
		for j := range n {
			if j != i {
				want[i] += similarityAt(p.At(i, j))
			}
		}
		if diff := sums[i] - want[i]; diff > 0.04*want[i] || diff < -0.04*want[i] {
			t.Errorf("item %d: mean sum %v, want %v", i, sums[i], want[i])
		}
	}
}

// similarityAt is the exponential decay at temperature 3.
func similarityAt(d float64) float64 { return math.Exp(Exponential{}.LogSimilarity(3, d)) }
