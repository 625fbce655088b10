package posterior

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Neither offset nor scale changes effective sample sizes and R-hat; mean, SD and MCSE
// follow them, as long as the offset leaves differences that are larger than rounding.
func TestOffsetAndScale(t *testing.T) {
	base := simulate(4, 100, 0.6)
	for _, chain := range base {
		for i, x := range chain {
			chain[i] = math.Round(256*x) / 256 // so that the sums below are exact
		}
	}
	want := Summarize(base)
	wantMean := ESSMean(base)
	for _, c := range []struct{ offset, scale float64 }{
		{0x1p27, 1}, {-0x1p27, 1}, {0, 0x1p1000}, {0, 0x1p-1060}, {0x1p24, 0x1p-3}, {0, -0x1p900},
	} {
		chains := make([][]float64, len(base))
		for i, chain := range base {
			for _, x := range chain {
				chains[i] = append(chains[i], c.offset+c.scale*x)
			}
		}
		got := Summarize(chains)
		unit := math.Abs(c.scale)
		for _, r := range []struct {
			name      string
			got, want float64
		}{
			{"mean", got.Mean / unit, c.offset/unit + c.scale/unit*want.Mean},
			{"SD", got.SD / unit, want.SD},
			{"MCSE", got.MCSE / unit, want.MCSE},
			{"R-hat", got.RHat, want.RHat},
			{"bulk ESS", got.ESSBulk, want.ESSBulk},
			{"mean ESS", ESSMean(chains), wantMean},
		} {
			// 2^-1060 leaves 14 bits.
			if tolerance := 1e-12; !(math.Abs(r.got-r.want) <= max(tolerance, unitLoss(c.scale))*math.Abs(r.want)) {
				t.Errorf("%v + %v x: %s is %v, want %v", c.offset, c.scale, r.name, r.got, r.want)
			}
		}
	}
}

// unitLoss bounds the relative rounding of results that are of the given size.
func unitLoss(scale float64) float64 { return 4 * math.SmallestNonzeroFloat64 / math.Abs(scale) }

// Draws at the ends of the range of a float64 have finite results.
func TestExtremeDraws(t *testing.T) {
	for _, size := range []float64{1e300, 1.5e308, 1e-310} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			chains := simulate(2, 50, 0)
			for _, chain := range chains {
				for i, x := range chain {
					chain[i] = size * math.Tanh(x)
				}
			}
			for i, v := range append(fields(Summarize(chains)), ESSMean(chains)) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("result %d is %v", i, v)
				}
			}
		})
	}
	d := DIC([]float64{-1e15, -1e15 - 1, -1e15 - 2, -1e15 - 4})
	if d.PD != 3.5 || d.MeanDeviance != 2e15+3.5 {
		t.Errorf("%+v, want PD 3.5", d)
	}
}

// Few distinct values: which diagnostics are defined.
func TestFewValues(t *testing.T) {
	two := func(period int) [][]float64 {
		chains := make([][]float64, 2)
		for c := range chains {
			for i := range 100 {
				chains[c] = append(chains[c], float64((i/period+c)%2))
			}
		}
		return chains
	}
	if s := Summarize(two(1)); math.IsNaN(s.RHat) || math.IsNaN(s.ESSBulk) || !math.IsNaN(s.ESSTail) {
		t.Errorf("two values: %+v, want R-hat and bulk ESS, and no tail ESS", s)
	}
	if s := Summarize(two(100)); !math.IsInf(s.RHat, 1) || !(s.ESSBulk < 10) {
		t.Errorf("each chain stays at its own value: %+v, want an infinite R-hat", s)
	}
	if s := Summarize([][]float64{{3, 3, 3, 3, 3, 3}, {3, 3, 3, 3, 3, 3}}); s.Mean != 3 || s.SD != 0 || !math.IsNaN(s.RHat) || !math.IsNaN(s.MCSE) {
		t.Errorf("constant: %+v", s)
	}
}

// Draws that differ by rounding only are constant, and groups of them are single values.
func TestRoundingIsNoDifference(t *testing.T) {
	apart := func(values ...float64) [][]float64 { // each chain has rounding errors of its own
		chains := make([][]float64, 4)
		for c := range chains {
			for i := range 200 {
				value := values[i*i*7/10%len(values)]
				chains[c] = append(chains[c], value+1e-14*float64(c)*value+1e-14*value*float64(i%3))
			}
		}
		return chains
	}
	s := Summarize(apart(-64.34067938512483))
	for i, x := range []float64{s.MCSE, s.RHat, s.ESSBulk, s.ESSTail} {
		if !math.IsNaN(x) {
			t.Errorf("diagnostic %d of a constant is %v, want NaN", i, x)
		}
	}
	if s.SD != 0 || s.Q5 != s.Q95 || s.Q5 != Quantile(slices.Concat(apart(-64.34067938512483)...), 0.7) || !Constant(apart(1e9)) {
		t.Errorf("constant: %+v", s)
	}
	if e := RelativeEfficiency(apart(-2)); e != 1 {
		t.Errorf("relative efficiency of a constant is %v, want 1", e)
	}
	// The twin with the values that are meant has the same diagnostics.
	chains, exact := apart(-64.3, -61.2, -70, -64.9), apart(0, 1, -1, 2)
	for c := range exact {
		for i, x := range exact[c] {
			exact[c][i] = map[float64]float64{0: -64.3, 1: -61.2, -1: -70, 2: -64.9}[math.Round(x)]
		}
	}
	got, want := fields(Summarize(chains)), fields(Summarize(exact))
	for i := range got {
		if !near(got[i], want[i], 1e-9) {
			t.Errorf("field %d is %v with rounding errors, %v without", i, got[i], want[i])
		}
	}
	if Constant(chains) || constant(chains) {
		t.Error("different values are constant")
	}
}
