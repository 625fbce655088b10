package feature

// The matrix itself: construction from rows, and every reader and change of it
// against a plain list of columns.

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"aibd/internal/oracle/fixture"
)

func mustRows(t testing.TB, rows [][]int) *Allocation {
	t.Helper()
	a, err := FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var mustPanic = fixture.WantPanic

func TestFromRowsErrors(t *testing.T) {
	for _, test := range []struct {
		rows [][]int
		want string
	}{
		{[][]int{{1, 0}, {0, 1}, {1}}, "Z row 3 has 1 entries, expected 2 as in row 1"},
		{[][]int{{}, {1}}, "Z row 2 has 1 entries, expected 0 as in row 1"},
		{[][]int{{1, 0}, {0, 2}}, "Z row 2, column 2: found 2, expected 0 or 1"},
		{[][]int{{-1}}, "Z row 1, column 1: found -1, expected 0 or 1"},
		{[][]int{{1, 0, 1}, {1, 0, 0}}, "Z column 2 is zero: expected a 1 in every column"},
		{[][]int{{0}}, "Z column 1 is zero: expected a 1 in every column"},
	} {
		if a, err := FromRows(test.rows); err == nil || err.Error() != test.want || a != nil {
			t.Errorf("%v: %v, error %v, want %q", test.rows, a, err, test.want)
		}
	}
}

// The smallest matrices: one cell, no features, no items.
func TestFromRowsSmallest(t *testing.T) {
	one := mustRows(t, [][]int{{1}})
	if one.N() != 1 || one.K() != 1 || one.Words() != 1 || !one.Has(0, 0) || one.Size(0) != 1 || one.String() != "1" {
		t.Errorf("one cell: %d x %d, %d words, %q", one.N(), one.K(), one.Words(), one)
	}
	if none := mustRows(t, [][]int{{}, {}}); none.N() != 2 || none.K() != 0 || none.Ones() != 0 || none.String() != "\n" {
		t.Errorf("no features: %d x %d, %q", none.N(), none.K(), none)
	}
	var zero Allocation
	for _, empty := range []*Allocation{mustRows(t, nil), New(0), &zero} {
		if empty.N() != 0 || empty.K() != 0 || empty.Words() != 0 || len(empty.Rows()) != 0 || empty.String() != "" {
			t.Errorf("no items: %d x %d", empty.N(), empty.K())
		}
	}
}

// Items on both sides of the border between two words of a column, in numbers
// that fill the last word and that do not.
func TestFromRowsAcrossWords(t *testing.T) {
	for _, n := range []int{63, 64, 65, 128, 130} {
		rows := make([][]int, n)
		for i := range rows {
			rows[i] = []int{0, (i + 1) % 2}
		}
		rows[n-1][0] = 1
		rows[62][0] = 1
		a := mustRows(t, rows)
		if got := a.Members(nil, 0); !slices.Equal(got, slices.Compact([]int{62, n - 1})) {
			t.Errorf("%d items: members %v", n, got)
		}
		if a.Words() != (n+63)/64 || a.Size(1) != (n+1)/2 || a.Has(n-2, 1) != (n%2 == 0) {
			t.Errorf("%d items: %d words, size %d", n, a.Words(), a.Size(1))
		}
		if !slices.EqualFunc(a.Rows(), rows, slices.Equal) {
			t.Errorf("%d items: rows changed on the way", n)
		}
	}
}

func TestMisuse(t *testing.T) {
	mustPanic(t, "feature: -1 items", func() { New(-1) })
	mustPanic(t, "feature: a column with another number of items", func() { New(65).AppendColumn([]uint64{1}) })
}

// Weights go to the ones of Z feature by feature, and the memory that is given is used.
func TestWeighted(t *testing.T) {
	a := mustRows(t, [][]int{{1, 0}, {0, 1}, {1, 1}})
	memory := []float64{9, 9, 9, 9, 9, 9, 9}
	got := a.Weighted(memory, []float64{-2, 0.5, 0, 3})
	if want := []float64{-2, 0, 0, 0, 0.5, 3}; !slices.Equal(got, want) || &got[0] != &memory[0] {
		t.Errorf("found %v, want %v in the memory given", got, want)
	}
	if got, want := a.Weighted(nil, nil), []float64{1, 0, 0, 1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("without weights: found %v, want %v", got, want)
	}
	mustPanic(t, "feature: 3 weights of 4 ones", func() { a.Weighted(nil, []float64{1, 1, 1}) })
	if got := New(3).Weighted(nil, []float64{}); len(got) != 0 {
		t.Errorf("no features: found %v", got)
	}
}

// Appending to a column's view must not reach into the next column.
func TestColumnViewEnds(t *testing.T) {
	a := mustRows(t, [][]int{{1, 0}, {1, 1}})
	_ = append(a.Column(0), 0)
	if a.Column(1)[0] != 2 || cap(a.Column(0)) != 1 {
		t.Errorf("column 1 is %b, the view of column 0 has room for %d words", a.Column(1)[0], cap(a.Column(0)))
	}
}

// anyN draws a number of items: small, or around the size of a word.
func anyN() *rapid.Generator[int] {
	return rapid.OneOf(rapid.IntRange(1, 9), rapid.SampledFrom([]int{63, 64, 65, 100, 128, 129, 200}))
}

// model is the plain form of an allocation: columns of 0 and 1.
type model [][]int

// bitset returns a column as words.
func bitset(column []int) []uint64 {
	words := make([]uint64, (len(column)+63)/64)
	for i, v := range column {
		words[i/64] |= uint64(v) << (i % 64)
	}
	return words
}

func sum(column []int) int {
	s := 0
	for _, v := range column {
		s += v
	}
	return s
}

// rows returns the transpose.
func (m model) rows(n int) [][]int {
	rows := make([][]int, n)
	for i := range rows {
		rows[i] = make([]int, len(m))
		for k := range m {
			rows[i][k] = m[k][i]
		}
	}
	return rows
}

// text returns the matrix as String promises.
func (m model) text(n int) string {
	lines := make([]string, n)
	for i, row := range m.rows(n) {
		lines[i] = strings.Trim(strings.ReplaceAll(fmt.Sprint(row), " ", ""), "[]")
	}
	return strings.Join(lines, "\n")
}

// check compares all that an allocation says of itself.
func (m model) check(t *rapid.T, a *Allocation, n int) {
	rows := m.rows(n)
	if a.N() != n || a.K() != len(m) || a.Words() != (n+63)/64 {
		t.Fatalf("%d x %d in %d words, want %d x %d", a.N(), a.K(), a.Words(), n, len(m))
	}
	if !slices.EqualFunc(a.Rows(), rows, slices.Equal) || a.String() != m.text(n) {
		t.Fatalf("matrix\n%v\nwant\n%v", a, m.text(n))
	}
	ones := 0
	for k, column := range m {
		var members []int
		for i, v := range column {
			if a.Has(i, k) != (v == 1) {
				t.Fatalf("item %d, feature %d: %v", i, k, a.Has(i, k))
			}
			if v == 1 {
				members = append(members, i)
			}
		}
		if a.Size(k) != len(members) || !slices.Equal(a.Column(k), bitset(column)) || !slices.Equal(a.Members(nil, k), members) {
			t.Fatalf("feature %d: size %d, column %x, members %v, want %v", k, a.Size(k), a.Column(k), a.Members(nil, k), members)
		}
		ones += len(members)
	}
	if a.Ones() != ones {
		t.Fatalf("%d ones, want %d", a.Ones(), ones)
	}
	i, j := rapid.IntRange(0, n-1).Draw(t, "i"), rapid.IntRange(0, n-1).Draw(t, "j")
	shared := 0
	for k := range m {
		shared += rows[i][k] * rows[j][k]
	}
	if a.Shared(i, j) != shared || a.RowSum(i) != sum(rows[i]) {
		t.Fatalf("items %d and %d share %d, want %d; row sum %d, want %d", i, j, a.Shared(i, j), shared, a.RowSum(i), sum(rows[i]))
	}
}

// Any sequence of changes leaves the allocation equal to the model, and a clone
// taken on the way untouched by what follows.
func TestChangesAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := anyN().Draw(t, "n")
		a, m := New(n), model{}
		if rapid.Bool().Draw(t, "sized") {
			a = NewSized(n, rapid.IntRange(0, 4).Draw(t, "room"))
		}
		item, feature := rapid.IntRange(0, n-1), func() int {
			if len(m) == 0 {
				t.Skip("no feature")
			}
			return rapid.IntRange(0, len(m)-1).Draw(t, "k")
		}
		type clone struct {
			a *Allocation
			m model
		}
		var clones []clone
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				m.check(t, a, n)
				for _, c := range clones {
					c.m.check(t, c.a, n)
				}
			},
			"append": func(t *rapid.T) {
				if k := a.Append(); k != len(m) {
					t.Fatalf("Append returned %d, want %d", k, len(m))
				}
				m = append(m, make([]int, n))
			},
			"append column": func(t *rapid.T) {
				column := rapid.SliceOfN(rapid.IntRange(0, 1), n, n).Draw(t, "column")
				a.AppendColumn(bitset(column))
				m = append(m, column)
			},
			"flip": func(t *rapid.T) {
				i, k := item.Draw(t, "i"), feature()
				a.Flip(i, k)
				m[k][i] = 1 - m[k][i]
			},
			"remove": func(t *rapid.T) {
				k := feature()
				a.Remove(k)
				last := len(m) - 1
				m[k] = m[last]
				m = m[:last]
			},
			"clone": func(t *rapid.T) {
				var copied model
				for _, column := range m {
					copied = append(copied, slices.Clone(column))
				}
				clones = []clone{{a.Clone(), copied}}
			},
			"go on with the clone": func(t *rapid.T) {
				if len(clones) == 0 {
					t.Skip("no clone")
				}
				a, m, clones[0] = clones[0].a, clones[0].m, clone{a, m}
			},
		})
	})
}
