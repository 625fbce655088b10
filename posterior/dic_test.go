// The deviance criteria, by hand.

package posterior

import (
	"math"
	"testing"
)

func TestDIC(t *testing.T) {
	got := DIC([]float64{-10, -12, -11, -15})
	if want := (Deviance{MeanDeviance: 24, PD: 4, DIC: 28}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, logLik := range [][]float64{nil, {-1, math.Inf(-1)}, {math.NaN()}} {
		got := DIC(logLik)
		if !math.IsNaN(got.MeanDeviance) || !math.IsNaN(got.PD) || !math.IsNaN(got.DIC) {
			t.Errorf("%v: %+v, want NaN", logLik, got)
		}
	}
}
