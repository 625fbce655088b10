package weighted

import (
	"math"
	"testing"
)

// A flip without a bound on its prior odds, infinite or NaN, is left to the law.
func TestMayAccept(t *testing.T) {
	m := &Model{}
	for _, c := range []struct {
		odds, rest float64
		want       bool
	}{{math.NaN(), -1, true}, {math.Inf(1), -1, true}, {0, 1, false}, {1, 1, true}, {1, -1, false}} {
		m.rows.odds = []float64{c.odds}
		if found := m.mayAccept(0, c.rest); found != c.want {
			t.Errorf("odds %v, rest %v: found %v, expected %v", c.odds, c.rest, found, c.want)
		}
	}
}
