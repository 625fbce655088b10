package posterior

import (
	"math"
	"math/bits"
	"slices"

	"aibd/feature"
)

// maxEnumerated is the max number of matchings that enumerate solves.
const maxEnumerated = 1 << 20

// enumerate returns the allocation of at most n features with the least expected loss under the
// draws, the first in the order of its search. It returns nil if there are too many allocations.
func enumerate(draws []*feature.Allocation, n int, a float64) *feature.Allocation {
	items := draws[0].N()
	if matchings(items, n, 1) > maxEnumerated {
		return nil
	}
	distinct, count := tally(draws)
	if matchings(items, n, len(distinct)) > maxEnumerated {
		return nil
	}
	losses := make([][][]float64, len(distinct)) // by draw, column as bits, and column of the draw
	for d, z := range distinct {
		columns, sizes := padded(z, n, 1)
		for column := range uint64(1) << items {
			row := make([]float64, n)
			for l := range row {
				both := bits.OnesCount64(column & columns[l][0])
				row[l] = a*float64(sizes[l]-both) + (2-a)*float64(bits.OnesCount64(column)-both)
			}
			losses[d] = append(losses[d], row)
		}
	}
	var best []uint64
	least := math.Inf(1)
	columns, s := make([]uint64, n), newSearch(n)
	blank, matching := newAssignment(n), newAssignment(n)
	loss := func() (sum float64) {
		for d := range distinct {
			matching.set(blank)
			for k := range columns {
				matching.match(k, s, func(row int, into []float64) { copy(into, losses[d][columns[row]]) })
			}
			if sum += float64(count[d]) * matching.bound(); sum >= least-negligible {
				return math.Inf(1)
			}
		}
		return sum
	}
	var extend func(k int, limit uint64)
	extend = func(k int, limit uint64) { // columns in decreasing order
		if k == n {
			if sum := loss(); sum < least {
				least, best = sum, slices.Clone(columns)
			}
			return
		}
		for column := range limit + 1 {
			columns[k] = column
			extend(k+1, column)
		}
	}
	extend(0, 1<<items-1)
	z := feature.New(items)
	for _, column := range best {
		if column > 0 {
			z.AppendColumn([]uint64{column})
		}
	}
	return z
}

// matchings returns the number of allocations of at most n features, times the number of draws.
func matchings(items, n, draws int) float64 {
	number := float64(draws)
	for k := range n { // multisets of n columns
		number *= (math.Ldexp(1, items) + float64(k)) / float64(k+1)
	}
	return number
}

// tally returns the distinct allocations and how often each occurs.
func tally(draws []*feature.Allocation) (distinct []*feature.Allocation, count []int) {
	number := map[string]int{}
	for _, z := range draws {
		key := z.Key()
		d, ok := number[key]
		if !ok {
			d = len(distinct)
			number[key], distinct, count = d, append(distinct, z), append(count, 0)
		}
		count[d]++
	}
	return distinct, count
}
