package similarity

// Several distances of the same items.

import "slices"

// Several is one or more distances between the same items, each with a temperature of its own: the
// similarity of two items is the product of the similarities by each distance.
type Several []*Matrix

// N returns the number of items.
func (s Several) N() int { return s[0].N() }

// Median returns the median of the first distance, see Matrix.Median.
func (s Several) Median() float64 { return s[0].Median() }

// SeveralEdges are sparse matrices of several distances between the same items, with the same entries and weights,
// as Union makes them.
type SeveralEdges []*Edges

// N returns the number of items.
func (s SeveralEdges) N() int { return s[0].N() }

// Median returns the median of the first distance, see Edges.Median.
func (s SeveralEdges) Median() float64 { return s[0].Median() }

// Alike reports whether all matrices have the same entries and weights.
func (s SeveralEdges) Alike() bool {
	return !slices.ContainsFunc(s, func(e *Edges) bool {
		return !slices.Equal(e.start, s[0].start) || !slices.Equal(e.to, s[0].to) || !slices.Equal(e.weight, s[0].weight)
	})
}
