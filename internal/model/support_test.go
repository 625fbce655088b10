package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"aibd/feature"
	"aibd/internal/spec"
	"aibd/mcmc"
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

// A start by a subsample is in the support of laws under which far items take nothing from each
// other, and keeps features that far items have.
func TestSubsampleSupport(t *testing.T) {
	put(t, "x.csv", lineOf(120))
	for distance, expected := range map[string]int{
		"neighbors = 4\nfar = 6": 30,
		"neighbors = 4\nfar = 0": 1,
		"cutoff = 20\nfar = 0":   10,
	} {
		for _, features := range []string{"binary", "weighted", "graded"} {
			p := build(t, fmt.Sprintf("[data]\nfile = 'x.csv'\nnoise = 'columns'\n[likelihood]\nfeatures = '%s'\n[sampler]\ninit = 'subsample'\n[distance]\nkind = 'absolute'\ncolumns = ['at']\n%s", features, distance))
			s, err := p.Start(t.Context(), 0)
			if err != nil {
				t.Fatalf("%s: %s: %v", features, distance, err)
			}
			if err := p.Posterior.CheckStart(s); err != nil {
				t.Errorf("%s: %s: %v", features, distance, err)
			}
			if features != "binary" {
				continue
			}
			largest := 0
			for k := range s.Z.K() {
				largest = max(largest, s.Z.Size(k))
			}
			if largest < expected {
				t.Errorf("%s: the largest feature has %d items, expected at least %d", distance, largest, expected)
			}
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

// Items on a line have one of two features by turns of four. The features spread in the order of
// a start without a loss. A random order loses entries.
func TestSpreadingOrder(t *testing.T) {
	const n = 200
	places, z := make([][]float64, n), make([][]int, n)
	for i := range z {
		places[i], z[i] = []float64{float64(i)}, []int{1, 0, 0}
		z[i][1+i/4%2] = 1
	}
	points, err := similarity.NewPoints(places)
	if err != nil {
		t.Fatal(err)
	}
	edges := points.Nearest(12)
	placed, err := feature.FromRows(z)
	if err != nil {
		t.Fatal(err)
	}
	rng := mcmc.NewStream(1, "order").Rand
	lost := func(order []int) int {
		law, err := prior.NewAIBD(prior.NewAffinity(edges, similarity.Exponential{}), 1, 1, order)
		if err != nil {
			t.Fatal(err)
		}
		kept, _ := supported(law, placed, nil)
		entries := 2 * n
		for k := range kept.K() {
			entries -= kept.Size(k)
		}
		return entries
	}
	order := spreadingOrder(rng, edges, z)
	if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, prior.Identity(n)) {
		t.Fatalf("found %v, expected each of %d items once", order, n)
	}
	// Another place for each item makes rows that the law allows, and changes no others.
	place := newPlacement(placing{intercept: []float64{0}, noise: []float64{0.1}, loadings: [][]float64{{1}, {2}, {4}}, odds: []float64{0, 0, 0}})
	for name, order := range map[string][]int{"spreading": order, "random": rng.Perm(n)} {
		law, err := prior.NewAIBD(prior.NewAffinity(edges, similarity.Exponential{}), 1, 1, order)
		if err != nil {
			t.Fatal(err)
		}
		rows := make([][]int, n)
		for i := range rows {
			rows[i] = slices.Clone(z[i])
		}
		stream := mcmc.NewStream(1, "rows")
		drawn := conform(law, rows, func(i int, allowed []bool) []int {
			row, _ := place.draw(stream, []float64{float64(1 + 2*z[i][1] + 4*z[i][2])}, allowed)
			return row
		})
		if drawn != (name == "random") {
			t.Errorf("%s: drew rows %v", name, drawn)
		}
		allowed, err := feature.FromRows(rows)
		if err != nil {
			t.Fatal(err)
		}
		left, _ := supported(law, allowed, nil)
		entries, kept, all := 0, left.Ones(), 0
		for i := range rows {
			entries += rows[i][0] + rows[i][1] + rows[i][2]
			all += z[i][0] + z[i][1] + z[i][2]
		}
		if kept != entries || name == "spreading" && entries != all {
			t.Errorf("%s: the law allows %d of %d entries, placed were %d", name, kept, entries, all)
		}
	}
	if spread, random := lost(order), lost(rng.Perm(n)); spread != 0 || random < n/4 {
		t.Errorf("lost %d entries, and %d in a random order; expected 0, and at least %d", spread, random, n/4)
	}
}
