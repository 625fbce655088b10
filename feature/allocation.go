// Package feature has feature allocations: which of N items have which of K hidden
// features.
//
// An allocation is a binary matrix Z with one row an item and one column a
// feature. No column is empty, and the order of the columns carries no
// meaning: two matrices that differ only in it are the same allocation. Items
// are numbered from zero.
package feature

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strings"

	"aibd/internal/lists"
	"aibd/internal/permutation"
)

//lint:file-ignore ST1005 Z is the name of a matrix, a capital at the beginning of an error too

// Allocation is a binary matrix Z stored by column, each column a bitset over
// the items. The zero value has no items; use New or FromRows.
//
// The methods that change an allocation (Append, Flip, Remove) are for
// samplers: they keep the order of the columns predictable but may leave a
// column empty until it is removed.
type Allocation struct {
	n, k  int
	words int      // 64-bit words a column
	bits  []uint64 // k*words, column after column
	size  []int    // members of each column
}

// New returns the allocation of n items without features. It panics if n < 0.
func New(n int) *Allocation {
	if n < 0 {
		panic(fmt.Sprintf("feature: %d items", n))
	}
	return &Allocation{n: n, words: (n + 63) / 64}
}

// NewSized returns the allocation of n items without features, with room for k of
// them. It panics if n or k is negative.
func NewSized(n, k int) *Allocation {
	a := New(n)
	a.bits = make([]uint64, 0, k*a.words)
	a.size = make([]int, 0, k)
	return a
}

// FromRows returns the allocation whose matrix has the given rows. It returns
// an error, counting rows and columns from one, if the rows differ in length,
// an entry is neither 0 nor 1, or a column is zero.
func FromRows(rows [][]int) (*Allocation, error) {
	if len(rows) == 0 {
		return New(0), nil
	}
	k := len(rows[0])
	for i, row := range rows {
		if len(row) != k {
			return nil, fmt.Errorf("Z row %d has %d entries, expected %d as in row 1", i+1, len(row), k)
		}
		for j, v := range row {
			if v != 0 && v != 1 {
				return nil, fmt.Errorf("Z row %d, column %d: found %d, expected 0 or 1", i+1, j+1, v)
			}
		}
	}
	return fromRows(rows, 1)
}

// fromRows returns the allocation with a one for each entry that equals one. The rows, at
// least one, have the same length.
func fromRows[T int | byte](rows [][]T, one T) (*Allocation, error) {
	a := New(len(rows))
	for k := range rows[0] {
		a.Append()
		for i, row := range rows {
			if row[k] == one {
				a.Flip(i, k)
			}
		}
		if a.size[k] == 0 {
			return nil, fmt.Errorf("Z column %d is zero: expected a 1 in every column", k+1)
		}
	}
	return a, nil
}

// N returns the number of items.
func (a *Allocation) N() int { return a.n }

// K returns the number of features.
func (a *Allocation) K() int { return a.k }

// Words returns the number of 64-bit words of a column: N/64 rounded up.
func (a *Allocation) Words() int { return a.words }

// Size returns the number of items that have feature k.
func (a *Allocation) Size(k int) int { return a.size[k] }

// Has reports whether item i has feature k.
func (a *Allocation) Has(i, k int) bool {
	return a.bits[k*a.words+i>>6]>>(uint(i)&63)&1 != 0
}

// Column returns the bitset of feature k: item i is bit i%64 of word i/64. It
// is a view that the next change of the allocation may invalidate; callers must
// not write to it.
func (a *Allocation) Column(k int) []uint64 {
	return a.bits[k*a.words : (k+1)*a.words : (k+1)*a.words]
}

// From returns the allocation without the columns before column k. It shares memory with
// a: it is valid until columns are added or removed, and is not to be changed.
func (a *Allocation) From(k int) Allocation {
	bits, size := a.bits[k*a.words:], a.size[k:]
	return Allocation{n: a.n, k: a.k - k, words: a.words, bits: bits[:len(bits):len(bits)], size: size[:len(size):len(size)]}
}

// AppendColumns appends the bitsets of all features, one after the other, to dst.
func (a *Allocation) AppendColumns(dst []uint64) []uint64 { return append(dst, a.bits...) }

// Members appends the items that have feature k to dst, ascending.
func (a *Allocation) Members(dst []int, k int) []int {
	return Members(dst, a.Column(k))
}

// Items returns the items of a column's bitset, ascending.
func Items(column []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for w, word := range column {
			for ; word != 0; word &= word - 1 {
				if !yield(w<<6 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// Contains reports whether a column's bitset has item i.
func Contains(column []uint64, i int) bool { return column[i>>6]>>(uint(i)&63)&1 != 0 }

// Members appends the items of a column's bitset to dst, ascending.
func Members(dst []int, column []uint64) []int {
	for i := range Items(column) {
		dst = append(dst, i)
	}
	return dst
}

// Common returns the number of items that two columns' bitsets have in common.
func Common(a, b []uint64) (items int) {
	for w, word := range a {
		items += bits.OnesCount64(word & b[w])
	}
	return items
}

// Ones returns the number of items in a column's bitset.
func Ones(column []uint64) (items int) {
	for _, word := range column {
		items += bits.OnesCount64(word)
	}
	return items
}

// Complement appends a bitset over the n items that are not in a column to dst.
func Complement(dst, column []uint64, n int) []uint64 {
	for _, word := range column {
		dst = append(dst, ^word)
	}
	if used := n % 64; used != 0 {
		dst[len(dst)-1] &= 1<<used - 1
	}
	return dst
}

// RowSum returns the number of features of item i.
func (a *Allocation) RowSum(i int) int {
	sum := 0
	for k := range a.k {
		if a.Has(i, k) {
			sum++
		}
	}
	return sum
}

// Shared returns the number of features that items i and j both have.
func (a *Allocation) Shared(i, j int) int {
	sum := 0
	for k := range a.k {
		if a.Has(i, k) && a.Has(j, k) {
			sum++
		}
	}
	return sum
}

// Ones returns the number of ones in Z.
func (a *Allocation) Ones() int { return lists.Sum(a.size) }

// Rows returns the matrix Z row by row.
func (a *Allocation) Rows() [][]int {
	rows := make([][]int, a.n)
	for i := range rows {
		rows[i] = make([]int, a.k)
		for k := range rows[i] {
			if a.Has(i, k) {
				rows[i][k] = 1
			}
		}
	}
	return rows
}

// Weighted puts the matrix of weights, N x K row by row, into dst, which it extends if needed, and
// returns it. The weights belong to the ones of Z, feature by feature, items ascending; nil
// stands for ones. Where Z is 0, so is the matrix. It panics if there is another number of weights.
func (a *Allocation) Weighted(dst, weights []float64) []float64 {
	if weights != nil && len(weights) != a.Ones() {
		panic(fmt.Sprintf("feature: %d weights of %d ones", len(weights), a.Ones()))
	}
	dst = slices.Grow(dst[:0], a.n*a.k)[:a.n*a.k]
	clear(dst)
	index := 0
	for k := range a.k {
		for i := range Items(a.Column(k)) {
			dst[i*a.k+k] = 1
			if weights != nil {
				dst[i*a.k+k] = weights[index]
				index++
			}
		}
	}
	return dst
}

// ByItem returns the features of each item as a bitset: feature k is bit k%64 of word k/64.
func (a *Allocation) ByItem() [][]uint64 {
	words := (a.k + 63) / 64
	all, rows := make([]uint64, a.n*words), make([][]uint64, a.n)
	for i := range rows {
		rows[i] = all[i*words : (i+1)*words]
	}
	for k := range a.k {
		for i := range Items(a.Column(k)) {
			rows[i][k>>6] |= 1 << (uint(k) & 63)
		}
	}
	return rows
}

// Append adds an empty column after the last one and returns its number. The
// caller must add members.
func (a *Allocation) Append() int {
	for range a.words {
		a.bits = append(a.bits, 0)
	}
	a.size = append(a.size, 0)
	a.k++
	return a.k - 1
}

// AppendColumn adds a column with the given bitset after the last one. It panics
// if the bitset has another number of items than N.
func (a *Allocation) AppendColumn(column []uint64) {
	if len(column) != a.words || a.n%64 != 0 && column[a.words-1]>>(uint(a.n)%64) != 0 {
		panic("feature: a column with another number of items")
	}
	a.bits = append(a.bits, column...)
	a.size = append(a.size, Ones(column))
	a.k++
}

// Flip gives feature k to item i, or takes it away.
func (a *Allocation) Flip(i, k int) {
	w := &a.bits[k*a.words+i>>6]
	bit := uint64(1) << (uint(i) & 63)
	*w ^= bit
	if *w&bit != 0 {
		a.size[k]++
	} else {
		a.size[k]--
	}
}

// Remove deletes column k; the last column takes its number.
func (a *Allocation) Remove(k int) {
	last := a.k - 1
	copy(a.bits[k*a.words:(k+1)*a.words], a.bits[last*a.words:])
	a.size[k] = a.size[last]
	a.bits = a.bits[:last*a.words]
	a.size = a.size[:last]
	a.k = last
}

// Clone returns a copy, columns in the same order.
func (a *Allocation) Clone() *Allocation {
	c := *a
	c.bits = slices.Clone(a.bits)
	c.size = slices.Clone(a.size)
	return &c
}

// compare orders columns as binary numbers with item 0 the most significant
// digit, larger first: the order of the left-ordered form.
func compare(x, y []uint64) int {
	for w := range x {
		if x[w] != y[w] {
			return cmp.Compare(bits.Reverse64(y[w]), bits.Reverse64(x[w]))
		}
	}
	return 0
}

// order returns the numbers of the columns sorted into left-ordered form.
func (a *Allocation) order() []int {
	order := permutation.Identity(a.k)
	slices.SortStableFunc(order, func(x, y int) int { return compare(a.Column(x), a.Column(y)) })
	return order
}

// LeftOrdered returns the same allocation with its columns in left-ordered form
// (Griffiths and Ghahramani, 2011): as binary numbers with the first item the
// most significant digit, descending.
func (a *Allocation) LeftOrdered() *Allocation {
	sorted := New(a.n)
	for _, k := range a.order() {
		sorted.AppendColumn(a.Column(k))
	}
	return sorted
}

// LogMultiplicities returns the sum of log n! over the multiplicities n of the columns:
// K!/exp(LogMultiplicities) matrices are this allocation.
func (a *Allocation) LogMultiplicities() float64 {
	var equal func(k int) bool // to the column before
	if a.words == 1 {
		// Faster than the left-ordered form: samplers call this often.
		columns := slices.Clone(a.bits)
		slices.Sort(columns)
		equal = func(k int) bool { return columns[k] == columns[k-1] }
	} else {
		order := a.order()
		equal = func(k int) bool { return slices.Equal(a.Column(order[k]), a.Column(order[k-1])) }
	}
	sum, run := 0.0, 1
	for k := 1; k < a.k; k++ {
		if !equal(k) {
			run = 1
			continue
		}
		run++
		sum += math.Log(float64(run))
	}
	return sum
}

// Equal reports whether both are the same allocation: the same matrix up to the
// order of its columns.
func (a *Allocation) Equal(b *Allocation) bool {
	return a.n == b.n && a.k == b.k && slices.Equal(a.LeftOrdered().bits, b.LeftOrdered().bits)
}

// Key returns a string that is equal for equal allocations of the same number
// of items, whatever the order of their columns, and for no others. It serves
// as a map key.
func (a *Allocation) Key() string {
	key, _ := binary.Append(nil, binary.LittleEndian, a.LeftOrdered().bits)
	return string(key)
}

// String returns the matrix as text: a line an item, digits 0 and 1 without
// separators, no newline at the end. Without features the lines are empty.
func (a *Allocation) String() string {
	return strings.Join(lists.Make(a.n, func(i int) string { return string(a.appendRow(nil, i, "")) }), "\n")
}
