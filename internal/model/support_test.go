package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"aibd/feature"
	"aibd/internal/spec"
	"aibd/prior"
	"aibd/similarity"
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

// A start by a subsample is in the support of a law under which the two halves of the items take nothing from each
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
	for _, features := range []string{"binary", "weighted", "graded"} {
		p := build(t, fmt.Sprintf("[data]\nfile = 'x.csv'\ncolumns = ['a', 'b']\nnoise = 'columns'\n[likelihood]\nfeatures = '%s'\n[sampler]\ninit = 'subsample'\n[distance]\nkind = 'matrix'\nfile = 'halves.csv'", features))
		s, err := p.Start(t.Context(), 0)
		if err != nil {
			t.Fatalf("%s: %v", features, err)
		}
		if err := p.Posterior.CheckStart(s); err != nil {
			t.Errorf("%s: %v", features, err)
		}
		placed, err := p.subsampleStart(t.Context(), "chain-1")
		if err != nil {
			t.Fatal(err)
		}
		if kept := s.Z.Ones(); kept < placed.Z.Ones()/2 || features == "binary" && kept == placed.Z.Ones() {
			t.Errorf("%s: found %d entries, as placed %d, expected at least half of them, and of binary features fewer", features, kept, placed.Z.Ones())
		}
	}
	// Under a law where all items attract each other nothing is lost.
	p := build(t, "[data]\nfile = 'x.csv'\nnoise = 'columns'\n[sampler]\ninit = 'subsample'\n[distance]\nkind = 'absolute'\ncolumns = ['at']")
	placed, err := p.subsampleStart(t.Context(), "chain-1")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := p.Start(t.Context(), 0); err != nil || !s.Z.Equal(placed.Z) || p.Spec.Sampler.Init != spec.InitSubsample {
		t.Errorf("found %v, %v, expected the features as they were placed", s.Z, err)
	}
}

// Items 1 to 3 and items 4 and 5 take nothing from each other. Item 5 cannot have the feature of items 1 and 2, since
// item 4 lacks it. Item 4 attends to all items before it, since none attracts it.
func TestSupported(t *testing.T) {
	far := math.Inf(1)
	distance, err := similarity.NewMatrix([][]float64{{0, 1, 1, far, far}, {1, 0, 1, far, far}, {1, 1, 0, far, far}, {far, far, far, 0, 1}, {far, far, far, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	law, err := prior.NewAIBD(prior.NewAffinity(distance, similarity.Exponential{}), 1, 1, prior.Identity(5))
	if err != nil {
		t.Fatal(err)
	}
	z, want := feature.New(5), feature.New(5)
	for _, column := range []uint64{0b10011, 0b11000, 0b11001} {
		z.AppendColumn([]uint64{column})
	}
	for _, column := range []uint64{0b00011, 0b11000, 0b11001} {
		want.AppendColumn([]uint64{column})
	}
	kept, weights := supported(law, z, []float64{1, 2, 3, 4, 5, 6, 7, 8})
	if !kept.Equal(want) || !slices.Equal(weights, []float64{1, 2, 4, 5, 6, 7, 8}) {
		t.Errorf("found\n%v with weights %v, expected\n%v without the third weight", kept, weights, want)
	}
}
