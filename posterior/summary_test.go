// Quantiles, the limits of the summaries, misuse, and a benchmark.

package posterior

import (
	"math"
	"slices"
	"testing"
)

func TestQuantile(t *testing.T) {
	x := []float64{40, 10, 30, 20}
	for _, c := range []struct{ p, want float64 }{
		{0, 10}, {1, 40}, {0.5, 25}, {1. / 3, 20}, {0.25, 17.5},
	} {
		if got := Quantile(x, c.p); !near(got, c.want, 0) {
			t.Errorf("quantile at %v is %v, want %v", c.p, got, c.want)
		}
	}
	if !slices.Equal(x, []float64{40, 10, 30, 20}) {
		t.Errorf("Quantile changed its input to %v", x)
	}
	if got := Quantile([]float64{7}, 0.3); got != 7 {
		t.Errorf("quantile of one value is %v, want 7", got)
	}
	if got := Quantile([]float64{math.Inf(-1), 1, 2}, 0.5); got != 1 {
		t.Errorf("median next to an infinite value is %v, want 1", got)
	}
	for _, x := range [][]float64{nil, {1, math.NaN()}} {
		if got := Quantile(x, 0.5); !math.IsNaN(got) {
			t.Errorf("quantile of %v is %v, want NaN", x, got)
		}
	}
}

// fields returns the fields of s in order.
func fields(s Summary) []float64 {
	return []float64{s.Mean, s.SD, s.MCSE, s.Q5, s.Q50, s.Q95, s.RHat, s.ESSBulk, s.ESSTail}
}

func TestNothingToSummarize(t *testing.T) {
	bad := simulate(2, 20, 0)
	bad[1][7] = math.Inf(1)
	for name, chains := range map[string][][]float64{
		"no chains": {}, "no draws": {{}, {}}, "an infinite draw": bad, "NaN": {{math.NaN(), 1, 2, 3, 4, 5}},
	} {
		for i, v := range append(fields(Summarize(chains)), ESSMean(chains)) {
			if !math.IsNaN(v) {
				t.Errorf("%s: field %d is %v, want NaN", name, i, v)
			}
		}
	}
}

// The limits that the comment of RHat gives: 4 draws for RHat, 6 for the rest.
func TestTooFewDraws(t *testing.T) {
	for n := 1; n <= 7; n++ {
		chains := simulate(2, n, 0)
		if got := RHat(chains); math.IsNaN(got) != (n < 4) {
			t.Errorf("%d draws: R-hat is %v", n, got)
		}
		for i, v := range []float64{ESSBulk(chains), ESSTail(chains), ESSMean(chains), MCSEMean(chains)} {
			if math.IsNaN(v) != (n < 6) {
				t.Errorf("%d draws: result %d is %v", n, i, v)
			}
		}
	}
}

func TestMisusePanics(t *testing.T) {
	ragged := [][]float64{{1, 2, 3, 4}, {1, 2, 3}}
	for name, f := range map[string]func(){
		"Summarize":        func() { Summarize(ragged) },
		"RHat":             func() { RHat(ragged) },
		"ESSBulk":          func() { ESSBulk(ragged) },
		"ESSTail":          func() { ESSTail(ragged) },
		"ESSMean":          func() { ESSMean(ragged) },
		"MCSEMean":         func() { MCSEMean(ragged) },
		"Quantile":         func() { Quantile([]float64{1}, 1.5) },
		"Quantile NaN":     func() { Quantile([]float64{1}, math.NaN()) },
		"PermutationMeans": func() { PermutationMeans([]int{0, 2, 2}) },
		"one-based":        func() { PermutationMeans([]int{1, 2, 3}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func BenchmarkSummarize(b *testing.B) {
	chains := simulate(4, 1000, 0.9)
	b.ReportAllocs()
	for b.Loop() {
		Summarize(chains)
	}
}

// A summary and the single functions agree, also where groups of equal draws are close to each other.
func TestSummaryAgrees(t *testing.T) {
	chains := simulate(4, 50, 0.3)
	for _, chain := range chains {
		for i := range chain { // 1 and 1 + 0.9 units become equal, 1 + 1.1 units do not
			chain[i] = 1 + []float64{0, 0.9, 0.9, 1.1}[int(9*math.Abs(chain[i]))%4]*0x1p-36
		}
	}
	s := Summarize(chains)
	all := slices.Concat(chains...)
	got := []float64{s.MCSE, s.Q5, s.Q50, s.Q95, s.RHat, s.ESSBulk, s.ESSTail}
	want := []float64{MCSEMean(chains), Quantile(all, 0.05), Quantile(all, 0.5), Quantile(all, 0.95), RHat(chains), ESSBulk(chains), ESSTail(chains)}
	for i := range got {
		if !near(got[i], want[i], 0) {
			t.Errorf("field %d is %v, its function returns %v", i, got[i], want[i])
		}
	}
	if math.IsNaN(s.RHat) || Constant(chains) {
		t.Errorf("all draws count as equal: %+v", s)
	}
}
