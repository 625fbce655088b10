package results

import (
	"math"
	"testing"

	"aibd/internal/model"
)

// Without own parts a surface passes through the values of the items. Far from them it has their mean, and between two
// equal items their value; with own parts it is nearer to the mean.
func TestSurface(t *testing.T) {
	for name, p := range map[string]*model.Places{
		"plane": {X: []float64{0, 1, 4}, Y: []float64{0, 0, 2}, Per: 1},
		"globe": {X: []float64{0, 1, 4}, Y: []float64{0, 0, 2}, Per: 111, Globe: true}, // about a degree
	} {
		values := []float64{1, 1, 4}
		exact, smooth := newSurface(p, 0.7, 1), newSurface(p, 0.7, 0.5)
		result := exact.Interpolate(values, append(p.X, 0.5, 90), append(p.Y, 0, 80))
		rough := smooth.Interpolate(values, p.X, p.Y)
		for i, v := range values {
			if math.Abs(result[i]-v) > 1e-9 {
				t.Errorf("%s: found %v at item %d, expected %v", name, result[i], i+1, v)
			}
			if math.Abs(rough[i]-v) < 0.05 {
				t.Errorf("%s: found %v at item %d, expected it smoothed away from %v", name, rough[i], i+1, v)
			}
		}
		mean := result[4]
		if !(result[3] > 0.9 && result[3] < mean) {
			t.Errorf("%s: found %v between two items of value 1, expected somewhat more", name, result[3])
		}
		if !(mean > 2 && mean < 3) {
			t.Errorf("%s: found %v far from all, expected a mean that counts near items less", name, mean)
		}
	}
}
