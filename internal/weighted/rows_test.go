package weighted

import (
	"math"
	"testing"
)

// A flip without a bound on its prior odds, infinite or NaN, is left to the law.
func TestMayAccept(t *testing.T) {
	m := &Model{}
	for _, c := range []struct {
		odds, sum float64
		want      bool
	}{{math.NaN(), -1, true}, {math.Inf(1), -1, true}, {0, 1, false}, {1, 1, true}, {1, -1, false}} {
		m.rows.odds = []float64{c.odds}
		if got := m.mayAccept(0, c.sum); got != c.want {
			t.Errorf("odds %v, rest %v: found %v, expected %v", c.odds, c.sum, got, c.want)
		}
	}
}

// logAbove bounds the logarithm of numbers of all sizes from above, closely.
func TestLogAbove(t *testing.T) {
	for e := -1022; e < 1024; e += 31 {
		for f := 1.0; f < 2; f += 1.0 / 1024 {
			x := math.Ldexp(f, e)
			if got, log := logAbove(x), math.Log(x); !(got > log && got < log+0.06) {
				t.Fatalf("%v: found %v, expected slightly more than %v", x, got, log)
			}
		}
	}
	if got := logAbove(math.Copysign(math.NaN(), -1)); got < 700 {
		t.Errorf("NaN: found %v", got)
	}
}
