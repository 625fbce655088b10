package model

// Starts inside the support of laws under which an item cannot take every feature.

import (
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// landmarksFirst returns a random order of the items in which the landmarks of sparse distances
// come first: every other item can then take any feature that a landmark has. It returns nil if
// there are no landmarks.
func landmarksFirst(rng *rand.Rand, edges *similarity.Edges) []int {
	if edges == nil {
		return nil
	}
	landmark := make([]bool, edges.N())
	found := false
	for i := range landmark {
		to, _, weight := edges.Row(i)
		for e, w := range weight {
			if w != 1 {
				landmark[to[e]], found = true, true
			}
		}
	}
	if !found {
		return nil
	}
	var first, others []int
	for _, i := range rng.Perm(len(landmark)) {
		if landmark[i] {
			first = append(first, i)
		} else {
			others = append(others, i)
		}
	}
	return append(first, others...)
}

// supported returns z without entries that have probability 0 under the law. Of a feature that an
// item cannot have taken from the earlier ones it keeps the largest group of items of which each,
// but the first, has an earlier one with a positive similarity.
func supported(law prior.Attraction, z *feature.Allocation) *feature.Allocation {
	kept := feature.New(z.N())
	s := support{Attraction: law, group: make([]int, z.N())}
	for k := range z.K() {
		column := z.Column(k)
		if math.IsInf(law.LogIntensity(column), -1) {
			column = s.largest(column)
		}
		if !math.IsInf(law.LogIntensity(column), -1) {
			kept.AppendColumn(column)
		}
	}
	return kept
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

// attracting calls visit for items of positive similarity to i, among them all earlier ones.
func (s *support) attracting(i int, earlier []int, visit func(j int)) {
	a := s.Affinity()
	positive := func(distance float64) bool {
		return !math.IsInf(a.Decay().LogSimilarity(s.Temperature(), distance), -1)
	}
	if edges := a.Edges(); edges != nil {
		to, distance, _ := edges.Row(i)
		for e, j := range to {
			if positive(distance[e]) {
				visit(int(j))
			}
		}
		return
	}
	for _, j := range earlier {
		if positive(a.Distance().At(i, j)) {
			visit(j)
		}
	}
}

// support moves the features of a start into the support of the law.
func (p *Problem) support(s mcmc.Start) mcmc.Start {
	law, ok := p.Posterior.Law.(prior.Attraction)
	if !ok || s.Z == nil || law.Permutation() == nil {
		return s
	}
	temperature, permutation := law.Temperature(), law.Permutation()
	if s.Temperature != 0 {
		temperature = s.Temperature
	}
	if s.Permutation != nil {
		permutation = s.Permutation
	}
	s.Z = supported(law.With(temperature, permutation), s.Z)
	return s
}
