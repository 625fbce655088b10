package cli

import (
	"testing"
	"time"

	"aibd/fit"
)

// A comparison of kinds ends within the budget.
func TestRankAtMost(t *testing.T) {
	for _, c := range []struct{ budget, used, want time.Duration }{
		{5 * time.Minute, 5 * time.Second, rankTime},
		{5 * time.Minute, 100 * time.Second, 30 * time.Second},
		{8 * time.Second, 5 * time.Second, 3 * time.Second},
		{time.Second, time.Second, 0},
		{5 * time.Minute, 4 * time.Minute, 60 * time.Second},
	} {
		if got := rankAtMost(c.budget, c.used); got != c.want {
			t.Errorf("budget %v, used %v: found at most %v, expected %v", c.budget, c.used, got, c.want)
		}
	}
}

// Runs that share a budget have equal shares of the scans, and of the time that is left.
func TestShare(t *testing.T) {
	o := samplingOptions{budget: budget{fit.Budget{Scans: 100}}}
	for ended := range 3 {
		if got := o.share(ended, 3); got.budget.Scans != 33 {
			t.Errorf("found %d scans, expected 33", got.budget.Scans)
		}
	}
	o = samplingOptions{budget: budget{fit.Budget{Time: 4 * time.Hour}}, began: time.Now().Add(-time.Hour)}
	if got := o.share(1, 3); got.budget.Time.Round(time.Minute) != 90*time.Minute || got.remaining().Round(time.Minute) != 90*time.Minute {
		t.Errorf("found %v, expected half of three hours", got.budget.Time)
	}
	if got := (samplingOptions{}).share(0, 2); !got.budget.IsZero() {
		t.Errorf("found %+v, expected no budget", got.budget)
	}
	o.began = o.began.Add(-4 * time.Hour)
	if got := o.share(0, 2); got.budget.IsZero() {
		t.Error("found no budget after its end, expected one that is used up")
	}
}
