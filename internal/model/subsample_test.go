package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"aibd/internal/spec"
	"aibd/mcmc"
)

// twoFeatures returns a table of items with two features far apart, which item i has by its
// number modulo 4, with some unknown cells, and a column that is nearly all unknown.
func twoFeatures(items int) string {
	var b strings.Builder
	b.WriteString("a,b,c,d\n")
	for i := range items {
		first, second := float64(i%2), float64(i/2%2)
		cells := []string{fmt.Sprint(6*first + float64(i%7)/10), fmt.Sprint(5*second + float64(i%5)/10), fmt.Sprint(4*first - 4*second + float64(i%3)/10), "NA"}
		if i%10 == 3 {
			cells[i/10%3] = "NA"
		}
		if i < 2 {
			cells[3] = fmt.Sprint(i)
		}
		b.WriteString(strings.Join(cells, ",") + "\n")
	}
	return b.String()
}

// A start by a subsample has the features of the data, for the items outside the subsample too.
func TestSubsampleStart(t *testing.T) {
	const items = 120
	put(t, "x.csv", twoFeatures(items))
	p := build(t, "[data]\nfile = 'x.csv'\nscale = false\n[prior]\nlaw = 'ibp'\n[sampler]\ninit = 'subsample'\nchains = 2")
	if p.Spec.Sampler.Annealed() != 0 {
		t.Error("annealing would forget the start")
	}
	var keys []string
	for chain := range 2 {
		s, err := p.Start(t.Context(), chain)
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.Start(t.Context(), chain)
		if err != nil || again.Z.Key() != s.Z.Key() || again.Scales != s.Scales || again.Mass != s.Mass {
			t.Errorf("chain %d: found two different starts, %v", chain+1, err)
		}
		// Items with equal features in the data have equal rows, except a few.
		rows, common := s.Z.Rows(), make([]map[string]int, 4)
		for i, row := range rows {
			if common[i%4] == nil {
				common[i%4] = map[string]int{}
			}
			common[i%4][fmt.Sprint(row)]++
		}
		seen := map[string]bool{}
		for group, counts := range common {
			largest, name := 0, ""
			for row, count := range counts {
				if count > largest {
					largest, name = count, row
				}
			}
			if largest < items/4*2/3 || seen[name] {
				t.Errorf("chain %d: group %d has rows %v", chain+1, group, counts)
			}
			seen[name] = true
		}
		if err := p.Posterior.CheckStart(s); err != nil {
			t.Error(err)
		}
		keys = append(keys, fmt.Sprint(s.Z.Key(), s.Mass, s.Scales)) // both may have the true Z
	}
	if keys[0] == keys[1] {
		t.Error("two chains start alike")
	}
}

// Chains of many items with binary features start by a subsample, and those with weights from unlike places, unless the
// spec says otherwise.
func TestDefaultInit(t *testing.T) {
	put(t, "few.csv", twoFeatures(manyItems), "many.csv", twoFeatures(manyItems+1))
	for text, expected := range map[string]string{
		"[data]\nfile = 'few.csv'":                                                          "empty",
		"[data]\nfile = 'many.csv'":                                                         spec.InitSubsample,
		"[data]\nfile = 'many.csv'\n[sampler]\ninit = 'prior'":                              "prior",
		"[data]\nfile = 'many.csv'\nbinary = ['none']\n[likelihood]\nfeatures = 'weighted'": spec.InitMixed,
	} {
		p := build(t, text+"\n[prior]\nlaw = 'ibp'")
		anneals := expected != spec.InitSubsample && !p.Spec.Likelihood.HasWeights()
		if got := p.Spec.Sampler.Init; got != expected || (p.Spec.Sampler.Annealed() > 0) != anneals {
			t.Errorf("%s: found the start %s with %d scans of annealing, expected %s", text, got, p.Spec.Sampler.Annealed(), expected)
		}
	}
	put(t, "x.csv", "a,b\n1,<2\n2,5\n4,3\n")
	for _, c := range []struct{ init, features, got string }{
		{spec.InitSubsample, "binary", "subsample and cells between bounds (limits, categories or counts), expected columns of numbers only"},
		{spec.InitSubsample, "weighted", "subsample and features with weights, expected binary ones"},
		{spec.InitMixed, "binary", "mixed and binary features, expected features with weights"},
		{"factors", "binary", "factors and binary features, expected features with weights"},
	} {
		s := spec.Default()
		s.Data.File, s.Sampler.Init, s.Likelihood.Features = "x.csv", c.init, c.features
		_, err := Load(s)
		wantError(t, err, "sampler.init: found "+c.got)
	}
}

// Placement finds the features of an item though another row fits the most exact column, and the way
// from one to the other leads through rows that the likelihood forbids.
func TestPlacement(t *testing.T) {
	rng := mcmc.NewStream(1, "placement")
	const items = 200
	for _, c := range []struct {
		intercept, x []float64
		loadings     [][]float64
		row          []int
		largest      int // wrong ones
	}{
		// Without exchanges 139 are wrong if the first power is 1/400, and 21 if it depends on the item.
		{[]float64{3, -2.5, 4}, []float64{2.8, 2.5, 0}, [][]float64{{-6, 0, -4}, {0, 5, -4}}, []int{0, 1}, 2},
		// No exchange leads from neither feature to both. If the first power is 1/400, 137 are wrong.
		{[]float64{3, 2.5, 0}, []float64{-3, -2.5, 0}, [][]float64{{-6, 0, -4}, {0, -5, 4}}, []int{1, 1}, 70},
	} {
		p := placement{intercept: c.intercept, loadings: c.loadings, odds: []float64{0, 0}, precision: []float64{26, 48, 148}}
		wrong := 0
		for range items {
			if row := p.draw(rng, c.x); !slices.Equal(row, c.row) {
				wrong++
			}
		}
		if wrong > c.largest {
			t.Errorf("placed %d of %d items with features %v wrong, expected at most %d", wrong, items, c.row, c.largest)
		}
	}
}

// Chains of many items flip no blocks. Those of narrow tables flip fewer, and update the other unknowns less
// often.
func TestDefaultMoves(t *testing.T) {
	put(t, "few.csv", twoFeatures(mcmc.MaxClustered), "many.csv", twoFeatures(mcmc.MaxClustered+1))
	for text, expected := range map[string][2]int{
		"[data]\nfile = 'few.csv'":                                   {5, 3},
		"[data]\nfile = 'many.csv'":                                  {0, 10},
		"[data]\nbuiltin = 'usstates'\n[sampler]\nother_updates = 4": {5, 4},
	} {
		o := build(t, text+"\n[prior]\nlaw = 'ibp'").Scan()
		if got := [2]int{o.Clusters, o.OtherUpdates}; got != expected {
			t.Errorf("%s: found %d block flips and other updates, expected %d", text, got, expected)
		}
	}
}

// A chain that is stopped while its start is made says so.
func TestSubsampleStops(t *testing.T) {
	put(t, "x.csv", twoFeatures(40))
	p := build(t, "[data]\nfile = 'x.csv'\n[prior]\nlaw = 'ibp'\n[sampler]\ninit = 'subsample'")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := p.NewChain(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("found %v, expected a chain that was stopped", err)
	}
}
