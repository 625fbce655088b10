package similarity

// Sparse matrices of distances.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Edges is a sparse N x N matrix of distances (or of similarities, with the decay Given): the
// entry (i, j), if there is one, is the distance from the arriving item i to the earlier item
// j. An item gives nothing to items that have no entry for it. The matrix need not be
// symmetric. Edges are immutable and take 12 bytes for each entry, 20 with weights.
type Edges struct {
	start    []int   // entries of item i are start[i] to start[i+1]
	to       []int32 // ascending within an item
	distance []float64
	weight   []float64 // nil: all are 1
}

// An Edge joins two items, counted from 0, in both directions.
type Edge struct {
	I, J     int
	Distance float64
}

// entry is an entry of a sparse matrix.
type entry struct {
	i, j             int32
	distance, weight float64
}

// NewEdges returns the symmetric sparse matrix of n items with the given edges, in any order.
// An edge may be listed more than once. It returns an error, counting edges and items from
// one, if an edge joins an item to itself or to one that does not exist, if its distance is
// negative or NaN, or if two edges of the same items differ in distance.
func NewEdges(n int, edges []Edge) (*Edges, error) {
	entries := make([]entry, 0, 2*len(edges))
	for k, e := range edges {
		switch {
		case e.I < 0 || e.I >= n || e.J < 0 || e.J >= n:
			return nil, fmt.Errorf("edge %d: found items %d and %d, expected items from 1 to %d", k+1, e.I+1, e.J+1, n)
		case e.I == e.J:
			return nil, fmt.Errorf("edge %d: found item %d twice, expected two items", k+1, e.I+1)
		case !(e.Distance >= 0):
			return nil, fmt.Errorf("edge %d: found %v, expected a number of at least 0", k+1, e.Distance)
		}
		entries = append(entries, entry{int32(e.I), int32(e.J), e.Distance, 1}, entry{int32(e.J), int32(e.I), e.Distance, 1})
	}
	s := fromEntries(n, entries)
	for i := range n {
		for x := s.start[i] + 1; x < s.start[i+1]; x++ {
			if s.to[x] == s.to[x-1] {
				return nil, fmt.Errorf("items %d and %d: found distances %v and %v, expected one", i+1, s.to[x]+1, s.distance[x-1], s.distance[x])
			}
		}
	}
	return s, nil
}

// fromEntries returns the matrix with the given entries, which it sorts. Equal ones count
// once.
func fromEntries(n int, entries []entry) *Edges {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j), cmp.Compare(a.distance, b.distance))
	})
	entries = slices.Compact(entries)
	s := &Edges{start: make([]int, n+1), to: make([]int32, len(entries)), distance: make([]float64, len(entries))}
	weighted := slices.ContainsFunc(entries, func(e entry) bool { return e.weight != 1 })
	if weighted {
		s.weight = make([]float64, len(entries))
	}
	for k, e := range entries {
		s.start[e.i+1]++
		s.to[k], s.distance[k] = e.j, e.distance
		if weighted {
			s.weight[k] = e.weight
		}
	}
	for i := range n {
		s.start[i+1] += s.start[i]
	}
	return s
}

// N returns the number of items.
func (s *Edges) N() int { return len(s.start) - 1 }

// Len returns the number of entries: twice the number of edges if the matrix is symmetric.
func (s *Edges) Len() int { return len(s.to) }

// Row returns the entries of the arriving item i: the earlier items, ascending, the
// distances, and the factors by which their similarities count, nil if all are 1. Callers
// must not write to them.
func (s *Edges) Row(i int) (to []int32, distance, weight []float64) {
	from, end := s.start[i], s.start[i+1]
	if s.weight != nil {
		weight = s.weight[from:end:end]
	}
	return s.to[from:end:end], s.distance[from:end:end], weight
}

// Shift returns the matrix with c added to every entry. It panics unless c is finite and at
// least 0.
func (s *Edges) Shift(c float64) *Edges {
	if !(c >= 0) || math.IsInf(c, 1) {
		panic(fmt.Sprintf("similarity: shift by %v, expected a finite number of at least 0", c))
	}
	t := *s
	t.distance = make([]float64, len(s.distance))
	for k, v := range s.distance {
		t.distance[k] = v + c
	}
	return &t
}

// Per returns the distances in another unit, as Matrix.Per does.
func (s *Edges) Per(unit float64) (*Edges, error) {
	t := *s
	var err error
	t.distance, err = per(s.distance, unit)
	return &t, err
}

// Median returns the median of the distances that are above 0 and finite, 0 if there is
// none. Where entries have weights, as those of Points.WithFar, it covers the entries whose weight
// is not 1: a sample of all pairs.
func (s *Edges) Median() float64 {
	values := slices.Clone(s.distance)
	if s.weight != nil {
		values = values[:0]
		for k, v := range s.distance {
			if s.weight[k] != 1 {
				values = append(values, v)
			}
		}
	}
	return median(values)
}
