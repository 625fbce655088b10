package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Mutants of Combinations.

// combinationMove proposes what Combinations does, or something else, by sums of whole
// numbers.
type combinationMove struct {
	sign      func(rng *rand.Rand) int // of the terms that are drawn blindly; nil: either
	sameBack  bool                     // signs on the way back are those on the way there
	withSums  bool                     // on the way there, what Sums finds fits too
	withSets  bool                     // and sums may be sets on the way
	waysThere int
	waysBack  int
}

// term is a column and its sign in a combination.
type term struct{ column, sign int }

// plain returns the items of column a as numbers.
func plain(s *target, a int) []int {
	v := make([]int, s.Z().N())
	for i := range v {
		v[i] = btoi(s.Z().Has(i, a))
	}
	return v
}

// plus returns v + sign w.
func plus(v, w []int, sign int) []int {
	v = slices.Clone(v)
	for i := range v {
		v[i] += sign * w[i]
	}
	return v
}

// set returns 1 if v is a set, -1 if its negative is one, else 0.
func set(v []int) int {
	switch low, high := slices.Min(v), slices.Max(v); {
	case low >= 0 && high <= 1:
		return 1
	case low >= -1 && high <= 0:
		return -1
	}
	return 0
}

// fitting returns the last terms that replace column a by v, after others.
func (m *combinationMove) fitting(s *target, a int, v []int, terms []term, withSums, withSets bool) []term {
	sum, used := v, []int{a}
	for _, t := range terms {
		sum, used = plus(sum, plain(s, t.column), t.sign), append(used, t.column)
	}
	var got []term
	if set(sum) != 0 && !withSets {
		return nil
	}
	for c := range s.Z().K() {
		for _, sign := range []int{1, -1} {
			w := plain(s, c)
			if !slices.Contains(used, c) && set(plus(sum, w, sign)) != 0 && (withSums || set(plus(v, w, sign)) == 0) {
				got = append(got, term{c, sign})
			}
		}
	}
	return got
}

func (m *combinationMove) propose(rng *rand.Rand, s *target, column []uint64) (int, int) {
	order := rng.Perm(s.Z().K())
	blind := 1 + rng.IntN(2)
	if blind+2 > len(order) {
		return -1, -1
	}
	a, terms := order[0], []term(nil)
	for _, c := range order[1 : 1+blind] {
		sign := 1 - 2*rng.IntN(2)
		if m.sign != nil {
			sign = m.sign(rng)
		}
		terms = append(terms, term{c, sign})
	}
	v := plain(s, a)
	reverse := m.fitting(s, a, v, terms, m.withSums, m.withSets)
	if len(reverse) == 0 {
		return -1, -1
	}
	end := reverse[rng.IntN(len(reverse))]
	for _, t := range append(slices.Clone(terms), end) {
		v = plus(v, plain(s, t.column), t.sign)
	}
	turned := set(v)
	clear(column)
	for i := range v {
		column[i>>6] |= uint64(btoi(v[i] != 0)) << (uint(i) & 63)
		v[i] *= turned
	}
	if empty(column) {
		return -1, -1
	}
	for i := range terms {
		if !m.sameBack {
			terms[i].sign *= -turned
		}
	}
	m.waysThere, m.waysBack = len(reverse), len(m.fitting(s, a, v, terms, false, false))
	return a, -1
}

// ratio adds the ways there and back to the log of the ratio. That Combinations does so
// is for TestCombinationsRatio, since the joint test hardly sees it.
func (m *combinationMove) ratio(log float64) float64 {
	return log + math.Log(float64(m.waysThere)) - math.Log(float64(m.waysBack))
}

// combinations is a copy of Combinations; terms are the factors of the ratio, nil: the
// right ones.
func combinationsCopy(m combinationMove, terms func(moveTerms) float64) func() kernel {
	return func() kernel {
		copied := m
		return &moveCopy{propose: copied.propose, ratio: func(t moveTerms) float64 {
			if terms == nil {
				return copied.ratio(t.right())
			}
			return copied.ratio(terms(t))
		}}
	}
}

func combinationsFor(*target) kernel { return &combinations{tries: 8} }

var combinationControls = []mutant{
	{"combinations", "a copy without a fault", ofMany, combinationsCopy(combinationMove{}, nil)},
	{"combinations", "a copy without a fault", ofOrder, combinationsCopy(combinationMove{}, nil)},
}

var combinationMutants = []mutant{
	{"combinations", "wrong sign of the likelihood's change", ofMany, combinationsCopy(combinationMove{}, wrongLikelihood)},
	{"combinations", "nu left out", ofOrder, combinationsCopy(combinationMove{}, withoutNu)},
	{"combinations", "every proposal accepted", ofMany, combinationsCopy(combinationMove{}, always)},
	{"combinations", "n_z! in the ratio, though columns are labelled", ofMany, combinationsCopy(combinationMove{}, withMultiplicities)},
	{"combinations", "columns are added first, never subtracted", ofMany, combinationsCopy(combinationMove{sign: func(*rand.Rand) int { return 1 }}, nil)},
	{"combinations", "ways back with the signs of the way there", ofMany, combinationsCopy(combinationMove{sameBack: true}, nil)},
	{"combinations", "what Sums finds fits on the way there", ofMany, combinationsCopy(combinationMove{withSums: true}, nil)},
	{"combinations", "sums that are sets already go on", ofMany, combinationsCopy(combinationMove{withSets: true}, nil)},
	{"combinations", "law left at the old columns", ofOrder, around(combinationsFor, staleTracker)},
}
