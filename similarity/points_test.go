package similarity

import (
	"math"
	"math/rand/v2"
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

// Least is at most the distance, and near it for near places.
func TestLowerBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	var lon, lat []float64
	for range 50 {
		x, y := 360*rng.Float64()-180, 180*rng.Float64()-90
		for _, apart := range []float64{0, 0, 1e-9, 1e-6, 1e-3, 1} {
			lon, lat = append(lon, x), append(lat, max(-90, y-apart))
		}
		lon, lat = append(lon, x), append(lat, -y)
	}
	places, err := NewPlaces(lon, lat)
	if err != nil {
		t.Fatal(err)
	}
	for i := range lon {
		for j := range i {
			least, distance := LowerBound(places)(i, j), places.At(i, j)
			if !(least <= distance && least >= 0) || distance < 100 && distance-least > 1e-4*distance+1e-11 {
				t.Errorf("places %d and %d: found at least %v, expected near %v and no more", i, j, least, distance)
			}
		}
	}
	if m := NewLabels([]int{1, 2}); m.LowerBound(1, 0) != 1 {
		t.Errorf("labels: found %v, expected 1", m.LowerBound(1, 0))
	}
	if only := Alike(places); LowerBound(only)(2, 0) != only.At(2, 0) {
		t.Errorf("found %v, expected %v", LowerBound(only)(2, 0), only.At(2, 0))
	}
}
