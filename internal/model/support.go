package model

// Starts inside the support of laws under which an item cannot take every feature.

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/feature"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// spreadingOrder returns an order of the items in which features spread along sparse distances.
// An item arrives next if each of its features is new, or if an earlier item that it attends to
// has it. If no item is left that satisfies this, the item with the fewest other features arrives
// and loses them. z is N x K, of 0 and 1.
func spreadingOrder(rng *rand.Rand, edges *similarity.Edges, z [][]int) []int {
	n := len(z)
	takers := make([][]int32, n)       // by item: the items that attend to it
	features := make([][]int, n)       // by item: its features, except those in given
	given := make([][]int, n)          // by item: its features that an earlier item gives it, or that it has first
	owners := make([][]int, len(z[0])) // by feature: its items
	lacks := make([]int, n)            // by item: the number of its features that are born and not given
	for i, row := range z {
		to, _, _ := edges.Row(i)
		for _, j := range to {
			takers[j] = append(takers[j], int32(i))
		}
		for k, has := range row {
			if has == 1 {
				features[i], owners[k] = append(features[i], k), append(owners[k], i)
			}
		}
	}
	// The items by the number that they lack. An item is appended again when its number changes; its
	// earlier entries are skipped.
	waiting := [][]int{rng.Perm(n)}
	wait := func(i, change int) {
		lacks[i] += change
		for len(waiting) <= lacks[i] {
			waiting = append(waiting, nil)
		}
		waiting[lacks[i]] = append(waiting[lacks[i]], i)
	}
	arrived, born := make([]bool, n), make([]bool, len(owners))
	order := make([]int, 0, n)
	for lack := 0; len(order) < n; {
		last := len(waiting[lack]) - 1
		if last < 0 {
			lack++
			continue
		}
		i := waiting[lack][last]
		waiting[lack] = waiting[lack][:last]
		if arrived[i] || lacks[i] != lack {
			continue
		}
		arrived[i], order = true, append(order, i)
		for _, k := range features[i] {
			if born[k] {
				continue
			}
			born[k], given[i] = true, append(given[i], k)
			for _, o := range owners[k] {
				if !arrived[o] {
					wait(o, 1)
				}
			}
		}
		for _, t := range takers[i] {
			for _, k := range given[i] {
				if at := slices.Index(features[t], k); at >= 0 && !arrived[t] {
					features[t] = slices.Delete(features[t], at, at+1)
					given[t] = append(given[t], k)
					wait(int(t), -1)
				}
			}
		}
		lack = 0
	}
	return order
}

// supported returns z without entries that have probability 0 under the law. Of a feature that an
// item cannot have taken from the earlier ones it keeps the largest group of items of which each,
// but the first, has an earlier one with a positive similarity. It returns the weights of the entries that
// it keeps, too. There is a weight for each entry, as in draws.Draw, or none.
func supported(law prior.Attraction, z *feature.Allocation, weights []float64) (kept *feature.Allocation, keptWeights []float64) {
	kept = feature.New(z.N())
	var g []float64 // N x K
	if weights != nil {
		g = z.Weighted(nil, weights)
	}
	s := support{Attraction: law, group: make([]int, z.N())}
	for k := range z.K() {
		column := z.Column(k)
		if math.IsInf(law.LogIntensity(column), -1) {
			column = s.largest(column)
		}
		if math.IsInf(law.LogIntensity(column), -1) {
			continue
		}
		kept.AppendColumn(column)
		if g != nil {
			for i := range feature.Items(column) {
				keptWeights = append(keptWeights, g[i*z.K()+k])
			}
		}
	}
	return kept, keptWeights
}

// support finds groups of items.
type support struct {
	prior.Attraction
	group []int // of each item, from 1; 0: none
}

// largest returns the largest group of the items of a column.
func (s *support) largest(column []uint64) []uint64 {
	clear(s.group)
	var sizes, earlier []int // of groups; items
	best := 0
	for _, i := range s.Permutation() {
		if column[i>>6]>>(uint(i)&63)&1 == 0 {
			continue
		}
		joined := -1
		s.attracting(i, earlier, func(j int) {
			if g := s.group[j] - 1; g >= 0 && (joined < 0 || sizes[g] > sizes[joined]) {
				joined = g
			}
		})
		if joined < 0 {
			joined, sizes = len(sizes), append(sizes, 0)
		}
		s.group[i] = joined + 1
		if sizes[joined]++; sizes[joined] > sizes[best] {
			best = joined
		}
		earlier = append(earlier, i)
	}
	kept := make([]uint64, len(column))
	for i, g := range s.group {
		if g == best+1 {
			kept[i>>6] |= 1 << (uint(i) & 63)
		}
	}
	return kept
}

// attracting calls visit for the items of positive similarity to i: with sparse distances for all,
// otherwise for those among earlier.
func (s *support) attracting(i int, earlier []int, visit func(j int)) {
	a, temperatures := s.Affinity(), append([]float64{s.Temperature()}, s.Further()...)
	try := func(j int, distance func(m int) float64) {
		for m, temperature := range temperatures {
			if math.IsInf(a.Decay(m).LogSimilarity(temperature, distance(m)), -1) {
				return
			}
		}
		visit(j)
	}
	if edges := a.Edges(); edges != nil {
		to, _, _ := edges[0].Row(i)
		for e, j := range to {
			try(int(j), func(m int) float64 { _, distances, _ := edges[m].Row(i); return distances[e] })
		}
		return
	}
	for _, j := range earlier {
		try(j, func(m int) float64 { return a.Several()[m].At(i, j) })
	}
}

// support returns Z of a start, and its weights, without entries that have probability 0 under the law.
func (p *Problem) support(s mcmc.Start) (*feature.Allocation, []float64) {
	law, ok := p.Posterior.Law.(prior.Attraction)
	if !ok || s.Z == nil || law.Permutation() == nil {
		return s.Z, s.Weights
	}
	return supported(at(law, s), s.Z, s.Weights)
}
