package fit

import (
	"testing"
	"time"

	"aibd/mcmc"
)

// Growth depends on what agreement needs and on the time left.
func TestGrowth(t *testing.T) {
	// The window takes 16 s. Rounds of 1.5, 2, 3, 4 and 6 windows take 12, 20, 36, 52 and 84 s.
	round := Round{Number: 4, Chains: 4, Length: mcmc.Config{Warmup: 1000, Draws: 1000, Thin: 32}}
	for _, test := range []struct {
		needed, remaining float64
		want              float64
		reason            string
	}{
		{4, 260, 4, ""},
		{2.9, 260, 2, ""},
		{3, 260, 2, ""},
		{3.1, 260, 4, ""},
		{2, 260, 1.5, ""},
		{2.5, 260, 2, ""},
		{2, 28, 2, ""},     // after a window 1.5 times as long no other fits
		{1.5, 28, 1.5, ""}, // but it suffices
		{2, 14, 1.5, ""},
		{2, 11, 0, "Round 5 would take about 12 s; 11 s left of the budget"},
		{10, 140, 4, ""},
		{10, 40, 3, ""}, // after 2 windows no other fits
		{10, 95, 6, ""}, // after 4 windows no other fits
		{10, 10, 0, "Round 5 would take about 12 s; 10 s left of the budget"},
		{80, 260, 4, ""},
	} {
		got, reason := plan{round, 8000, 0, test.needed, Budget{Time: time.Hour}, test.remaining}.growth()
		if got != test.want || reason != test.reason {
			t.Errorf("needed %v, %v s left: found %v, %q; expected %v, %q", test.needed, test.remaining, got, reason, test.want, test.reason)
		}
	}
}

// Whether a round begins within a budget of scans depends on the scans alone.
func TestGrowthInScans(t *testing.T) {
	round := Round{Number: 4, Chains: 4, Length: mcmc.Config{Warmup: 1000, Draws: 1000, Thin: 32}} // 33000 scans
	for remaining, want := range map[int]float64{200000: 4, 60000: 2, 25000: 1.5, 10: 0} {
		b := Budget{Scans: remaining + round.Length.Scans()}
		m := meter{Budget: b}
		got, reason := plan{round, float64(round.Chains), 0, 100, b, m.remaining(round.Length.Scans())}.growth()
		if got != want || got == 0 && reason != "Round 5 would take about 24000 scans of each chain; 10 scans of each chain left of the budget" {
			t.Errorf("%d scans left: found %v, %q, expected %v", remaining, got, reason, want)
		}
	}
}
