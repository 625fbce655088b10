//go:build unix

package model

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aibd/dataset"
	"aibd/internal/oracle/fixture"
	"aibd/internal/spec"
)

// Time to choose the columns of X and what they are grows linearly with their number: see
// TestLinearTime of package dataset.
func TestLinearTime(t *testing.T) {
	limit, names := 5*time.Second, make([]string, 50_000)
	if *fixture.Long {
		limit, names = 10*time.Second, make([]string, 100_000)
	}
	for i := range names {
		names[i] = "name" + strconv.Itoa(1_000_000+i) // of one length, so that comparisons take long
	}
	cells := func(cell string) string { return strings.Repeat(","+cell, len(names)) + "\n" }
	table, err := dataset.ReadTable(strings.NewReader("id,"+strings.Join(names, ",")+"\np"+cells("1")+"q"+cells("2")+"r"+cells("1")), "x.csv", "")
	if err != nil {
		t.Fatal(err)
	}
	out, pairs := make([]string, 1000), make([][2]string, len(names))
	for j := range out {
		out[j] = "!" + names[j]
	}
	for j := range pairs {
		pairs[j] = [2]string{"p", names[j]}
	}
	seen := &Observed{Categories: make([]*Categories, len(names)), Units: slices.Repeat(dataset.Units{dataset.Identity}, len(names))}
	for what, data := range map[string]spec.Data{
		"numbers": {Center: true}, "logs": {Log: []string{"*"}}, "binary": {Binary: []string{"*"}}, "binary by name": {Binary: names}, "left out": {Columns: out},
	} {
		took := time.Duration(math.MaxInt64)
		for tries := 0; tries < 3 && took > limit; tries++ {
			start := fixture.ProcessorTime()
			s := spec.Spec{Data: data}
			items := &Input{Items: table, Spec: s}
			columns, _, err := items.chosen(s)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := items.observations(&s, columns); err != nil {
				t.Fatal(err)
			}
			if what == "numbers" {
				items.Held = pairs
				if _, err := items.listed("hidden.csv", columns, [][]float64{make([]float64, len(names))}); err != nil {
					t.Fatal(err)
				}
				p := &Newcomers{IDs: []string{"p", "q", "r"}}
				if err := p.set(items, seen, names); err != nil {
					t.Fatal(err)
				}
			}
			took = min(took, fixture.ProcessorTime()-start)
		}
		if took > limit {
			t.Errorf("%s: %d columns take %v of processor time, expected at most %v", what, len(names), took, limit)
		}
	}
}
