package rounds

import (
	"testing"
	"time"

	"aibd/internal/spec"
)

// Growth depends on what agreement needs and on the time left.
func TestGrowth(t *testing.T) {
	// The window takes 16 s. Rounds of 1.5, 2, 3, 4 and 6 windows take 12, 20, 36, 52 and 84 s.
	s := spec.Sampler{Warmup: 1000, Draws: 1000, Thin: 32, Chains: 4, Round: 4}
	for _, test := range []struct {
		needed float64
		left   time.Duration // s
		want   float64
		why    string
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
		found, why := plan{s, 8000, test.needed, Limit{Total: test.left * time.Second}}.growth()
		if found != test.want || why != test.why {
			t.Errorf("needed %v, %v s left: found %v, %q; expected %v, %q", test.needed, int(test.left), found, why, test.want, test.why)
		}
	}
}

// A budget is a time or a number of scans.
func TestBudgetFlag(t *testing.T) {
	for text, want := range map[string]Limit{"5m": {Total: 5 * time.Minute}, "0": {}, "20000scans": {20000 * time.Second, true}, "100 scans": {100 * time.Second, true}} {
		var found Limit
		if err := found.Set(text); err != nil || found != want {
			t.Errorf("%s: found %+v, %v, expected %+v", text, found, err, want)
		}
		if again := found; again.Set(found.String()) != nil || again != found {
			t.Errorf("%s: found %v again", text, found.String())
		}
	}
	for text, want := range map[string]string{
		"5": "expected a time such as 5m, or scans such as 20000scans", "-1s": "expected at least 0",
		"scans": "expected a number of scans such as 20000scans", "-2scans": "expected a number of scans such as 20000scans",
		"1e3scans": "expected a number of scans such as 20000scans", "99999999999999scans": "expected a number of scans such as 20000scans",
	} {
		if err := new(Limit).Set(text); err == nil || err.Error() != want {
			t.Errorf("%s: found error %v, expected %s", text, err, want)
		}
	}
}

// Whether a round begins within a budget of scans depends on the scans alone.
func TestGrowthInScans(t *testing.T) {
	s := spec.Sampler{Warmup: 1000, Draws: 1000, Thin: 32, Chains: 4, Round: 4} // 33000 scans
	for left, want := range map[int]float64{200000: 4, 60000: 2, 25000: 1.5, 10: 0} {
		b := budget{Limit: Limit{time.Duration(left+s.Scans()) * time.Second, true}, made: s.Scans()}
		found, why := plan{s, float64(s.Chains), 100, b.rest()}.growth()
		if found != want || found == 0 && why != "Round 5 would take about 24000 scans of each chain; 10 scans of each chain left of the budget" {
			t.Errorf("%d scans left: found %v, %q, expected %v", left, found, why, want)
		}
	}
}

func TestRoundTime(t *testing.T) {
	s := spec.Sampler{Chains: 4, Warmup: 1000, Draws: 1000, Thin: 1, Round: 1}
	for _, c := range []struct {
		rate     float64
		expected time.Duration
	}{{1000, 5 * time.Second}, {1e-30, 1 << 62}} {
		if found := roundTime(s, 2, c.rate); found != c.expected {
			t.Errorf("%v scans a second: found %v, expected %v", c.rate, found, c.expected)
		}
	}
	if found := roundTime(s.Next(2), 2, 1000); found != 10*time.Second {
		t.Errorf("round 3: found %v", found)
	}
}
