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

// A start by a subsample is in the support of laws under which far items take nothing from each
// other, and keeps features that landmarks have.
func TestSubsampleSupport(t *testing.T) {
	put(t, "x.csv", lineOf(120))
	for distance, expected := range map[string]int{
		"neighbors = 4\nlandmarks = 6":                              30,
		"neighbors = 4\nlandmarks = 0":                              1,
		"cutoff = 20\nlandmarks = 0":                                10,
		"[prior]\ndecay = 'window'\ntemperature = { value = 0.02 }": 10,
	} {
		p := build(t, "[data]\nfile = 'x.csv'\n[sampler]\ninit = 'subsample'\n[distance]\nkind = 'absolute'\ncolumns = ['at']\n"+distance)
		s, err := p.Start(0)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Posterior.CheckStart(s); err != nil {
			t.Errorf("%s: %v", distance, err)
		}
		largest := 0
		for k := range s.Z.K() {
			largest = max(largest, s.Z.Size(k))
		}
		if largest < expected {
			t.Errorf("%s: the largest feature has %d items, expected at least %d", distance, largest, expected)
		}
	}
	// Under a law where all items attract each other nothing is lost.
	p := build(t, "[data]\nfile = 'x.csv'\n[sampler]\ninit = 'subsample'\n[distance]\nkind = 'absolute'\ncolumns = ['at']")
	placed, err := p.subsampleStart(t.Context(), "chain-1")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := p.Start(0); err != nil || !s.Z.Equal(placed.Z) || p.Spec.Sampler.Init != spec.InitSubsample {
		t.Errorf("found %v, %v, expected the features as they were placed", s.Z, err)
	}
}
