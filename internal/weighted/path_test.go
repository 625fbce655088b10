package weighted

import (
	"math"
	"testing"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/intensity"
)

// LogPath is continuous where the weights of an item's own features vanish, with a missing cell of the item
// and without.
func TestOwnFeatureWithoutWeight(t *testing.T) {
	nan := math.NaN()
	for name, x := range map[string][][]float64{
		"observed": {{1, 2}, {2, 0}, {3, 1}, {0, 2}},
		"missing":  {{1, nan}, {2, 0}, {3, 1}, {0, nan}},
	} {
		data, err := collapsed.NewData(x)
		if err == nil {
			data, err = data.WithIntercept()
		}
		if err != nil {
			t.Fatal(err)
		}
		at := func(power, weight float64) float64 {
			law, err := intensity.NewIBP(len(x), 1)
			if err != nil {
				t.Fatal(err)
			}
			z, tracker := feature.New(len(x)), law.Tracker()
			k := z.Append()
			z.Flip(0, k)
			tracker.Reset(z)
			m := New(data, z, tracker, &collapsed.Scales{SigmaX: 1, SigmaA: 1}, 10)
			m.SetNoise(nil)
			m.SetZ([]float64{weight}, 0, 1)
			m.SetPower(power)
			return m.LogPath(power)
		}
		for _, power := range []float64{1, 0.3, 1e-9} {
			if small, large := at(power, 1e-12), at(power, 1e-3); !(math.Abs(small-large) < 1e-5) {
				t.Errorf("%s, power %v: found %v with a weight of 1e-12, %v with 1e-3", name, power, small, large)
			}
		}
	}
}
