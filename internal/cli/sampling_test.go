package cli

import (
	"testing"
	"time"
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
		if found := rankAtMost(c.budget, c.used); found != c.want {
			t.Errorf("budget %v, used %v: found at most %v, expected %v", c.budget, c.used, found, c.want)
		}
	}
}
