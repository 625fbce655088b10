package lglfm

import (
	"math"
	"testing"

	"go.uber.org/goleak"
)

// TestMain proves that the tests leave no goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestScalesValid(t *testing.T) {
	for _, test := range []struct {
		scales Scales
		want   string
	}{
		{Scales{0, 1}, "SigmaX: found 0, expected a positive finite number"},
		{Scales{math.NaN(), 1}, "SigmaX: found NaN, expected a positive finite number"},
		{Scales{1, -2}, "SigmaA: found -2, expected a positive finite number"},
		{Scales{1, math.Inf(1)}, "SigmaA: found +Inf, expected a positive finite number"},
	} {
		if err := test.scales.Valid(); err == nil || err.Error() != test.want {
			t.Errorf("%v: error %v, want %q", test.scales, err, test.want)
		}
	}
	if err := (Scales{0.5, 1e-3}).Valid(); err != nil {
		t.Error(err)
	}
}
