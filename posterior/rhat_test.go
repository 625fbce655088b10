// What R-hat must see, and what its simpler relatives miss.

package posterior

import (
	"math"
	"math/rand/v2"
	"testing"
)

// simulate returns chains of autoregressive draws with standard normal
// innovations, draw t being phi times draw t-1 plus the innovation, started
// from the stationary distribution.
func simulate(chains, n int, phi float64) [][]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([][]float64, chains)
	for c := range x {
		x[c] = make([]float64, n)
		x[c][0] = rng.NormFloat64() / math.Sqrt(1-phi*phi)
		for t := 1; t < n; t++ {
			x[c][t] = phi*x[c][t-1] + rng.NormFloat64()
		}
	}
	return x
}

// All chains drift from -2 to 2. The broken twin, R-hat without splitting,
// sees chains that agree. Each half chain has mean -1 or 1 up to 0.1, and the
// whole chains have mean 0 up to 0.07, so that either threshold is more than
// ten standard deviations away: false alarms are below 1e-12.
func TestRHatSeesTrend(t *testing.T) {
	chains := simulate(4, 200, 0)
	if r := RHat(chains); r > 1.1 {
		t.Errorf("R-hat of independent draws is %v", r)
	}
	for _, chain := range chains {
		for i := range chain {
			chain[i] += 4*float64(i)/199 - 2
		}
	}
	if r := RHat(chains); r < 1.1 {
		t.Errorf("R-hat with a trend is %v", r)
	}
	if r := rHat(rankNormal(chains)); r > 1.1 {
		t.Errorf("the broken twin should miss the trend, but is %v", r)
	}
}

// One chain has five times the spread of the others. The broken twin, R-hat
// without folding, sees locations that agree. For the twin to pass 1.05 the
// variance between the chains would have to be more than ten times what is
// expected, for R-hat to stay below 1.05 the means of the folded scores would
// have to be off by more than ten standard deviations: false alarms are below
// 1e-9.
func TestRHatSeesSpread(t *testing.T) {
	chains := simulate(4, 400, 0)
	for i := range chains[3] {
		chains[3][i] *= 5
	}
	if r := RHat(chains); r < 1.05 {
		t.Errorf("R-hat with unequal spread is %v", r)
	}
	if r := rHat(rankNormal(split(chains))); r > 1.05 {
		t.Errorf("the broken twin should miss the spread, but is %v", r)
	}
}

// Location and scale are immaterial, and for ranks any increasing function is.
func TestRHatInvariance(t *testing.T) {
	chains := simulate(3, 31, 0.5)
	shifted, transformed := simulate(3, 31, 0), simulate(3, 31, 0) // for their shape
	for c := range chains {
		for i, x := range chains[c] {
			shifted[c][i] = 8*x - 3
			transformed[c][i] = math.Exp(x)
		}
	}
	if a, b := RHat(chains), RHat(shifted); !near(a, b, 0) {
		t.Errorf("R-hat %v becomes %v under a change of units", a, b)
	}
	if a, b := ESSBulk(chains), ESSBulk(transformed); a != b {
		t.Errorf("bulk ESS %v becomes %v under the exponential function", a, b)
	}
	if a, b := ESSTail(chains), ESSTail(transformed); a != b {
		t.Errorf("tail ESS %v becomes %v under the exponential function", a, b)
	}
}
