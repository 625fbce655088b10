package state

import (
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/collapsed"
)

// Open opens the row of item i for Flip and SetSingletons, until Close. The missing cells of the
// item are integrated out of the likelihood while the row is open.
func (s *State) Open(i int) {
	s.ready()
	s.cache.OpenObserved(s.y, i)
	s.row, s.exact = i, false
}

// Shared reports whether other items have column k than that of the open row.
func (s *State) Shared(k int) bool { return s.z.Size(k) > 1 || !s.z.Has(s.row, k) }

// LogFlip returns the change of the log likelihood if the open row's entry in column k
// were flipped. Other items must have the column.
func (s *State) LogFlip(k int) float64 { return s.cache.LogFlip(s.first + k) }

// FlipBounds sets bounds, of all columns, as collapsed.Cache.FlipBounds does.
func (s *State) FlipBounds(bounds, factors []float64) { s.cache.FlipBounds(bounds, factors) }

// Flip flips the open row's entry in column k.
func (s *State) Flip(k int) {
	s.cache.Flip(s.first + k)
	s.tracker.Flip(s.row, k)
}

// Weigh returns the change of the log likelihood for each assignment of some columns of the
// open row, as collapsed.Cache.Weigh does.
func (s *State) Weigh(b *collapsed.Block, columns []int) []float64 {
	s.columns = s.columns[:0]
	for _, k := range columns {
		s.columns = append(s.columns, s.first+k)
	}
	return s.cache.Weigh(b, s.columns)
}

// Singletons returns the number of columns that the item of the open row alone has.
func (s *State) Singletons() int { return s.cache.Singletons() }

// SetSingletons sets that number.
func (s *State) SetSingletons(j int) { s.cache.SetSingletons(j) }

// Predictive returns the numbers that determine the likelihood of the open row, as
// collapsed.Cache.Predictive does.
func (s *State) Predictive() (base, e, r float64) { return s.cache.Predictive() }

// LogPredictive returns the log likelihood of the open row, as collapsed.Cache.LogPredictive
// does.
func (s *State) LogPredictive(total, e float64) float64 { return s.cache.LogPredictive(total, e) }

// Close draws the missing cells of the item of the open row that Open integrated out, given the row
// as it now is, and puts it back. The row and these cells are then a joint draw.
func (s *State) Close(rng *rand.Rand) {
	i := s.row
	s.row = -1
	s.missing = s.cache.DrawMissing(rng, s.missing[:0])
	drawn := len(s.missing) > 0
	if drawn {
		s.full.SetMissing(i, s.missing)
		if s.data != s.full {
			s.data.SetMissing(i, s.missing)
		}
	}
	edit := s.cache.Close()
	for _, k := range edit.Removed {
		s.tracker.Remove(k - s.first)
	}
	for range edit.Appended {
		s.tracker.Append(i)
	}
	if drawn || edit.Changed() {
		s.edited()
	} else {
		s.logLik = s.cache.LogLik() // perhaps computed anew
	}
}

// DrawColumn draws a column from nu/H into column.
func (s *State) DrawColumn(rng *rand.Rand, column []uint64) { s.tracker.DrawColumn(rng, column) }

// LogAppend returns the change of the log likelihood if a column were added.
func (s *State) LogAppend(column []uint64) float64 {
	s.ready()
	return s.cache.LogAppend(s.y, column)
}

// Append adds a column.
func (s *State) Append(column []uint64) {
	s.closed()
	s.y.AppendColumn(column)
	s.tracker.AppendColumn(column)
	s.refreshCache()
}

// LogRemove returns the change of the log likelihood if column k were removed.
func (s *State) LogRemove(k int) float64 {
	s.ready()
	return s.cache.LogRemove(s.first + k)
}

// Remove removes column k. The last column takes its number.
func (s *State) Remove(k int) {
	s.closed()
	s.y.Remove(s.first + k)
	s.tracker.Remove(k)
	s.refreshCache()
}

// Steady reports whether Combine and Toggle can be used at the current scales and number
// of columns (see collapsed.Cache.Steady).
func (s *State) Steady() bool {
	s.ready()
	return s.cache.Steady()
}

// LogCombine returns the change of the log likelihood if the terms were added to column
// k, or if the negative of the sum took its place.
func (s *State) LogCombine(k int, terms []collapsed.Term) float64 {
	s.ready()
	return s.cache.LogCombine(s.first+k, s.inY(terms))
}

// Combine replaces column k by the sum of it and the terms, or by the negative of that. It
// panics unless one of the two is a set of items that is not empty.
func (s *State) Combine(k int, terms []collapsed.Term) {
	s.ready()
	terms = s.inY(terms)
	negative := s.sum(s.first+k, terms)
	s.cache.Combine(s.first+k, terms, negative)
	s.replace(k, s.column)
	s.edited()
}

// inY returns the terms with the numbers of their columns in y.
func (s *State) inY(terms []collapsed.Term) []collapsed.Term {
	s.terms = s.terms[:0]
	for _, t := range terms {
		s.terms = append(s.terms, collapsed.Term{Column: s.first + t.Column, Sign: t.Sign})
	}
	return s.terms
}

// Complement puts the items that do not have feature k in its place, which leaves the
// likelihood as it is. It panics without an intercept, or if all items have the feature.
func (s *State) Complement(k int) {
	s.ready()
	if s.first == 0 || s.z.Size(k) == s.N() {
		panic("state: a complement without an intercept, or empty")
	}
	s.replace(k, s.ComplementOf(k))
	s.cache.Complement(s.y, s.first+k)
	s.edited()
}

// ComplementOf returns the items that do not have feature k as a bitset over the items, valid
// until the next edit.
func (s *State) ComplementOf(k int) []uint64 {
	s.column = feature.Complement(s.column[:0], s.Column(k), s.N())
	return s.column
}

// replace replaces column k in y and in the tracker.
func (s *State) replace(k int, column []uint64) {
	s.y.AppendColumn(column)
	s.y.Remove(s.first + k) // the new one takes its number
	s.replaced(k)
}

// sum puts the items that are in the sum of column k of y and the terms into s.column. It
// reports whether they are so with a negative sign.
func (s *State) sum(k int, terms []collapsed.Term) (negative bool) {
	s.column = append(s.column[:0], s.y.Column(k)...)
	clear(s.column)
	var change [2]bool
	for i := range s.y.N() {
		count := 0
		if s.y.Has(i, k) {
			count = 1
		}
		for _, t := range terms {
			if s.y.Has(i, t.Column) {
				count += int(t.Sign)
			}
		}
		switch count {
		case 0:
			continue
		case 1, -1:
			change[(1-count)/2] = true
			s.column[i>>6] |= 1 << (uint(i) & 63)
		default:
			panic("state: a sum of columns is not a set")
		}
	}
	if change[0] == change[1] {
		panic("state: a sum of columns is not a set, or empty")
	}
	return change[1]
}

// replaced updates the tracker after a change of column k.
func (s *State) replaced(k int) {
	s.tracker.AppendColumn(s.y.Column(s.first + k))
	s.tracker.Remove(k) // the new one takes its number
}

// Toggles prepares the flips of the nodes of a tree over the items in single columns, for
// ToggleColumn. The state must be Steady.
func (s *State) Toggles(tree *collapsed.Tree) {
	s.ready()
	s.toggles.Reset(s.cache, s.y, tree)
}

// ToggleColumn chooses the column of LogToggleBound, LogToggle and Toggle. No other edit
// may follow before Toggles.
func (s *State) ToggleColumn(k int) {
	s.toggles.Column(s.first + k)
	s.toggled = k
}

// LogToggleBound returns a bound of LogToggle from above that costs less.
func (s *State) LogToggleBound(node int) float64 { return s.toggles.LogToggleBound(node) }

// LogToggle returns the change of the log likelihood if the entries of the items of a node
// were flipped.
func (s *State) LogToggle(node int) float64 { return s.toggles.LogToggle(node) }

// Toggle flips the entries of the items of a node. The column must not become empty.
func (s *State) Toggle(node int) {
	k := s.toggled
	if k < 0 {
		panic("state: toggles are out of date")
	}
	s.toggles.Toggle(node)
	s.replaced(k)
	s.edited()
	s.toggled = k
}
