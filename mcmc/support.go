package mcmc

// Starts inside the support of laws under which an item cannot take every feature.

import (
	"math"

	"aibd/prior"
)

// Supported returns the items of a column if their feature has a positive probability under a law. Otherwise it returns
// the largest group of them of which each, but the first, has an earlier one with a positive similarity, or nil if such a
// feature has probability 0 too or there is no group. A column is a bitset over the items.
func Supported(law prior.Law, column []uint64) []uint64 {
	possible := func(column []uint64) bool { return !math.IsInf(law.LogIntensity(column), -1) }
	if possible(column) {
		return column
	}
	a, ok := law.(prior.Attraction)
	if !ok || a.Permutation() == nil {
		return nil
	}
	s := support{Attraction: a, group: make([]int, a.N())}
	if column = s.largest(column); !possible(column) {
		return nil
	}
	return column
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
		for _, j := range earlier {
			if g := s.group[j] - 1; s.attracts(i, j) && (joined < 0 || sizes[g] > sizes[joined]) {
				joined = g
			}
		}
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

// attracts reports whether item j has a positive similarity to an item i that arrives after it.
func (s *support) attracts(i, j int) bool {
	a := s.Affinity()
	for m, temperature := range append([]float64{s.Temperature()}, s.FurtherTemperatures()...) {
		if math.IsInf(a.Decay(m).LogSimilarity(temperature, a.Several()[m].At(i, j)), -1) {
			return false
		}
	}
	return true
}
