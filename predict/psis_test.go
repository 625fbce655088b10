package predict

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/posterior"
)

// looCase is one set of log likelihoods with what R's package loo says of it; see
// testdata/loo.R.
type looCase struct {
	Name       string
	Chains     int
	REff       numbers `json:"r_eff"`
	ELPD, K    numbers
	LogWeights numbers     `json:"log_weights"` // of the first point
	LogLik     [][]float64 `json:"log_lik"`     // by point and draw
}

// numbers are written as strings.
type numbers []float64

func (n *numbers) UnmarshalJSON(b []byte) error {
	var texts []string
	if err := json.Unmarshal(b, &texts); err != nil {
		return err
	}
	for _, text := range texts {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return err
		}
		*n = append(*n, x)
	}
	return nil
}

func mustAgree(t *testing.T, what string, got, want float64) {
	t.Helper()
	switch {
	case math.IsNaN(want) && math.IsNaN(got), got == want:
	case math.IsInf(want, 0), !(math.Abs(got-want) <= 1e-8*max(1, math.Abs(want))):
		t.Errorf("%s is %.17g, R has %.17g", what, got, want)
	}
}

func TestLOOGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/loo.json")
	if err != nil {
		t.Fatal(err)
	}
	judgeLOO(t, data)
}

// The same with the R package itself.
func TestLOOAgainstR(t *testing.T) {
	if err := exec.Command("Rscript", "-e", "library(loo)").Run(); err != nil {
		t.Skip("the R package loo is not installed")
	}
	data, err := exec.Command("Rscript", "testdata/loo.R").Output()
	if err != nil {
		t.Fatal(err)
	}
	judgeLOO(t, data)
}

// fewValues lists the points that have few different ratios of similar size.
var fewValues = []string{"tied_tail 0", "constant 0"}

// leaveOut returns the leave-one-out estimate of an observation with the given log density under each draw, and k.
func leaveOut(logDensity []float64, rEff float64) (elpd, k float64) {
	ratios := make([]float64, len(logDensity))
	floats.SubTo(ratios, ratios, logDensity)
	weights, k := PSIS(ratios, rEff)
	total := floats.LogSumExp(weights)
	floats.Add(weights, logDensity)
	return floats.LogSumExp(weights) - total, k
}

func judgeLOO(t *testing.T, data []byte) {
	var golden struct{ Cases []looCase }
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) < 11 {
		t.Fatalf("found %d cases, expected 11", len(golden.Cases))
	}
	for _, c := range golden.Cases {
		t.Run(c.Name, func(t *testing.T) {
			for i, logLik := range c.LogLik {
				chains := slices.Collect(slices.Chunk(logLik, len(logLik)/c.Chains))
				if rEff := posterior.RelativeEfficiency(chains); slices.Min(logLik) < slices.Max(logLik) {
					mustAgree(t, "r_eff", rEff, c.REff[i])
				} else if rEff != 1 {
					t.Errorf("r_eff of equal draws is %v, want 1", rEff)
				}
				elpd, k := leaveOut(logLik, c.REff[i])
				mustAgree(t, "elpd", elpd, c.ELPD[i])
				if label := fmt.Sprint(c.Name, " ", i); !slices.Contains(fewValues, label) {
					mustAgree(t, "k", k, c.K[i])
				} else if k != 0 || !math.IsInf(c.K[i], 1) {
					t.Errorf("k of %s is %v, want 0; R has %v, want +Inf", label, k, c.K[i])
				}
			}
			ratios := slices.Clone(c.LogLik[0])
			for t := range ratios {
				ratios[t] *= -1
			}
			weights, _ := PSIS(ratios, c.REff[0])
			for i, w := range weights {
				mustAgree(t, "log weight", w, c.LogWeights[i])
			}
		})
	}
}

// What cannot be computed is NaN, and nothing panics.
func TestPSISOfBadRatios(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		ratios := make([]float64, 30)
		ratios[7] = x
		if w, k := PSIS(ratios, 1); !math.IsNaN(k) || !math.IsNaN(w[0]) {
			t.Errorf("%v: weights %v, k %v, want NaN", x, w, k)
		}
	}
	for _, n := range []int{0, 1, 2, 5, 20, 21} {
		want := math.Inf(1)
		if n > 20 {
			want = 0
		}
		if _, k := PSIS(make([]float64, n), 1); n > 0 && k != want {
			t.Errorf("%d equal draws: k = %v, want %v", n, k, want)
		}
	}
	if got := MaxParetoK(1000); math.Abs(got-2.0/3) > 1e-15 {
		t.Errorf("MaxParetoK(1000) is %v, want 2/3", got)
	}
	if got := MaxParetoK(4000); got != 0.7 {
		t.Errorf("MaxParetoK(4000) is %v, want 0.7", got)
	}
}

// A few values of the density, each in many draws, as with draws of Z and all else fixed: the
// estimate is exact up to Monte Carlo error, and k says so unless that error is large. Rounding
// changes neither.
func TestPSISOfFewValues(t *testing.T) {
	const draws = 4000
	rng := rand.New(rand.NewPCG(2, 1))
	reliable, accurate := 0, 0
	for trial := range 120 {
		logs, weights := make([]float64, 1+trial%6), make([]float64, 1+trial%6)
		for a := range logs {
			logs[a], weights[a] = -2+1.5*rng.NormFloat64(), rng.ExpFloat64()
		}
		floats.Scale(1/floats.Sum(weights), weights)
		inverse, square := 0.0, 0.0 // moments of the ratio
		for a, w := range weights {
			inverse, square = inverse+w*math.Exp(-logs[a]), square+w*math.Exp(-2*logs[a])
		}
		want, sd := -math.Log(inverse), math.Sqrt((square/(inverse*inverse)-1)/draws)

		atoms := distuv.NewCategorical(weights, rng)
		exact, rounded := make([]float64, draws), make([]float64, draws)
		for t := range exact {
			exact[t] = logs[int(atoms.Rand())]
			rounded[t] = exact[t] * (1 + 1e-13*rng.NormFloat64())
		}
		elpd, k := leaveOut(exact, 1)
		if nearELPD, nearK := leaveOut(rounded, 1); math.Abs(elpd-nearELPD) > 1e-10 || k != nearK {
			t.Errorf("%v with shares %.3f: %v, %v, with rounding errors %v, %v", logs, weights, elpd, k, nearELPD, nearK)
		}
		if k <= MaxParetoK(draws) {
			reliable++
			if off := math.Abs(elpd - want); off > 5*sd+1e-9 || off > 0.3 {
				t.Errorf("%v with shares %.3f: elpd %v, want %v with a standard error of %v", logs, weights, elpd, want, sd)
			}
		}
		if sd < 0.05 {
			accurate++
			if !(k <= MaxParetoK(draws)) {
				t.Errorf("%v with shares %.3f: k is %v, though the standard error is %.4f", logs, weights, k, sd)
			}
		}
	}
	if accurate < 100 {
		t.Errorf("only %d of 120 problems have a small error, and %d a small k", accurate, reliable)
	}
}
