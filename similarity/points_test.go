package similarity

import (
	"math"
	"testing"
)

// TestPoints compares distances that are computed with those of matrices.
func TestPoints(t *testing.T) {
	lon, lat, label, hour := []float64{0, 179, -179, 30}, []float64{-90, 10, 10, 50}, []string{"a", "b", "a", "c"}, []float64{1, 23, 7, 30}
	rows := [][]float64{{0, 1}, {2, -1}, {0, 1}, {3, 5}}
	plane, err := NewPoints(rows)
	if err != nil {
		t.Fatal(err)
	}
	globe, err := NewPlaces(lon, lat)
	if err != nil {
		t.Fatal(err)
	}
	arcs, err := GreatCircle(lon, lat)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		points *Points
		matrix *Matrix
	}{
		"plane": {plane, Euclidean(rows)}, "globe": {globe, arcs}, "labels": {NewLabels(label), Same(label)}, "cycle": {NewCycle(hour, 24), Cyclic(hour, 24)},
	} {
		if c.points.N() != c.matrix.N() {
			t.Errorf("%s: found %d points, expected %d", name, c.points.N(), c.matrix.N())
		}
		for i := range c.points.N() {
			for j := range i {
				if got, want := c.points.At(i, j), c.matrix.At(i, j); math.Abs(got-want) > 1e-12*want {
					t.Errorf("%s: found distance %v of %d and %d, expected %v", name, got, i, j, want)
				}
			}
		}
	}
	for want, rows := range map[string][][]float64{
		"row 2: found 1 covariates, expected 2":       {{1, 2}, {3}},
		"row 1: found +Inf, expected a finite number": {{math.Inf(1)}, {1}},
		"row 2: found NaN, expected a finite number":  {{1}, {math.NaN()}},
	} {
		if _, err := NewPoints(rows); err == nil || err.Error() != want {
			t.Errorf("found error %v, expected %s", err, want)
		}
	}
}
