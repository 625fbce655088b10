package similarity

// Sparse matrices of near points.

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/spatial/kdtree"
)

// Points are items in a space with a distance, for sparse matrices of near ones.
type Points struct {
	at       []*point
	distance func(i, j int) float64
	reach    func(distance float64) float64 // from a distance to that of coordinates
	tree     *kdtree.Tree
}

// point is an item with coordinates whose Euclidean distances grow with those of the items.
type point struct {
	item int32
	x    []float64
}

// NewPoints returns points with Euclidean distances, from one row of covariates for each.
// Scale columns in different units first. It returns an error, counting rows from one, if the
// rows differ in length or a value is not finite.
func NewPoints(rows [][]float64) (*Points, error) {
	p := &Points{
		distance: func(i, j int) float64 { return floats.Distance(rows[i], rows[j], 2) },
		reach:    func(d float64) float64 { return d },
	}
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return nil, fmt.Errorf("row %d: found %d covariates, expected %d", i+1, len(row), len(rows[0]))
		}
		for _, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("row %d: found %v, expected a finite number", i+1, v)
			}
		}
		p.at = append(p.at, &point{int32(i), row})
	}
	return p, nil
}

// NewPlaces returns points on the Earth with the distances of GreatCircle, and its errors.
func NewPlaces(lon, lat []float64) (*Points, error) {
	if err := validPlaces(lon, lat); err != nil {
		return nil, err
	}
	p := &Points{
		distance: func(i, j int) float64 { return arc(lon, lat, i, j) },
		// Of the chord of an arc.
		reach: func(d float64) float64 { return 2 * math.Sin(min(d/EarthRadius, math.Pi)/2) },
	}
	for i := range lon {
		sinLon, cosLon := math.Sincos(lon[i] * radian)
		sinLat, cosLat := math.Sincos(lat[i] * radian)
		p.at = append(p.at, &point{int32(i), []float64{cosLat * cosLon, cosLat * sinLon, sinLat}})
	}
	return p, nil
}

// NewLabels returns items with the distances of Same. The items have no coordinates: Nearest and Within panic.
func NewLabels[L comparable](labels []L) *Points { return apart(len(labels), same(labels)) }

// NewCycle returns items with the distances of Cyclic, and panics as Cyclic does. Nearest and Within panic, as with
// NewLabels.
func NewCycle(x []float64, period float64) *Points { return apart(len(x), around(x, period)) }

// apart returns n items with distances and without coordinates.
func apart(n int, distance func(i, j int) float64) *Points {
	return &Points{at: make([]*point, n), distance: distance}
}

// N returns the number of points.
func (p *Points) N() int { return len(p.at) }

// At returns the distance of points i and j.
func (p *Points) At(i, j int) float64 { return p.distance(i, j) }

// Nearest returns the edges between points of which one is among the k nearest of the other.
// Among points at the same distance the search in the tree decides. It panics if k < 1.
func (p *Points) Nearest(k int) *Edges {
	if k < 1 {
		panic(fmt.Sprintf("similarity: %d neighbours, expected at least 1", k))
	}
	p.plant()
	var entries []entry
	for _, at := range p.at {
		keeper := kdtree.NewNKeeper(min(k, p.N()-1) + 1)
		p.tree.NearestSet(keeper, at)
		found := 0
		for _, near := range keeper.Heap { // ascending
			if near.Comparable == nil || near.Comparable.(*point) == at || found == k {
				continue
			}
			found++
			entries = p.join(entries, at.item, near.Comparable.(*point).item)
		}
	}
	return fromEntries(p.N(), entries)
}

// maxEntries bounds the entries of a sparse matrix.
const maxEntries = 1 << 28

// union returns the edges that are in one of several matrices, with the distances of p.
func (p *Points) union(all []*Edges) *Edges {
	if len(all) == 1 {
		return all[0]
	}
	var entries []entry
	for _, edges := range all {
		for i := range p.N() {
			to, _, _ := edges.Row(i)
			for _, j := range to {
				entries = append(entries, entry{int32(i), j, p.At(max(i, int(j)), min(i, int(j))), 1})
			}
		}
	}
	return fromEntries(p.N(), entries)
}

// measured returns the entries of edges with the distances of p.
func (p *Points) measured(edges *Edges) *Edges {
	t := *edges
	t.distance = make([]float64, len(t.to))
	for i := range p.N() {
		for e := t.start[i]; e < t.start[i+1]; e++ {
			j := int(t.to[e])
			t.distance[e] = p.At(max(i, j), min(i, j))
		}
	}
	return &t
}

// Within returns the edges between points at most a distance apart. It returns an error if
// there are more than 2^27 such pairs.
func (p *Points) Within(distance float64) (*Edges, error) {
	p.plant()
	reach := p.reach(distance)
	var entries []entry
	for _, at := range p.at {
		keeper := kdtree.NewDistKeeper(reach * reach * (1 + 1e-9))
		p.tree.NearestSet(keeper, at)
		for _, near := range keeper.Heap {
			if near.Comparable == nil || near.Comparable.(*point).item >= at.item {
				continue
			}
			if j := near.Comparable.(*point).item; p.At(int(at.item), int(j)) <= distance {
				entries = p.join(entries, at.item, j)
			}
		}
		if len(entries) > maxEntries {
			return nil, fmt.Errorf("found more than %d pairs of items at most %v apart, expected fewer: choose a smaller distance", maxEntries/2, distance)
		}
	}
	return fromEntries(p.N(), entries), nil
}

// join appends the entries of an edge.
func (p *Points) join(entries []entry, i, j int32) []entry {
	d := p.At(int(max(i, j)), int(min(i, j)))
	return append(entries, entry{i, j, d, 1}, entry{j, i, d, 1})
}

// WithFar returns edges with r further entries for each item i: those of items drawn by the seed,
// without replacement, among all that i has no edge to, for which they stand. An entry has the
// true distance, and as weight the number of these items over r, so that the sum of similarities
// of item i is exact for the near ones and estimated without bias for the far ones. The matrix is
// not symmetric. It panics if r is negative.
func (p *Points) WithFar(edges *Edges, r int, seed uint64) *Edges {
	if r < 0 {
		panic(fmt.Sprintf("similarity: %d far items", r))
	}
	rng, taken := rand.New(rand.NewPCG(seed, 0)), make([]bool, p.N())
	n := p.N()
	var entries []entry
	for i := range n {
		to, distance, _ := edges.Row(i)
		for k, j := range to {
			entries = append(entries, entry{int32(i), j, distance[k], 1})
		}
		mark := func(is bool) {
			taken[i] = is
			for _, j := range to {
				taken[j] = is
			}
		}
		mark(true)
		far := drawFar(rng, taken, n-1-len(to), r)
		mark(false)
		weight := float64(n-1-len(to)) / float64(len(far))
		for _, j := range far {
			taken[j] = false
			entries = append(entries, entry{int32(i), int32(j), p.At(max(i, j), min(i, j)), weight})
		}
	}
	return fromEntries(n, entries)
}

// plant makes the tree.
func (p *Points) plant() {
	if p.tree == nil {
		p.tree = kdtree.New(forest(slices.Clone(p.at)), false)
	}
}

// forest is a list of points from which a tree is made.
type forest []*point

func (f forest) Index(i int) kdtree.Comparable         { return f[i] }
func (f forest) Len() int                              { return len(f) }
func (f forest) Slice(start, end int) kdtree.Interface { return f[start:end] }

// Pivot sorts the points by a coordinate, and equal ones by their numbers, so that the same
// points give the same tree.
func (f forest) Pivot(d kdtree.Dim) int {
	slices.SortFunc(f, func(a, b *point) int { return cmp.Or(cmp.Compare(a.x[d], b.x[d]), int(a.item-b.item)) })
	return len(f) / 2
}

// Compare, Dims and Distance make a point a kdtree.Comparable.
func (a *point) Compare(c kdtree.Comparable, d kdtree.Dim) float64 { return a.x[d] - c.(*point).x[d] }
func (a *point) Dims() int                                         { return len(a.x) }
func (a *point) Distance(c kdtree.Comparable) float64 {
	sum := 0.0
	for d, v := range c.(*point).x {
		sum += (a.x[d] - v) * (a.x[d] - v)
	}
	return sum
}
