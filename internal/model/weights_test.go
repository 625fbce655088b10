package model

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"aibd/internal/spec"
	"aibd/mcmc"
	"aibd/similarity"
)

// Weights follow distances whose similarities are correlations at all rates, and a note names the others.
func TestWeightDistances(t *testing.T) {
	const notCorrelations = "weights do not follow this distance: found distances whose similarities are no correlations at some rate, expected distances as between points"
	put(t, "x.csv", "a,b,at,lat,lon,group\n1,2,1,5,10,u\n2,1,2,6,11,v\n4,3,4,-7,12,u\n0,3,9,8,100,v\n2,2,9,9,14,w\n",
		"path.csv", "0,1,3,8,8\n1,0,2,7,7\n3,2,0,5,5\n8,7,5,0,0\n8,7,5,0,0\n",
		"sides.csv", "0,2,1,1,1\n2,0,1,1,1\n1,1,0,2,2\n1,1,2,0,2\n1,1,2,2,0\n", // steps between the items of two sides
		"one-way.csv", "0,1,3,8,8\n2,0,2,7,7\n3,2,0,5,5\n8,7,5,0,1\n8,7,5,1,0\n",
		"similar.csv", "1,0.5,0,0,0\n0.5,1,0,0,0\n0,0,1,0,0\n0,0,0,1,0.9\n0,0,0,0.9,1\n",
		"unlike.csv", "1,0.9,0,0,0\n0.9,1,0.9,0,0\n0,0.9,1,0,0\n0,0,0,1,0\n0,0,0,0,1\n") // item 2 is like items that are not alike
	const (
		absolute = "[[distance]]\nkind = 'absolute'\ncolumns = ['at']\n"
		file     = "[[distance]]\nkind = 'matrix'\nfile = '%s.csv'\n"
	)
	for _, c := range []struct {
		text, features string
		want           string // distances that weights follow, and whether with rates
		note           string
	}{
		{absolute, "weighted", "0+", ""},
		{absolute, "graded", "0+", ""},
		{absolute + "[prior]\nlaw = 'ibp'\n", "weighted", "0+", ""},
		{absolute + "[prior]\nlaw = 'ddibp'\n", "weighted", "0+", ""},
		{absolute, "binary", "independent", ""},
		{"", "weighted", "independent", ""},
		{"", "graded", "", ""},
		{"[[distance]]\nkind = 'same'\ncolumns = ['group']\n", "weighted", "0", ""},
		{"[[distance]]\nkind = 'great-circle'\ncolumns = ['lon', 'lat']\n", "weighted", "0+", ""},
		{"[[distance]]\nkind = 'euclidean'\ncolumns = ['at', 'lat']\n", "weighted", "0+", ""},
		{"[[distance]]\nkind = 'gower'\ncolumns = ['at', 'group']\n", "weighted", "0+", ""},
		{fmt.Sprintf(file, "path"), "weighted", "0+", ""},
		{fmt.Sprintf(file, "sides"), "weighted", "", "sides.csv: " + notCorrelations},
		{fmt.Sprintf(file, "one-way"), "weighted", "", "one-way.csv: weights do not follow this distance: found distances that are not symmetric or all 0"},
		{fmt.Sprintf(file, "sides") + absolute, "weighted", "1+", "sides.csv: " + notCorrelations},
		{fmt.Sprintf(file, "similar") + "[prior]\ndecay = 'given'\n", "weighted", "0", ""},
		{fmt.Sprintf(file, "unlike") + "[prior]\ndecay = 'given'\n", "weighted", "", "unlike.csv: weights do not follow this distance: found similarities that are no correlations"},
	} {
		p := build(t, "[data]\nfile = 'x.csv'\ncolumns = ['a', 'b']\n[likelihood]\nfeatures = '"+c.features+"'\n"+c.text)
		got := "independent"
		if w := p.Posterior.Weights; w != nil {
			got = ""
			for m, d := range p.Weights {
				got += fmt.Sprint(d.Distance)
				if near := w.Near[m]; d.MinRate > 0 && d.MaxRate > d.MinRate {
					got += "+"
				} else if d.MaxRate != 0 {
					t.Errorf("%s: found rates from %v to %v", c.text, d.MinRate, d.MaxRate)
				} else if near.Distances.At(0, 1) != map[bool]float64{true: 0.5}[strings.Contains(c.text, "similar")] || near.Distances.At(3, 2) != 0 {
					t.Errorf("%s: found other correlations than %v", c.text, near.Distances)
				}
			}
			if len(w.Near) != len(p.Weights) {
				t.Errorf("%s: found %d distances in the prior, expected %d", c.text, len(w.Near), len(p.Weights))
			}
		}
		noted := ""
		for _, note := range p.Notes {
			if strings.Contains(note, "weights do not follow") {
				noted += note
			}
		}
		if got != c.want || !strings.HasPrefix(noted, c.note) || (noted == "") != (c.note == "") {
			t.Errorf("%s features, %s: found %q and the note %q, expected %q and %q", c.features, c.text, got, noted, c.want, c.note)
		}
	}
}

// Weights of many items depend on neighbors. The distances of very many that the law does not need are computed: they are
// those that are stored.
func TestWeightsOfManyItems(t *testing.T) {
	put(t, "few.csv", lineOf(mcmc.MaxExact), "many.csv", lineOf(mcmc.MaxExact+1), "more.csv", lineOf(storedItems+1))
	for file, want := range map[string]int{"few.csv": 0, "many.csv": 20, "more.csv": 20} {
		prior := func(law string) *mcmc.WeightPrior {
			return build(t, "[data]\nfile = '"+file+"'\n[likelihood]\nfeatures = 'weighted'\n[distance]\nkind = 'euclidean'\ncolumns = ['at', 'a']\nshift = 0.5\n[prior]\nlaw = '"+law+"'\n").Posterior.Weights
		}
		computed, stored := prior("ibp"), prior("aibd")
		if computed.Neighbors != want || stored.Neighbors != want {
			t.Errorf("%s: found %d and %d neighbors, expected %d", file, computed.Neighbors, stored.Neighbors, want)
		}
		a, b := computed.Near[0], stored.Near[0]
		if file == "more.csv" {
			if _, ok := a.Distances.(*similarity.Matrix); ok {
				t.Errorf("%s: found stored distances, expected them computed", file)
			}
		}
		for i := range b.Distances.N() {
			for j := range i {
				if x, y := a.Distances.At(i, j), b.Distances.At(i, j); x != y {
					t.Fatalf("%s: found distance %v of items %d and %d, expected %v", file, x, i+1, j+1, y)
				}
			}
		}
		if a.MinRate != b.MinRate || a.MaxRate != b.MaxRate {
			t.Errorf("%s: found rates from %v to %v, expected %v to %v", file, a.MinRate, a.MaxRate, b.MinRate, b.MaxRate)
		}
	}
}

// Above spec.ManyItems items the law that nobody gave is the IBP. One note says so, and none that distances are missing.
func TestNoteOnManyItems(t *testing.T) {
	put(t, "x.csv", lineOf(spec.ManyItems+1))
	p := build(t, "[data]\nfile = 'x.csv'\n[likelihood]\nfeatures = 'weighted'\n[distance]\nkind = 'absolute'\ncolumns = ['at']\n")
	var notes []string
	for _, note := range p.Notes {
		if strings.Contains(note, "law is ibp") {
			notes = append(notes, note)
		}
	}
	if p.Spec.Prior.Law != "ibp" || len(notes) != 1 || !strings.HasPrefix(notes[0], "more than 1000 items") {
		t.Errorf("found the law %s and the notes %q, expected one on many items", p.Spec.Prior.Law, notes)
	}
}

// The hash of the data depends on the places of many items. Item 3 moves to the other side of a line on which all but items
// 3 and 5 are: its distances from the first item and from its neighbors in the file stay.
func TestHashOfComputedDistances(t *testing.T) {
	hash := func(side int) string {
		text := "a,b,x,y\n"
		for i := range storedItems + 1 {
			y := 0
			switch i {
			case 2:
				y = side
			case 4:
				y = 2
			}
			text += fmt.Sprintf("%d,%d,%d,%d\n", i%7, i%5, i, y)
		}
		put(t, "x.csv", text)
		return build(t, "[data]\nfile = 'x.csv'\n[likelihood]\nfeatures = 'weighted'\n[distance]\nkind = 'euclidean'\ncolumns = ['x', 'y']\n[prior]\nlaw = 'ibp'\n").DataHash
	}
	if a, b := hash(1), hash(-1); a == b {
		t.Errorf("found the hash %s for both places", a)
	}
}

// Rates are between half of 1 over the median distance and 1 over the median distance to the nearest other place, at
// least twice the lower bound.
func TestNearnessBounds(t *testing.T) {
	for _, c := range []struct {
		places       []float64
		lower, upper float64
	}{
		{[]float64{0, 0, 1, 3, 7}, 0.5 / 3, 1},
		{[]float64{0, 10}, 0.05, 0.1},
	} {
		var rows [][]float64
		for _, x := range c.places {
			var row []float64
			for _, y := range c.places {
				row = append(row, math.Abs(x-y))
			}
			rows = append(rows, row)
		}
		m, err := similarity.NewMatrix(rows)
		if err != nil {
			t.Fatal(err)
		}
		n, err := mcmc.NewNearness(m, similarity.Exponential{})
		if err != nil || math.Abs(n.MinRate-c.lower) > 1e-12 || math.Abs(n.MaxRate-c.upper) > 1e-12 {
			t.Errorf("%v: found rates from %v to %v, %v; expected %v to %v", c.places, n.MinRate, n.MaxRate, err, c.lower, c.upper)
		}
	}
}
