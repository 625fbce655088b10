package cli

import (
	"testing"
	"time"

	"aibd/fit"
)

// A budget is a time or a number of scans.
func TestBudgetFlag(t *testing.T) {
	for text, want := range map[string]fit.Budget{"5m": {Time: 5 * time.Minute}, "0": {}, "20000scans": {Scans: 20000}, "100 scans": {Scans: 100}} {
		var got budget
		if err := got.Set(text); err != nil || got.Budget != want {
			t.Errorf("%s: found %+v, %v, expected %+v", text, got, err, want)
		}
		if again := got; again.Set(got.String()) != nil || again != got {
			t.Errorf("%s: found %v again", text, got.String())
		}
	}
	for text, want := range map[string]string{
		"5": "expected a time such as 5m, or scans such as 20000scans", "-1s": "expected at least 0",
		"scans": "expected a number of scans such as 20000scans", "-2scans": "expected a number of scans such as 20000scans",
		"1e3scans": "expected a number of scans such as 20000scans", "99999999999999scans": "expected a number of scans such as 20000scans",
	} {
		if err := new(budget).Set(text); err == nil || err.Error() != want {
			t.Errorf("%s: found error %v, expected %s", text, err, want)
		}
	}
}
