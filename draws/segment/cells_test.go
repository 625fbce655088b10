package segment

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestCells: the values of cells, cutpoints and noise scales are read as they were written.
func TestCells(t *testing.T) {
	testCells(t, 6, 0, 0)
	testCells(t, 6, 3, 0)
	testCells(t, 6, 3, 2)
	testCells(t, 6, 0, 2)
	testCells(t, 0, 0, 2)
}

func testCells(t *testing.T, cells, cutpoints, noise int) {
	rng := rand.New(rand.NewPCG(1, 2))
	list := randDraws(5, 4, 9, 3, true)
	for _, d := range list {
		for range cells {
			d.Cells = append(d.Cells, rng.NormFloat64())
		}
		d.Cutpoints = []float64{rng.Float64(), 1, 2}[:cutpoints]
		d.NoiseScales = []float64{rng.ExpFloat64(), 1}[:noise]
	}
	h := Header{N: 9, Chain: 1, DrawsPerChain: 4, Run: "r", Cells: cells, Cutpoints: cutpoints, NoiseScales: noise}
	file := encode(t, h, list)
	header, got, err := decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if header != h {
		t.Errorf("header %+v, expected %+v", header, h)
	}
	checkSame(t, got, list)
	for i, d := range got {
		if !slices.Equal(d.Cells, list[i].Cells) {
			t.Errorf("draw %d: cells %v, expected %v", i, d.Cells, list[i].Cells)
		}
		if !slices.Equal(d.Cutpoints, list[i].Cutpoints) {
			t.Errorf("draw %d: cutpoints %v, expected %v", i, d.Cutpoints, list[i].Cutpoints)
		}
		if !slices.Equal(d.NoiseScales, list[i].NoiseScales) {
			t.Errorf("draw %d: noise scales %v, expected %v", i, d.NoiseScales, list[i].NoiseScales)
		}
	}
	if cells == 0 {
		return
	}
	list[1].Cells = list[1].Cells[1:]
	func() {
		defer func() {
			if p := recover(); p == nil || !strings.Contains(p.(string), "5 cells in a segment of 6") {
				t.Errorf("too few cells: %v", p)
			}
		}()
		encode(t, h, list)
	}()
}
