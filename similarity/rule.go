package similarity

// Sparse matrices by a rule, and rows of points that arrive later.

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"aibd/internal/permutation"
)

// A Rule says which entries a sparse matrix of distances between points has: those of near
// points, and those of far points that stand for all others.
type Rule struct {
	Neighbors int     // if above 0, near points come from Points.Nearest
	Cutoff    float64 // if Neighbors is 0, near points come from Points.Within
	Far       int     // see Points.WithFar
	Landmarks int     // see Points.WithLandmarks; all points if there are fewer
	Seed      uint64  // draws far points and landmarks
}

// Edges returns the matrix of points. It returns the error of Points.Within.
func (r Rule) Edges(p *Points) (*Edges, error) {
	near, err := r.near(p)
	if err != nil {
		return nil, err
	}
	return r.withFar(p, near), nil
}

func (r Rule) near(p *Points) (*Edges, error) {
	if r.Neighbors > 0 {
		return p.Nearest(r.Neighbors), nil
	}
	return p.Within(r.Cutoff)
}

func (r Rule) withFar(p *Points, near *Edges) *Edges {
	if r.Far > 0 {
		near = p.WithFar(near, r.Far, r.Seed)
	}
	if l := min(r.Landmarks, p.N()); l > 0 {
		near = p.WithLandmarks(near, l, r.Seed)
	}
	return near
}

// Arrivals adds points to the sparse matrix of others. The other points keep their rows.
type Arrivals struct {
	rule   Rule
	points *Points
	edges  *Edges    // of the first points
	reach  []float64 // by first point: a new point is near if its distance is smaller
}

// NewArrivals returns the arrivals at the first n points. The others are new. It returns the
// error of Points.Within.
func NewArrivals(p *Points, n int, r Rule) (*Arrivals, error) {
	first := &Points{at: p.at[:n], distance: p.distance, reach: p.reach}
	near, err := r.near(first)
	if err != nil {
		return nil, err
	}
	a := &Arrivals{rule: r, points: p, edges: r.withFar(first, near), reach: make([]float64, n)}
	for j := range n {
		a.reach[j] = math.Nextafter(r.Cutoff, math.Inf(1))
		if k := r.Neighbors; k > 0 {
			_, distance, _ := near.Row(j)
			if a.reach[j] = math.Inf(1); len(distance) >= k {
				a.reach[j] = slices.Sorted(slices.Values(distance))[k-1]
			}
		}
	}
	return a, nil
}

// With returns the matrix of the first points and new point i, as their last item. Its near
// points are those that the rule gives it among all these. Its far points are drawn for it alone.
// It has the landmarks of the first points. It panics unless point i is new.
func (a *Arrivals) With(i int) *Edges {
	n := a.edges.N()
	if i < n || i >= a.points.N() {
		panic(fmt.Sprintf("similarity: point %d, expected a new one from %d to %d", i, n, a.points.N()-1))
	}
	distance := make([]float64, n)
	for j := range distance {
		distance[j] = a.points.Distance(i, j)
	}
	isNear, near := make([]bool, n), 0
	for j, d := range distance {
		isNear[j] = d < a.reach[j]
	}
	if k := a.rule.Neighbors; k > 0 {
		order := permutation.Identity(n)
		slices.SortFunc(order, func(x, y int) int { return cmp.Or(cmp.Compare(distance[x], distance[y]), x-y) })
		for _, j := range order[:min(k, n)] {
			isNear[j] = true
		}
	}
	weight := make([]float64, n) // 0: no entry
	for j, is := range isNear {
		if is {
			weight[j] = 1
			near++
		}
	}
	var far []int
	switch r := a.rule; {
	case r.Far > 0:
		far = drawFar(rand.New(rand.NewPCG(r.Seed, uint64(i-n+1))), isNear, n-near, r.Far)
	case r.Landmarks > 0:
		far = slices.DeleteFunc(landmarks(n, min(r.Landmarks, n), r.Seed), func(j int) bool { return isNear[j] })
	}
	for _, j := range far {
		weight[j] = float64(n-near) / float64(len(far))
	}
	return a.edges.appended(distance, weight)
}

// drawFar draws up to r items without replacement among those that are not taken, which are
// the given number. It notes them as taken.
func drawFar(rng *rand.Rand, taken []bool, others, r int) []int {
	far := make([]int, min(r, others))
	for e := range far {
		j := rng.IntN(len(taken))
		for taken[j] {
			j = rng.IntN(len(taken))
		}
		taken[j], far[e] = true, j
	}
	return far
}

// landmarks draws r of n items, ascending.
func landmarks(n, r int, seed uint64) []int {
	l := rand.New(rand.NewPCG(seed, 0)).Perm(n)[:r]
	slices.Sort(l)
	return l
}

// appended returns the matrix with a further row: entries for the items whose weight is not 0.
func (s *Edges) appended(distance, weight []float64) *Edges {
	t := &Edges{start: slices.Clone(s.start), to: slices.Clone(s.to), distance: slices.Clone(s.distance), weight: slices.Clone(s.weight)}
	if t.weight == nil {
		t.weight = slices.Repeat([]float64{1}, len(t.to))
	}
	for j, w := range weight {
		if w != 0 {
			t.to, t.distance, t.weight = append(t.to, int32(j)), append(t.distance, distance[j]), append(t.weight, w)
		}
	}
	t.start = append(t.start, len(t.to))
	return t
}
