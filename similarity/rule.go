package similarity

// Sparse matrices by a rule, and rows of points that arrive later.

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"aibd/internal/lists"
	"aibd/internal/permutation"
)

// A Rule says which entries a sparse matrix of distances between points has: those of near
// points, and those of far points that stand for all others.
type Rule struct {
	Neighbors int     // if above 0, near points come from Points.Nearest
	Cutoff    float64 // otherwise they come from Points.Within if it is above 0; none is near if both are 0
	Far       int     // see Points.WithFar
	Seed      uint64  // draws far points
}

// Edges returns the matrix of points. It returns the error of Points.Within.
func (r Rule) Edges(p *Points) (*Edges, error) {
	all, err := Union([]*Points{p}, []Rule{r})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Union returns the matrices of the same items at several distances, each with a rule, in space or not. Two items
// that are near by one of them have an entry in all. The first rule says which far points there are.
// Union returns the error of Points.Within.
func Union(points []*Points, rules []Rule) (SeveralEdges, error) {
	near, err := nearBy(points, rules)
	if err != nil {
		return nil, err
	}
	return united(points, near, rules[0]), nil
}

// nearBy returns the edges between near points by each distance.
func nearBy(points []*Points, rules []Rule) (near []*Edges, err error) {
	for m, r := range rules {
		edges, err := r.near(points[m])
		if err != nil {
			return nil, err
		}
		near = append(near, edges)
	}
	return near, nil
}

// united returns the matrices of Union.
func united(points []*Points, near []*Edges, far Rule) SeveralEdges {
	all := SeveralEdges{far.withFar(points[0], points[0].union(near))}
	for _, p := range points[1:] {
		all = append(all, p.measured(all[0]))
	}
	return all
}

func (r Rule) near(p *Points) (*Edges, error) {
	switch {
	case r.Neighbors > 0:
		return p.Nearest(r.Neighbors), nil
	case r.Cutoff > 0:
		return p.Within(r.Cutoff)
	}
	return fromEntries(p.N(), nil), nil
}

func (r Rule) withFar(p *Points, near *Edges) *Edges {
	if r.Far > 0 {
		near = p.WithFar(near, r.Far, r.Seed)
	}
	return near
}

// Arrivals adds points to the sparse matrices of others. The other points keep their rows.
type Arrivals struct {
	points []*Points // by distance
	rules  []Rule
	edges  SeveralEdges // of the first points
	reach  [][]float64  // by distance and first point: a new point is near if its distance is smaller
}

// NewArrivals returns the arrivals at the first n points of Union. The others are new. It returns the
// error of Points.Within.
func NewArrivals(points []*Points, n int, rules []Rule) (*Arrivals, error) {
	a := &Arrivals{points: points, rules: rules}
	first := lists.Of(points, func(p *Points) *Points { return &Points{at: p.at[:n], distance: p.distance, reach: p.reach} })
	near, err := nearBy(first, rules)
	if err != nil {
		return nil, err
	}
	a.edges = united(first, near, rules[0])
	for m, r := range rules {
		reach := slices.Repeat([]float64{math.Nextafter(r.Cutoff, math.Inf(1))}, n)
		for j := range reach {
			switch k := r.Neighbors; {
			case k > 0:
				_, distance, _ := near[m].Row(j)
				if reach[j] = math.Inf(1); len(distance) >= k {
					reach[j] = slices.Sorted(slices.Values(distance))[k-1]
				}
			case r.Cutoff == 0:
				reach[j] = 0
			}
		}
		a.reach = append(a.reach, reach)
	}
	return a, nil
}

// With returns the matrices of the first points and new point i, as their last item. Its near
// points are those that the rules give it among all these. Its far points are drawn for it alone.
// It panics unless point i is new.
func (a *Arrivals) With(i int) SeveralEdges {
	n := a.edges.N()
	if i < n || i >= a.points[0].N() {
		panic(fmt.Sprintf("similarity: point %d, expected a new one from %d to %d", i, n, a.points[0].N()-1))
	}
	isNear, near := make([]bool, n), 0
	distances := make([][]float64, len(a.points))
	for m, p := range a.points {
		distance := make([]float64, n)
		for j := range distance {
			distance[j] = p.At(i, j)
			isNear[j] = isNear[j] || distance[j] < a.reach[m][j]
		}
		if k := a.rules[m].Neighbors; k > 0 {
			order := permutation.Identity(n)
			slices.SortFunc(order, func(x, y int) int { return cmp.Or(cmp.Compare(distance[x], distance[y]), x-y) })
			for _, j := range order[:min(k, n)] {
				isNear[j] = true
			}
		}
		distances[m] = distance
	}
	weight := make([]float64, n) // 0: no entry
	for j, is := range isNear {
		if is {
			weight[j] = 1
			near++
		}
	}
	var far []int
	if r := a.rules[0]; r.Far > 0 {
		far = drawFar(rand.New(rand.NewPCG(r.Seed, uint64(i-n+1))), isNear, n-near, r.Far)
	}
	for _, j := range far {
		weight[j] = float64(n-near) / float64(len(far))
	}
	var all SeveralEdges
	for m, edges := range a.edges {
		all = append(all, edges.appended(distances[m], weight))
	}
	return all
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
