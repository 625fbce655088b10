package model

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"aibd/lglfm"
)

const bounded = `id,a,b,sick,word
i1,1,10,1,yes
i2,<2,20,0,no
i3,3,>30,1,yes
i4,4,40,NA,no
i5,5,50,0,
`

// TestBounds: limits are in the units of X, and binary columns signs; read again they are the
// same. The hash of the data depends on them.
func TestBounds(t *testing.T) {
	put(t, "x.csv", bounded)
	const text = "[data]\nfile = 'x.csv'\nscale = true\nlog = ['b']\nbinary = ['sick', 'word']\n[prior]\nlaw = 'ibp'\n"
	p := build(t, text)
	inf := math.Inf(1)
	if !slices.Equal(p.Columns, []string{"a", "b", "sick", "word"}) || p.Categories[0] != nil || p.Categories[3].Labels[1] != "yes" || p.Categories[2].Labels[0] != "0" {
		t.Fatalf("columns %v, categories %+v", p.Columns, p.Categories)
	}
	want := []lglfm.Bound{
		{Item: 1, Variable: 0, Lower: -inf, Upper: p.Units.Do(0, 2)}, {Item: 2, Variable: 1, Lower: p.Units.Do(1, 30), Upper: inf},
	}
	if !slices.Equal(p.Bounds, want) {
		t.Errorf("bounds %v, want %v", p.Bounds, want)
	}
	categories := []lglfm.Ordinal{{Variable: 2, Levels: 2, Level: []int{1, 0, 1, -1, 0}}, {Variable: 3, Levels: 2, Level: []int{1, 0, 1, 0, -1}}}
	if !reflect.DeepEqual(p.Ordinal, categories) {
		t.Errorf("categories %v, want %v", p.Ordinal, categories)
	}
	if p.DataHash != "e7f94ce26cff40632800e68da17e2efcd15997dcbd9435a187f90191213ded88" {
		t.Errorf("hash %s: runs made before cannot be resumed", p.DataHash)
	}
	if d := p.Posterior.Data; d.Bounded() != 10 || d.Unknown() != 12 {
		t.Errorf("%d cells with bounds of %d unknown ones, want 10 of 12", d.Bounded(), d.Unknown())
	}
	// Column a has the mean and the sd of 1, 3, 4 and 5.
	if got, want := p.Units.Do(0, 2), (2-3.25)/math.Sqrt(8.75/3); math.Abs(got-want) > 1e-12 {
		t.Errorf("the limit 2 is %v, want %v", got, want)
	}
	again, err := observed(p)
	if err != nil || !slices.Equal(again.Bounds, p.Bounds) || !reflect.DeepEqual(again.Ordinal, p.Ordinal) {
		t.Errorf("read again: %v, %v", again.Bounds, err)
	}
	put(t, "x.csv", strings.Replace(bounded, "<2", "<2.5", 1))
	if other := build(t, text); other.DataHash == p.DataHash {
		t.Error("another limit gives the same hash")
	}
	// Signs alone do not determine the scale.
	p = build(t, "[data]\nfile = 'x.csv'\ncolumns = ['sick', 'word']\nbinary = ['sick', 'word']\n[prior]\nlaw = 'ibp'\n")
	if x, a := p.Spec.Prior.SigmaX, p.Spec.Prior.SigmaA; !x.Fixed || *x.Value != 1 || a.Max != 3 {
		t.Errorf("SigmaX %+v, SigmaA %+v", x, a)
	}
	p = build(t, "[data]\nfile = 'x.csv'\ncolumns = ['sick', 'word']\nbinary = ['sick', 'word']\n[prior]\nlaw = 'ibp'\nsigma_x = { shape = 2, rate = 2 }\n")
	if x := p.Spec.Prior.SigmaX; x.Fixed {
		t.Errorf("a given prior of SigmaX becomes %+v", x)
	}
	p = build(t, "[data]\nfile = 'x.csv'\ncolumns = ['sick', 'word']\nbinary = ['sick', 'word']\n[prior]\nlaw = 'ibp'\nsigma_x = { value = 2, fixed = true }\n")
	if a := p.Spec.Prior.SigmaA; a.Max != 6 {
		t.Errorf("SigmaX is fixed at 2, SigmaA %+v, expected a maximum of 6", a)
	}
	// A hidden cell of a binary column has no bound.
	p = build(t, strings.Replace(text, "scale = true", "scale = true\nholdout = 0.3", 1))
	for _, h := range p.Held {
		if p.Categories[h.Variable] != nil && (h.Value != 0 && h.Value != 1 || slices.ContainsFunc(p.Ordinal, func(o lglfm.Ordinal) bool { return o.Variable == h.Variable && o.Level[h.Item] != -1 })) {
			t.Errorf("%+v is hidden and has a category, or another value", h)
		}
	}
}
