package feature

// What does not depend on the order of the columns: the left-ordered form,
// equality, keys and multiplicities.

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyColumns draws up to 12 non-empty columns of n items, many of them equal.
func anyColumns(t *rapid.T, n int) model {
	columns := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []int {
		column := rapid.SliceOfN(rapid.IntRange(0, 1), n, n).Draw(t, "column")
		if sum(column) == 0 {
			column[rapid.IntRange(0, n-1).Draw(t, "member")] = 1
		}
		return column
	}), 1, 5).Draw(t, "distinct")
	var m model
	for range rapid.IntRange(0, 12).Draw(t, "k") {
		m = append(m, rapid.SampledFrom(columns).Draw(t, "column"))
	}
	return m
}

func (m model) allocation(n int) *Allocation {
	a := New(n)
	for _, column := range m {
		a.AppendColumn(bitset(column))
	}
	return a
}

// sorted returns the columns as strings of digits, item 0 first, descending: the
// left-ordered form.
func (m model) sorted() []string {
	var columns []string
	for _, column := range m {
		columns = append(columns, model{column}.text(len(column)))
	}
	slices.Sort(columns)
	slices.Reverse(columns)
	return columns
}

func TestOrderOfColumnsHasNoMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := anyN().Draw(t, "n")
		m := anyColumns(t, n)
		permuted := rapid.Permutation(m).Draw(t, "permuted")
		a, b := m.allocation(n), permuted.allocation(n)

		left := a.LeftOrdered()
		var columns []string
		for k := range left.K() {
			one := New(n)
			one.AppendColumn(left.Column(k))
			columns = append(columns, one.String())
		}
		if want := m.sorted(); !slices.Equal(columns, want) {
			t.Fatalf("left-ordered columns\n%q\nwant\n%q", columns, want)
		}
		if !slices.EqualFunc(a.Rows(), m.rows(n), slices.Equal) {
			t.Fatal("LeftOrdered changed its receiver")
		}
		if left.String() != b.LeftOrdered().String() || left.String() != left.LeftOrdered().String() {
			t.Fatal("the left-ordered form depends on the order")
		}
		if !a.Equal(b) || !b.Equal(a) || !a.Equal(left) || a.Key() != b.Key() || a.Key() != left.Key() {
			t.Fatal("not equal under a permutation of the columns")
		}
		if x, y := a.LogMultiplicities(), b.LogMultiplicities(); math.Abs(x-y) > 1e-12 {
			t.Fatalf("log multiplicities %v and %v", x, y)
		}
	})
}

// Two allocations are equal, and have equal keys, if and only if their sorted
// columns are equal. Few items make both outcomes frequent.
func TestEqualOnlyIfTheSameColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 3, 65}).Draw(t, "n")
		m := anyColumns(t, n)
		other := rapid.Permutation(m).Draw(t, "other")
		if len(other) > 0 && rapid.Bool().Draw(t, "change") {
			i, k := rapid.IntRange(0, n-1).Draw(t, "i"), rapid.IntRange(0, len(other)-1).Draw(t, "k")
			other[k] = slices.Clone(other[k])
			other[k][i] = 1 - other[k][i]
		}
		a, b, want := m.allocation(n), other.allocation(n), slices.Equal(m.sorted(), other.sorted())
		if a.Equal(b) != want || (a.Key() == b.Key()) != want {
			t.Fatalf("Equal %v, keys equal %v, want %v of\n%v\n\n%v", a.Equal(b), a.Key() == b.Key(), want, a, b)
		}
	})
	for _, test := range []struct{ a, b *Allocation }{
		{New(2), New(3)},
		{New(64), New(65)},
		{mustRows(t, [][]int{{1}, {0}}), mustRows(t, [][]int{{1}, {0}, {0}})},
		{mustRows(t, [][]int{{1, 1}}), mustRows(t, [][]int{{1}})},
	} {
		if test.a.Equal(test.b) || test.b.Equal(test.a) {
			t.Errorf("equal:\n%v\n\n%v", test.a, test.b)
		}
	}
}

// Columns in the order of the numbers 101, 100, 010, 010, 001 read downwards,
// largest first.
func TestLeftOrderedByHand(t *testing.T) {
	a := mustRows(t, [][]int{
		{0, 1, 1, 0, 0},
		{1, 0, 0, 1, 0},
		{0, 1, 0, 0, 1},
	})
	want := strings.Join([]string{"11000", "00110", "10001"}, "\n")
	if got := a.LeftOrdered().String(); got != want {
		t.Errorf("left-ordered form\n%v\nwant\n%v", got, want)
	}
}

func TestMultiplicities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := anyN().Draw(t, "n")
		m := anyColumns(t, n)
		var counts []int
		columns := m.sorted()
		for k, column := range columns {
			if k > 0 && column == columns[k-1] {
				counts[len(counts)-1]++
			} else {
				counts = append(counts, 1)
			}
		}
		a := m.allocation(n)
		want := 0.0
		for _, c := range counts {
			lg, _ := math.Lgamma(float64(c + 1))
			want += lg
		}
		if got := a.LogMultiplicities(); math.Abs(got-want) > 1e-12*math.Max(1, want) {
			t.Fatalf("log multiplicities %v, want %v for %v", got, want, counts)
		}
	})
}

// Columns that differ in one word only, in items up to 64 and beyond: three equal
// and two equal ones make log 3! + log 2!.
func TestMultiplicitiesAcrossWords(t *testing.T) {
	for _, n := range []int{2, 64, 65, 130} {
		first, last := make([]int, n), make([]int, n)
		first[0], last[0], last[n-1] = 1, 1, 1
		a := model{last, first, last, first, last}.allocation(n)
		if got, want := a.LogMultiplicities(), math.Log(12); math.Abs(got-want) > 1e-14 {
			t.Errorf("%d items: log %v, want %v", n, got, want)
		}
	}
	if none := New(3); none.LogMultiplicities() != 0 {
		t.Errorf("no features: log %v", none.LogMultiplicities())
	}
}
