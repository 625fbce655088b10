package model

// Starts inside the support of laws under which an item cannot take every feature.

import (
	"math"

	"aibd/feature"
	"aibd/mcmc"
	"aibd/prior"
)

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
	for m, temperature := range append([]float64{s.Temperature()}, s.Further()...) {
		if math.IsInf(a.Decay(m).LogSimilarity(temperature, a.Several()[m].At(i, j)), -1) {
			return false
		}
	}
	return true
}

// support returns Z of a start, and its weights, without entries that have probability 0 under the law.
func (p *Problem) support(s mcmc.Start) (*feature.Allocation, []float64) {
	law, ok := p.Posterior.Law.(prior.Attraction)
	if !ok || s.Z == nil || law.Permutation() == nil {
		return s.Z, s.Weights
	}
	return supported(at(law, s), s.Z, s.Weights)
}
