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
		Mass: 1, Temperature: 2, SigmaX: 3, SigmaA: 4, LogLik: -5, LogPrior: -6, Z: z,
		Permutation: []int{2, 0, 1}, Cutpoints: []float64{7, 8}, NoiseScales: []float64{0.5, 2},
		Shares: []float64{0.5, 0.125, 0.25}, Rates: []float64{0, 9}, // the first has given correlations
	}
	keys := []string{"mass", "temperature", "sigma_x", "sigma_a", "weight_common", "weight_near", "weight_near_2", "weight_rate_2", "weight_own",
		"n_features", "n_ones", "items_per_feature", "log_lik", "log_prior", "log_joint",
		"noise_min", "noise_max", "cutpoint_1", "cutpoint_2", "position_first_half", "position_odd"}
	values := []float64{1, 2, 3, 4, 0.5, 0.125, 0.25, 9, 0.125, 2, 4, 2, -5, -6, -11, 1.5, 6, 7, 8, 2, 1.5}
	row := RowOf(d)
	row.Draw = &Draw{}
	*row.Draw = *d
	row.Z = nil // the scalars do not need it
	var foundKeys []string
	var got []float64
	for _, s := range HasOf(d).Scalars() {
		foundKeys, got = append(foundKeys, s.Key), append(got, s.Value(&row))
	}
	if !slices.Equal(foundKeys, keys) || !slices.Equal(got, values) {
		t.Errorf("found\n%v\n%v, expected\n%v\n%v", foundKeys, got, keys, values)
	}

	contents := HasOf(d)
	contents.FurtherTemperatures = 1
	for _, key := range append(keys, TemperatureKey(1)) {
		if s, ok := contents.Scalar(key); !ok || s.Key != key {
			t.Errorf("%s: found %q, %v", key, s.Key, ok)
		}
	}
	for _, key := range []string{TemperatureKey(1), RateKey(0), ShareKey(2)} {
		if s, ok := HasOf(d).Scalar(key); ok {
			t.Errorf("found %q in draws without it", s.Key)
		}
	}
	for _, key := range []string{KeyShareCommon, ShareKey(1), RateKey(1), KeyShareOwn} {
		if s, _ := contents.Scalar(key); !slices.Equal(s.Depends, []string{UnknownShares}) || s.Unknown() || s.Stored() {
			t.Errorf("%s depends on %q", key, s.Depends)
		}
	}
	if s, _ := contents.Scalar(KeyLogJoint); !slices.Contains(s.Depends, TemperatureKey(1)) || !slices.Contains(s.Depends, UnknownCutpoints) {
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

// Draws with a common share only, and with a share and its rate: the first distance has no number.
func TestShareScalars(t *testing.T) {
	for _, c := range []struct {
		draw   Draw
		keys   []string
		values []float64
	}{
		{Draw{}, nil, nil},
		{Draw{Shares: []float64{0.75}}, []string{"weight_common", "weight_own"}, []float64{0.75, 0.25}},
		{Draw{Shares: []float64{0.5, 0.375}, Rates: []float64{3}}, []string{"weight_common", "weight_near", "weight_rate", "weight_own"}, []float64{0.5, 0.375, 3, 0.125}},
	} {
		var keys []string
		var values []float64
		row := Row{Draw: &c.draw}
		for _, s := range HasOf(&c.draw).Scalars() {
			if slices.Contains(s.Depends, UnknownShares) && s.Key != KeyLogPrior && s.Key != KeyLogJoint {
				keys, values = append(keys, s.Key), append(values, s.Value(&row))
			}
		}
		if !slices.Equal(keys, c.keys) || !slices.Equal(values, c.values) {
			t.Errorf("found %v %v, expected %v %v", keys, values, c.keys, c.values)
		}
	}
	d := &Draw{Z: feature.New(1), Shares: []float64{0.5, 0.25}, Rates: []float64{3}}
	c := Clone(d)
	d.Shares[0], d.Rates[0] = 0, 0
	if c.Shares[0] != 0.5 || c.Rates[0] != 3 {
		t.Errorf("a clone changed to shares %v and rates %v", c.Shares, c.Rates)
	}
}
