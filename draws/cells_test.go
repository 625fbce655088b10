package draws

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestCells: the values of cells and cutpoints are read as they were written, and a segment
// without them has no column of them.
func TestCells(t *testing.T) {
	testCells(t, 0)
	testCells(t, 3)
}

func testCells(t *testing.T, cutpoints int) {
	rng := rand.New(rand.NewPCG(1, 2))
	draws := randDraws(5, 4, 9, 3, true)
	for _, d := range draws {
		for range 6 {
			d.Cells = append(d.Cells, rng.NormFloat64())
		}
		d.Cutpoints = []float64{rng.Float64(), 1, 2}[:cutpoints]
	}
	h := Header{N: 9, Chain: 1, DrawsPerChain: 4, Run: "r", Cells: 6, Cutpoints: cutpoints}
	file := encode(t, h, draws)
	header, found, err := decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if header != h {
		t.Errorf("header %+v, expected %+v", header, h)
	}
	checkSame(t, found, draws)
	for i, d := range found {
		if !slices.Equal(d.Cells, draws[i].Cells) {
			t.Errorf("draw %d: cells %v, expected %v", i, d.Cells, draws[i].Cells)
		}
		if !slices.Equal(d.Cutpoints, draws[i].Cutpoints) {
			t.Errorf("draw %d: cutpoints %v, expected %v", i, d.Cutpoints, draws[i].Cutpoints)
		}
	}
	for _, name := range schema.Columns() {
		if slices.Contains(name, "cells") || slices.Contains(name, "cutpoints") {
			t.Errorf("a segment without cells has the column %v", name)
		}
	}
	draws[1].Cells = draws[1].Cells[1:]
	func() {
		defer func() {
			if p := recover(); p == nil || !strings.Contains(p.(string), "5 cells in a segment of 6") {
				t.Errorf("too few cells: %v", p)
			}
		}()
		encode(t, h, draws)
	}()
}
