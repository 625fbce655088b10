// Effective sample size against direct sums and known autocorrelation.

package posterior

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat"
)

func TestAutocovarianceDirect(t *testing.T) {
	for _, n := range []int{3, 8, 50, 101} {
		chains := simulate(2, n, 0.7)
		means := []float64{stat.Mean(chains[0], nil), stat.Mean(chains[1], nil)}
		got := autocovariance(chains, means)
		if len(got) != n {
			t.Fatalf("%d lags for %d draws", len(got), n)
		}
		twin := 0.0 // largest error without padding, when lags wrap around
		circular := circularAutocovariance(chains, means)
		for lag := range n {
			want := 0.0
			for c, chain := range chains {
				for i := lag; i < n; i++ {
					want += (chain[i] - means[c]) * (chain[i-lag] - means[c]) / float64(2*n)
				}
			}
			if math.Abs(got[lag]-want) > 1e-13 {
				t.Errorf("%d draws, lag %d: %v, want %v", n, lag, got[lag], want)
			}
			twin = max(twin, math.Abs(circular[lag]-want))
		}
		if twin < 1e-3 {
			t.Errorf("%d draws: the broken twin is off by %v only", n, twin)
		}
	}
}

func circularAutocovariance(chains [][]float64, means []float64) []float64 {
	n := length(chains)
	fft := fourier.NewFFT(n)
	acov := make([]float64, n)
	for c, chain := range chains {
		seq := make([]float64, n)
		for i, x := range chain {
			seq[i] = x - means[c]
		}
		coeff := fft.Coefficients(nil, seq)
		for k, z := range coeff {
			coeff[k] = complex(real(z)*real(z)+imag(z)*imag(z), 0)
		}
		for lag, v := range fft.Sequence(nil, coeff) {
			acov[lag] += v / float64(n*n*len(chains))
		}
	}
	return acov
}

// The mean of S autoregressive draws has the variance of S(1-phi)/(1+phi)
// independent ones. The estimates have a relative standard deviation of 6% to 8%
// (measured over 2000 replications), so that an allowance of 50% is more than six
// of them: false alarms are below 1e-7. The broken twin takes the draws for
// independent.
func TestESSAutoregressive(t *testing.T) {
	const size = 4 * 2000
	for _, phi := range []float64{0.5, -0.5} {
		chains := simulate(4, 2000, phi)
		want := size * (1 - phi) / (1 + phi)
		off := func(ess float64) bool { return math.Abs(ess/want-1) > 0.5 }
		for name, got := range map[string]float64{"mean": ESSMean(chains), "bulk": ESSBulk(chains)} {
			if off(got) {
				t.Errorf("phi %v: %s ESS is %v, want about %v", phi, name, got, want)
			}
		}
		if !off(size) {
			t.Errorf("phi %v: the broken twin passes", phi)
		}
		sd := 1 / math.Sqrt(1-phi*phi)
		if mcse := MCSEMean(chains); off(sd * sd / (mcse * mcse)) {
			t.Errorf("phi %v: MCSE of the mean is %v, want about %v", phi, mcse, sd/math.Sqrt(want))
		}
	}
}
