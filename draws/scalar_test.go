package draws

import (
	"math"
	"slices"
	"testing"

	"aibd/feature"
)

// The scalars of a draw with everything, in order, and of one with nothing.
func TestScalars(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 0}, {1, 1}, {0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	d := &Draw{
		Mass: 1, Temperature: 2, SigmaX: 3, SigmaA: 4, SigmaW: 0.1, LogLik: -5, LogPrior: -6, Z: z,
		Permutation: []int{2, 0, 1}, Cutpoints: []float64{7, 8}, NoiseScales: []float64{0.5, 2},
	}
	keys := []string{"mass", "temperature", "sigma_x", "sigma_a", "sigma_w", "n_features", "n_ones", "items_per_feature", "log_lik", "log_prior", "log_joint",
		"noise_min", "noise_max", "cutpoint_1", "cutpoint_2", "position_first_half", "position_odd"}
	values := []float64{1, 2, 3, 4, 0.1, 2, 4, 2, -5, -6, -11, 1.5, 6, 7, 8, 2, 1.5}
	row := RowOf(d)
	row.Draw = &Draw{}
	*row.Draw = *d
	row.Z = nil // the scalars do not need it
	var foundKeys []string
	var found []float64
	for _, s := range HasOf(d).Scalars() {
		foundKeys, found = append(foundKeys, s.Key), append(found, s.Of(&row))
	}
	if !slices.Equal(foundKeys, keys) || !slices.Equal(found, values) {
		t.Errorf("found\n%v\n%v, expected\n%v\n%v", foundKeys, found, keys, values)
	}

	has := HasOf(d)
	has.Further = 1
	for _, key := range append(keys, TemperatureKey(1)) {
		if s, ok := has.Scalar(key); !ok || s.Key != key {
			t.Errorf("%s: found %q, %v", key, s.Key, ok)
		}
	}
	if s, ok := HasOf(d).Scalar(TemperatureKey(1)); ok {
		t.Errorf("found %q in draws without it", s.Key)
	}
	if s, _ := has.Scalar(KeyLogJoint); !slices.Contains(s.Depends, TemperatureKey(1)) || !slices.Contains(s.Depends, UnknownCutpoints) {
		t.Errorf("log joint depends on %q", s.Depends)
	}

	foundKeys = nil
	for _, s := range HasOf(&Draw{Temperature: math.NaN(), Permutation: []int{0}, Z: z}).Scalars() {
		foundKeys = append(foundKeys, s.Key)
	}
	if keys := []string{"mass", "sigma_x", "sigma_a", "n_features", "n_ones", "items_per_feature", "log_lik", "log_prior", "log_joint"}; !slices.Equal(foundKeys, keys) {
		t.Errorf("found %v, expected %v", foundKeys, keys)
	}
}
