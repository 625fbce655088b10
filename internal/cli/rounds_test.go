package cli

import (
	"math"
	"testing"
	"time"

	"aibd/internal/spec"
)

// Growth depends on what agreement needs, the time left, and whether a coarser fit may follow.
func TestGrowth(t *testing.T) {
	// The window takes 16 s. Rounds of 1.5, 2 and 4 windows take 12, 20 and 52 s.
	s := spec.Sampler{Warmup: 1000, Draws: 1000, Thin: 32, Chains: 4, Round: 4}
	for _, test := range []struct {
		needed float64
		left   time.Duration // s
		spare  time.Duration // s
		want   float64
		why    string
	}{
		{4, 260, 0, 4, ""},
		{2, 260, 0, 1.5, ""},
		{2.5, 260, 0, 2, ""},
		{2, 14, 0, 1.5, ""},
		{2, 11, 0, 0, "Round 5 would take about 12 s; 11 s left of the budget"},
		{40, 240, 100, 4, ""},
		{10, 160, 100, 4, ""},
		{10, 140, 100, 2, ""}, // leaves 100 s
		{10, 140, 0, 4, ""},
		{10, 105, 100, 0, "Round 5 would take about 12 s; 1 min 45 s left of the budget, part of it for coarser fits"},
		{10, 10, 0, 0, "Round 5 would take about 12 s; 10 s left of the budget"},
		{80, 260, 100, 0, "By R-hat and ESS, agreement would take about 21 min 20 s; 4 min 20 s left of the budget"},
		{80, 260, 0, 4, ""},
		{80, 9e9, 100, 4, ""},
		{math.MaxFloat64, 260, 100, 0, "By R-hat and ESS, agreement would take about 1000 h 0 min; 4 min 20 s left of the budget"},
	} {
		found, why := plan{s, 8000, test.needed, test.left * time.Second, test.spare * time.Second}.growth()
		if found != test.want || why != test.why {
			t.Errorf("needed %v, %v s left, %v to spare: found %v, %q; expected %v, %q", test.needed, int(test.left), int(test.spare), found, why, test.want, test.why)
		}
	}
}
