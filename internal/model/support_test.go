package model

import (
	"fmt"
	"strings"
	"testing"

	"aibd/internal/spec"
)

// lineOf returns a table of items at places on a line, in two distant halves, with one feature of
// every third item.
func lineOf(items int) string {
	var b strings.Builder
	b.WriteString("a,b,at\n")
	for i := range items {
		fmt.Fprintf(&b, "%v,%v,%d\n", 5*float64(i%3/2)+float64(i%7)/20, 4*float64(i%3/2)+float64(i%5)/20, i+1000*(2*i/items))
	}
	return b.String()
}

// A start by a subsample, or at factors, is in the support of a law under which the two halves of the items take nothing from each
// other.
func TestSubsampleSupport(t *testing.T) {
	const n = 120
	var halves strings.Builder
	for i := range n {
		for j := range n {
			distance := fmt.Sprint(max(i-j, j-i))
			if 2*i/n != 2*j/n {
				distance = "Inf"
			}
			halves.WriteString(distance + ",")
		}
		halves.WriteString("\n")
	}
	put(t, "x.csv", lineOf(n), "halves.csv", strings.ReplaceAll(halves.String(), ",\n", "\n"))
	for features, init := range map[string]string{"binary": spec.InitSubsample, "weighted": "factors", "graded": "factors"} {
		p := build(t, fmt.Sprintf("[data]\nfile = 'x.csv'\ncolumns = ['a', 'b']\nnoise = 'columns'\n[likelihood]\nfeatures = '%s'\n[sampler]\ninit = '%s'\n[distance]\nkind = 'matrix'\nfile = 'halves.csv'", features, init))
		s, err := p.Start(t.Context(), 0)
		if err != nil {
			t.Fatalf("%s: %v", features, err)
		}
		if err := p.Posterior.CheckStart(s); err != nil {
			t.Errorf("%s: %v", features, err)
		}
		if s.Z.Ones() < n/8 {
			t.Errorf("%s: found %d entries, expected most of the 20 with the feature in one half", features, s.Z.Ones())
		}
		if features == "binary" {
			placed, err := p.subsampleStart(t.Context(), "chain-1")
			if err != nil {
				t.Fatal(err)
			}
			if kept := s.Z.Ones(); kept < placed.Z.Ones()/2 || kept == placed.Z.Ones() {
				t.Errorf("found %d entries, as placed %d, expected fewer and at least half of them", kept, placed.Z.Ones())
			}
		}
	}
	// Under a law where all items attract each other nothing is lost.
	p := build(t, "[data]\nfile = 'x.csv'\nnoise = 'columns'\n[sampler]\ninit = 'subsample'\n[likelihood]\nfeatures = 'binary'\n[distance]\nkind = 'absolute'\ncolumns = ['at']")
	placed, err := p.subsampleStart(t.Context(), "chain-1")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := p.Start(t.Context(), 0); err != nil || !s.Z.Equal(placed.Z) || p.Spec.Sampler.Init != spec.InitSubsample {
		t.Errorf("found %v, %v, expected the features as they were placed", s.Z, err)
	}
}
