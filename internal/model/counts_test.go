package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"aibd/lglfm"
)

const tallies = `id,a,b,c
i1,0,10,1.5
i2,3,<2,2
i3,1,>=7,4
i4,NA,<=4,3.5
i5,12,0,1
i6,0,>7,7
`

// TestCounts: counts are intervals of latent values, limits on counts those of whole numbers, and read again they
// are the same. The noise scale of a column of counts is unknown.
func TestCounts(t *testing.T) {
	put(t, "x.csv", tallies)
	text := "[data]\nfile = 'x.csv'\ncount = ['a', 'b']\nscale = true\n[prior]\nlaw = 'ibp'\n"
	p := build(t, text)
	if !slices.Equal(p.Counts, []bool{true, true, false}) {
		t.Fatalf("counts %v", p.Counts)
	}
	inf := math.Inf(1)
	want := map[[2]int][2]float64{
		{0, 0}: {0, 1}, {1, 0}: {3, 4}, {2, 0}: {1, 2}, {4, 0}: {12, 13}, {5, 0}: {0, 1},
		{0, 1}: {10, 11}, {1, 1}: {0, 2}, {2, 1}: {7, inf}, {3, 1}: {0, 5}, {4, 1}: {0, 1}, {5, 1}: {8, inf},
	}
	for _, b := range p.Bounds {
		ends := want[[2]int{b.Item, b.Variable}]
		for k, end := range []float64{b.Lower, b.Upper} {
			want := math.Inf(-1)
			if ends[k] > 0 {
				want = math.Sqrt(ends[k])
			}
			if got := p.Units.Linear(b.Variable, end); got != want && !(math.Abs(got-want) < 1e-12) {
				t.Errorf("item %d, column %d: end %d is %v, want %v", b.Item+1, b.Variable+1, k+1, got, want)
			}
		}
	}
	if len(p.Bounds) != len(want) {
		t.Errorf("%d bounds, want %d", len(p.Bounds), len(want))
	}
	if free := p.Posterior.Data.FreeNoiseScales(); !slices.Equal(free, []bool{true, true, true}) {
		t.Errorf("free noise scales %v", free)
	}
	// The mean of the transformed y + 1/2 is 0, their standard deviation 1.
	sum := 0.0
	for _, row := range p.Latent {
		if !math.IsNaN(row[0]) {
			sum += row[0]
		}
	}
	if math.Abs(sum) > 1e-12 || p.Count(0, p.Latent[4][0]) != 12 {
		t.Errorf("sum of latent values %v, a count of 12 is %v", sum, p.Count(0, p.Latent[4][0]))
	}
	// Latent values below all ends are of the count 0, and all others of the count whose interval has them.
	for _, count := range []float64{0, 1, 2, 17, 1e6} {
		lower, upper := p.CountEnds(0, count)
		for _, x := range []float64{max(lower, -50), (max(lower, upper-1) + upper) / 2} {
			if got := p.Count(0, x+1e-12); got != count {
				t.Errorf("the latent value %v is of the count %v, want %v", x, got, count)
			}
		}
	}
	again, err := observed(p)
	if err != nil || !slices.Equal(again.Bounds, p.Bounds) || !slices.Equal(again.MinNoise, p.MinNoise) {
		t.Errorf("read again: %v, %v", again.Bounds, err)
	}
	// Counts alone: SigmaX is unknown, since the intervals determine it.
	p = build(t, strings.Replace(text, "'b']", "'b']\ncolumns = ['a', 'b']", 1))
	if p.Spec.Prior.SigmaX.Fixed {
		t.Error("SigmaX is fixed")
	}
}

// TestCountNoise: the least noise comes from the narrowest interval, not from gaps between counts.
func TestCountNoise(t *testing.T) {
	put(t, "x.csv", "a,b\n0,1\n30,2\n0,4\n0,3\n")
	p := build(t, "[data]\nfile = 'x.csv'\ncount = ['a']\nscale = false\n[prior]\nlaw = 'ibp'\n")
	if got, want := p.MinNoise[0], (math.Sqrt(31)-math.Sqrt(30))/math.Sqrt(2*math.Pi); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestCountErrors: cells that are not counts are named, and columns with two meanings.
func TestCountErrors(t *testing.T) {
	put(t, "x.csv", "id,a,b,kind\ni1,0,1,x\ni2,2.5,2,y\ni3,1,-3,x\ni4,4,1e13,y\ni5,5,3,x\n", "zeros.csv", "a,b\n0,1\n0,2\n0,4\n")
	const text = "[data]\nfile = '%s.csv'\n%s\n[prior]\nlaw = 'ibp'\n"
	for _, c := range []struct{ file, data, want string }{
		{"x", "count = ['a']", `data.count: x.csv: line 3, column "a": found 2.5, expected a count: 0, 1, 2 and so on, up to 1e12`},
		{"x", "count = ['b']", `data.count: x.csv: line 4, column "b": found -3, expected a count: 0, 1, 2 and so on, up to 1e12`},
		{"x", "count = ['b']\nmissing = ['-3']", `data.count: x.csv: line 5, column "b": found 1e+13, expected a count: 0, 1, 2 and so on, up to 1e12`},
		{"x", "count = ['a']\nlog1p = ['*']", `data.count: column "a": found it in count and in data.log1p, expected it in one of them`},
		{"x", "count = ['kind']\nbinary = ['kind']", `data.count: x.csv: column "kind": found a binary or ordinal column, expected numbers`},
		{"zeros", "count = ['a']\ncolumns = ['a', 'b']", `data.count: zeros.csv: column "a": found only counts of 0, expected a larger one (--columns '!NAME' leaves out a column)`},
	} {
		_, err := Load(parse(t, fmt.Sprintf(text, c.file, c.data)))
		wantError(t, err, c.want)
	}
}

// TestCountHoldout: hidden cells leave two different counts in each column.
func TestCountHoldout(t *testing.T) {
	var x strings.Builder
	x.WriteString("a,b,c\n")
	for i := range 20 {
		fmt.Fprintf(&x, "%d,%d,%d\n", max(0, i-18), i%3, i)
	}
	put(t, "x.csv", x.String())
	for seed := range 20 {
		p := build(t, fmt.Sprintf("[data]\nfile = 'x.csv'\ncount = ['*']\nid = '-'\nholdout = 0.5\n[prior]\nlaw = 'ibp'\n[sampler]\nseed = %d\n", seed+1))
		positive := slices.ContainsFunc(p.Bounds, func(b lglfm.Bound) bool { return b.Variable == 0 && !math.IsInf(b.Lower, 0) })
		if len(p.Held) != 30 || !positive {
			t.Errorf("seed %d: %d cells hidden, a positive count left: %v", seed+1, len(p.Held), positive)
		}
	}
}

// TestCountNote: whole numbers with many zeros or a long tail of small numbers are named, none of them a count in
// silence; large whole numbers, few categories, fractions and columns with a transformation are not.
func TestCountNote(t *testing.T) {
	var x strings.Builder
	x.WriteString("zeros,tail,large,few,fraction,even,logged,counted\n")
	for i := range 30 {
		tail := 1 + i%3
		if i == 7 {
			tail = 60
		}
		fmt.Fprintf(&x, "%d,%d,%d,%d,%v,%d,%d,%d\n", max(0, i%10-4), tail, 1000*tail*tail, i%3, float64(max(0, i%10-4))/2, 3+i%11, max(0, i%10-4), max(0, i%9-4))
	}
	put(t, "x.csv", x.String())
	p := build(t, "[data]\nfile = 'x.csv'\nid = '-'\nlog1p = ['logged']\ncount = ['counted']\n[prior]\nlaw = 'ibp'\n")
	const want = "whole numbers with many zeros or a long tail: zeros, tail; features may fit the zeros (--count 'counted,zeros,tail' takes counts)"
	if !slices.Contains(p.Notes, want) || !slices.Equal(p.Counts, []bool{false, false, false, false, false, false, false, true}) {
		t.Errorf("notes %q, counts %v", p.Notes, p.Counts)
	}
	// Flags repeat what the spec says, and take columns that must change as categories.
	for j, want := range map[int]string{0: "--count 'counted,zeros,tail' --ordinal 'large,few'", 5: "--count 'counted,zeros,tail' --ordinal 'large,few,even'", 4: ""} {
		if got := p.Switch(p.Spec.Data, p.Columns, func(v int) bool { return v == j }); got != want {
			t.Errorf("column %d: found %q, expected %q", j, got, want)
		}
	}
	// A column of two counts is not called one of two values.
	put(t, "x.csv", strings.ReplaceAll("a,b\n0,1\n3,2\nZ,3\nZ,5\nZ,4\nZ,9\n", "Z", "0"))
	if p := build(t, "[data]\nfile = 'x.csv'\ncount = ['a']\nid = '-'\n[prior]\nlaw = 'ibp'\n"); len(p.Notes) > 0 {
		t.Errorf("notes %q", p.Notes)
	}
}

// One treatment is proposed for all columns that look alike: ratings with the same levels, and abundances, of which none is
// binary because its largest count is 1.
func TestAlike(t *testing.T) {
	table := func(cell func(i, j int) int, columns int) string {
		var x strings.Builder
		for j := range columns {
			fmt.Fprintf(&x, ",v%d", j)
		}
		x.WriteString(",depth\n")
		for i := range 60 {
			fmt.Fprintf(&x, "i%d", i)
			for j := range columns {
				fmt.Fprintf(&x, ",%d", cell(i, j))
			}
			fmt.Fprintf(&x, ",%v\n", float64(i*i%61)/7)
		}
		return x.String()
	}
	ratings := func(i, j int) int { return 1 + (i*(j+2)+i*i/(j+3))%7 }
	for _, c := range []struct{ table, want string }{
		{table(ratings, 6), "few different values: v0, v1, v2 and 3 more; features may fit them exactly (--ordinal 'v*' takes categories)"},
		{table(ratings, 4), ""},
		{table(func(i, j int) int { return ratings(i, j) * (1 + j) }, 6), ""},
		{table(func(i, j int) int { return max(0, ratings(i, j)-6+j) }, 8), "whole numbers with many zeros or a long tail: v0, v1, v2 and 5 more; features may fit the zeros (--count 'v*' takes counts)"},
	} {
		put(t, "x.csv", c.table)
		p := build(t, "[data]\nfile = 'x.csv'\nbinary = ['auto']\n[prior]\nlaw = 'ibp'\n")
		notes := slices.DeleteFunc(slices.Clone(p.Notes), func(note string) bool { return !strings.Contains(note, "takes c") })
		if c.want == "" && len(notes) > 0 || c.want != "" && !slices.Equal(notes, []string{c.want}) || len(p.Spec.Data.Binary) > 0 {
			t.Errorf("found %q and binary %q, expected %q of\n%s", p.Notes, p.Spec.Data.Binary, c.want, c.table[:200])
		}
	}
}
