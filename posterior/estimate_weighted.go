package posterior

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"aibd/draws"
	"aibd/feature"
)

// EstimateG is EstimateZ for features with weights. It searches for the matrix G of weights, 0 where an
// item lacks a feature, with minimal expected loss: the sum of |g - g_hat| over the entries, after a
// matching of the features with signs, as the likelihood does not determine the sign of a feature. If all
// weights are 1 this is the FARO loss. The search from each start alternates the matchings of the draws
// and the medians of the matched entries until the loss stays. The sum of the weights of a feature of
// the estimate is at least 0. EstimateG panics unless o.A is 1.
func EstimateG(rng *rand.Rand, ds []*draws.Draw, o EstimateOptions) (*Estimate, error) {
	if o.A != 1 || o.Starts < 1 {
		panic("posterior: EstimateG needs equal weights of both errors and at least one start")
	}
	if len(ds) == 0 {
		return nil, errors.New("found no draws, expected at least one")
	}
	n := 1
	all := make([][]weightedColumn, len(ds))
	for t, d := range ds {
		n, all[t] = max(n, d.Z.K()), weightedColumns(d)
	}
	items := ds[0].Z.N()
	return searchFrom(rng, all, o, func(few [][]weightedColumn, start []weightedColumn) *Estimate {
		return medians(few, entriesOf(start, n, items), nil)
	}, func(e *Estimate) *Estimate {
		start := slices.Clone(e.Weights)
		for len(start) < n {
			start = append(start, make([]float64, items))
		}
		return medians(all, start, o.Progress)
	}), nil
}

// weightedColumn holds the items of a feature of a draw and their weights.
type weightedColumn struct {
	items  []int
	values []float64
	size   float64 // sum of the absolute values
}

func weightedColumns(d *draws.Draw) []weightedColumn {
	columns := make([]weightedColumn, d.Z.K())
	next := 0
	for k := range columns {
		c := &columns[k]
		c.items = d.Z.Members(nil, k)
		for range c.items {
			w := 1.0
			if d.Weights != nil {
				w = d.Weights[next]
			}
			next++
			c.values = append(c.values, w)
			c.size += math.Abs(w)
		}
	}
	return columns
}

// entriesOf returns columns by feature and item, with empty features up to n.
func entriesOf(columns []weightedColumn, n, items int) [][]float64 {
	g := make([][]float64, n)
	for k := range g {
		g[k] = make([]float64, items)
		if k < len(columns) {
			for index, i := range columns[k].items {
				g[k][i] = columns[k].values[index]
			}
		}
	}
	return g
}

// signedMatch matches the features of a draw to those of an estimate, with signs.
type signedMatch struct {
	*assignment
	gain   []float64 // by feature of the estimate and of the draw: the loss less that of two features apart, at most 0
	turned []bool    // the same: whether the feature of the draw is turned
}

// An entry is the weight of an item in a feature of an estimate.
type entry struct {
	feature int
	weight  float64
}

// entriesByItem lists the weights of each item that are not 0.
func entriesByItem(g [][]float64) [][]entry {
	all := make([][]entry, len(g[0]))
	for k, row := range g {
		for i, x := range row {
			if x != 0 {
				all[i] = append(all[i], entry{k, x})
			}
		}
	}
	return all
}

// matchSigned matches columns of a draw to n features of an estimate, of which the draw has no more. Entries are those of
// the estimate by item: where an item lacks one of two features, they are as far apart as any.
func matchSigned(columns []weightedColumn, entries [][]entry, n int, s *search) *signedMatch {
	m := &signedMatch{newAssignment(n), make([]float64, n*n), make([]bool, n*n)}
	overlap, turned := make([]float64, n), make([]float64, n)
	for l, c := range columns {
		clear(overlap)
		clear(turned)
		for index, i := range c.items {
			v := c.values[index]
			for _, e := range entries[i] {
				apart := math.Abs(e.weight) + math.Abs(v)
				overlap[e.feature] += math.Abs(e.weight-v) - apart
				turned[e.feature] += math.Abs(e.weight+v) - apart
			}
		}
		for k := range n {
			m.gain[k*n+l], m.turned[k*n+l] = min(overlap[k], turned[k]), turned[k] < overlap[k]
		}
	}
	for k := range n {
		m.match(k, s, func(k int, into []float64) { copy(into, m.gain[k*n:(k+1)*n]) })
	}
	return m
}

// matchOf returns the feature of the draw that is matched to feature k, or -1 if they have nothing in common,
// and whether it is turned.
func (m *signedMatch) matchOf(k int) (l int, turned bool) {
	n := len(m.col)
	if l = m.col[k]; m.gain[k*n+l] == 0 {
		return -1, false
	}
	return l, m.turned[k*n+l]
}

// medians improves g under the draws and returns the estimate. It calls progress, which may be nil.
func medians(byDraw [][]weightedColumn, g [][]float64, progress func(loss float64)) *Estimate {
	s := newSearch(len(g))
	least := math.Inf(1)
	matches := make([]*signedMatch, len(byDraw))
	for {
		loss := 0.0
		for _, row := range g {
			loss += floats.Norm(row, 1)
		}
		entries := entriesByItem(g)
		for t, columns := range byDraw {
			matches[t] = matchSigned(columns, entries, len(g), s)
			for k := range g {
				loss += matches[t].gain[k*len(g)+matches[t].col[k]] / float64(len(byDraw))
			}
			for _, c := range columns {
				loss += c.size / float64(len(byDraw))
			}
		}
		if progress != nil {
			progress(loss)
		}
		if loss > least-negligible {
			return weightedEstimate(byDraw, matches, g, loss)
		}
		least = loss
		for k := range g {
			values := make([][]float64, len(g[k]))
			for t, m := range matches {
				l, turned := m.matchOf(k)
				if l < 0 {
					continue
				}
				for index, i := range byDraw[t][l].items {
					values[i] = append(values[i], signed(byDraw[t][l].values[index], turned))
				}
			}
			for i, some := range values {
				g[k][i] = median(some, len(byDraw)-len(some))
			}
		}
	}
}

func signed(x float64, turned bool) float64 {
	if turned {
		return -x
	}
	return x
}

// median returns the median of values and so many zeros that is nearest to 0. It sorts the values.
func median(values []float64, zeros int) float64 {
	slices.Sort(values)
	below, _ := slices.BinarySearch(values, 0)
	percentile := func(rank int) float64 {
		switch {
		case rank < below:
			return values[rank]
		case rank < below+zeros:
			return 0
		}
		return values[rank-zeros]
	}
	n := len(values) + zeros
	low, high := percentile((n-1)/2), percentile(n/2)
	switch {
	case low > 0:
		return low
	case high < 0:
		return high
	}
	return 0
}

// weightedEstimate returns g as an estimate without empty features.
func weightedEstimate(byDraw [][]weightedColumn, matches []*signedMatch, g [][]float64, loss float64) *Estimate {
	e := &Estimate{Z: feature.New(len(g[0])), Loss: loss}
	for k, row := range g {
		column, sum, any := make([]uint64, e.Z.Words()), 0.0, false
		for i, x := range row {
			if x != 0 {
				column[i>>6] |= 1 << (uint(i) & 63)
				any = true
			}
			sum += x
		}
		if !any {
			continue
		}
		weights, share := make([]float64, len(row)), make([]float64, len(row))
		for i, x := range row {
			weights[i] = signed(x, sum < 0 && x != 0)
		}
		for t, m := range matches {
			if l, _ := m.matchOf(k); l >= 0 {
				for _, i := range byDraw[t][l].items {
					share[i] += 1 / float64(len(byDraw))
				}
			}
		}
		e.Z.AppendColumn(column)
		e.Weights, e.Share = append(e.Weights, weights), append(e.Share, share)
	}
	return e
}
