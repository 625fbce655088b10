package lglfm_test

import (
	"math"
	"reflect"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
)

// ordinalData returns data with columns of four, of three and of two categories, a column with a
// limit, and a draw of the cutpoints 0.7 and 1.9, of 2.5, and of the cells with bounds.
func ordinalData(t *testing.T) (*lglfm.Data, []lglfm.Ordinal, [][]float64, *draws.Draw) {
	t.Helper()
	columns := []lglfm.Ordinal{
		{Variable: 0, Levels: 4, Level: []int{0, 1, 3}},
		{Variable: 2, Levels: 3, Level: []int{2, -1, 0}},
		{Variable: 3, Levels: 2, Level: []int{1, 0, 1}},
	}
	unknown := math.NaN()
	x := [][]float64{{unknown, 0.4, unknown, unknown}, {unknown, unknown, unknown, unknown}, {unknown, -1, unknown, unknown}}
	data, err := lglfm.NewBounded(x, []lglfm.Bound{{Item: 1, Variable: 1, Lower: math.Inf(-1), Upper: -2}}, columns...)
	if err != nil {
		t.Fatal(err)
	}
	z, err := feature.FromRows([][]int{{1}, {1}, {0}})
	if err != nil {
		t.Fatal(err)
	}
	d := &draws.Draw{Z: z, SigmaX: 1, SigmaA: 1, Cutpoints: []float64{0.7, 1.9, 2.5}}
	for c := range data.Bounded() {
		d.Cells = append(d.Cells, float64(c)+0.5)
	}
	return data, columns, x, d
}

// TestCutpoints: each column has its own cutpoints in a draw, and a category has the latent values
// between its ends.
func TestCutpoints(t *testing.T) {
	data, columns, _, d := ordinalData(t)
	if got := data.Ordinal(); !reflect.DeepEqual(got, columns) || data.FreeCutpoints() != 3 {
		t.Errorf("found %v with %d cutpoints, expected %v with 3", got, data.FreeCutpoints(), columns)
	}
	cut := lglfm.NewCutpoints(data)
	for variable, points := range [][]float64{
		{math.Inf(-1), 0, 0.7, 1.9, math.Inf(1)}, nil, {math.Inf(-1), 0, 2.5, math.Inf(1)}, {math.Inf(-1), 0, math.Inf(1)},
	} {
		if count := cut.Levels(variable); count != max(len(points)-1, 0) {
			t.Errorf("variable %d: found %d categories, expected %d", variable, count, len(points)-1)
		}
		for level := range max(len(points)-1, 0) {
			lower, upper := cut.Ends(d, variable, level)
			if lower != points[level] || upper != points[level+1] {
				t.Errorf("variable %d, category %d: found %v to %v, expected %v to %v", variable, level, lower, upper, points[level], points[level+1])
			}
			for _, latent := range []float64{max(lower, -9) + 1e-9, min(upper, 9)} {
				if count := cut.Category(d, variable, latent); count != level {
					t.Errorf("variable %d: found category %d of %v, expected %d", variable, count, latent, level)
				}
			}
		}
	}
}

// TestComplete: a draw completes cells with bounds and categories, and no others.
func TestComplete(t *testing.T) {
	data, columns, x, d := ordinalData(t)
	y := data.Complete(d)
	values := map[float64]bool{}
	for i := range x {
		for v := range x[i] {
			observed := !math.IsNaN(x[i][v])
			bounded := v == 1 && i == 1
			for _, o := range columns {
				bounded = bounded || o.Variable == v && o.Level[i] >= 0
			}
			switch {
			case observed && y[i][v] != x[i][v], !observed && bounded == math.IsNaN(y[i][v]):
				t.Errorf("item %d, variable %d: found %v from %v", i, v, y[i][v], x[i][v])
			case bounded:
				values[y[i][v]] = true
			}
		}
	}
	if len(values) != data.Bounded() || data.Bounded() != 9 {
		t.Errorf("found the values %v of %d cells, expected 9 distinct ones", values, data.Bounded())
	}
	if count := data.Bounds(); len(count) != 9 || count[[2]int{1, 1}] != [2]float64{math.Inf(-1), -2} || count[[2]int{0, 3}] != [2]float64{0, math.Inf(1)} {
		t.Errorf("found the bounds %v, expected those of 9 cells", count)
	}
}

// TestOrdinalErrors: draws of other data and impossible categories are refused.
func TestOrdinalErrors(t *testing.T) {
	data, columns, x, d := ordinalData(t)
	cells, loadings := lglfm.NewCells(data), lglfm.NewLoadings(data)
	if err := cells.ResetDraw(d); err != nil {
		t.Error(err)
	}
	if err := loadings.ResetDraw(d); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(d *draws.Draw){
		"too few cutpoints": func(d *draws.Draw) { d.Cutpoints = d.Cutpoints[1:] },
		"too few cells":     func(d *draws.Draw) { d.Cells = d.Cells[1:] },
		"SigmaX too small":  func(d *draws.Draw) { d.SigmaX = 1e-20 },
	} {
		other := *d
		change(&other)
		if cells.ResetDraw(&other) == nil || loadings.ResetDraw(&other) == nil && name != "too few cutpoints" {
			t.Errorf("%s: expected an error", name) // loadings depend on the cells alone
		}
	}
	columns[0].Level = []int{0, 1, 4}
	if _, err := lglfm.NewBounded(x, nil, columns...); err == nil {
		t.Error("category 4 of four, counted from zero: expected an error")
	}
}
