// Comparison with the R package posterior.

package posterior

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"
)

// goldenCase is one set of chains with what R's package posterior says of it;
// see testdata/golden.R.
type goldenCase struct {
	Name    string
	Results map[string]string
	Chains  [][]float64
}

func readGolden(t testing.TB) []goldenCase {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Cases []goldenCase }
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) == 0 {
		t.Fatal("golden.json has no cases")
	}
	return golden.Cases
}

// near reports whether got equals want up to 1e-10 relative to want or, if that
// is larger, 1e-15 of scale; NaN and infinities must be the same.
func near(got, want, scale float64) bool {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return got == want || math.IsNaN(got) && math.IsNaN(want)
	}
	return math.Abs(got-want) <= max(1e-10*math.Abs(want), 1e-15*scale)
}

// differing holds the results that differ from R's as the comment of RHat says: R takes
// draws for constant that differ by less than 2.2e-16, and has no R-hat if all draws are
// equally far from their median.
var differing = map[string]float64{
	"two_values/rhat":      math.Sqrt(0.9), // equal means: (n-1)/n for halves of n = 10
	"two_stuck_apart/rhat": math.Inf(1),
	"tiny/mcse_mean":       6.5133346205157072e-18, // as for the draws times 2^60
	"tiny/ess_mean":        3.4692892019715003,
	"tiny/ess_tail":        17.30769230769231,
}

func TestGolden(t *testing.T) {
	for _, c := range readGolden(t) {
		t.Run(c.Name, func(t *testing.T) {
			s := Summarize(c.Chains)
			for _, r := range []struct {
				name  string
				got   float64
				scale float64 // of the draws, for results that may vanish
			}{
				{"mean", s.Mean, s.SD},
				{"sd", s.SD, 0},
				{"mcse_mean", s.MCSE, 0},
				{"q5", s.Q5, s.SD},
				{"q50", s.Q50, s.SD},
				{"q95", s.Q95, s.SD},
				{"rhat", s.RHat, 0},
				{"ess_bulk", s.ESSBulk, 0},
				{"ess_tail", s.ESSTail, 0},
				{"ess_mean", ESSMean(c.Chains), 0},
			} {
				want, err := strconv.ParseFloat(c.Results[r.name], 64)
				if err != nil {
					t.Fatal(err)
				}
				if other, ok := differing[c.Name+"/"+r.name]; ok {
					if !math.IsNaN(want) {
						t.Errorf("%s: R has %v, expected NaN", r.name, want)
					}
					want = other
				}
				if r.name == "rhat" && want > 1e15 {
					want = math.Inf(1) // R divides by the rounding error of a variance that is 0
				}
				if !near(r.got, want, r.scale) {
					t.Errorf("%s is %.17g, R has %.17g", r.name, r.got, want)
				}
			}
		})
	}
}
