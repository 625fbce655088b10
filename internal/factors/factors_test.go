package factors

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"
)

var nan = math.NaN()

// twoFactors returns rows of two factors with noise of the given standard deviations by column, with a tenth
// of the cells hidden, these, and their mean log density given the factors, the loadings and the noise.
func twoFactors(rng *rand.Rand, n int, sds []float64) (x [][]float64, cells [][2]int, values []float64, truth float64) {
	loadings := make([][2]float64, len(sds))
	for v := range loadings {
		loadings[v] = [2]float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	x = make([][]float64, n)
	for i := range x {
		z := [2]float64{rng.NormFloat64(), rng.NormFloat64()}
		for v, sd := range sds {
			mean := 5 + z[0]*loadings[v][0] + z[1]*loadings[v][1]
			e := mean + sd*rng.NormFloat64()
			if (i+v)%10 == 0 {
				cells, values = append(cells, [2]int{i, v}), append(values, e)
				truth += distuv.Normal{Mu: mean, Sigma: sd}.LogProb(e)
				e = nan
			}
			x[i] = append(x[i], e)
		}
	}
	return x, cells, values, truth / float64(len(cells))
}

func meanLog(distributions []Distribution, values []float64) (mean float64) {
	for c, l := range distributions {
		mean += l.LogDensity(values[c]) / float64(len(values))
	}
	return mean
}

// Hidden cells of two factors are predicted nearly as well as by the truth, with the noise of each column,
// in any unit. Components share the noise and columns alone have no factors: both predict worse.
func TestFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, cells, values, truth := twoFactors(rng, 100, []float64{0.1, 0.1, 0.2, 0.2, 0.3, 1, 2, 2, 2, 2})
	f, c, alone := Factors(t.Context(), x, cells), Components(t.Context(), x, cells), Alone(x, cells)
	got := []float64{meanLog(f.Distributions, values), meanLog(c.Distributions, values), meanLog(alone, values)}
	if f.Rank != 2 || got[0] < truth-0.25 || got[1] > got[0]-0.02 || got[2] > got[0]-0.5 {
		t.Errorf("rank %d; mean log densities %v of factors, components, columns; given the truth %v", f.Rank, got, truth)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if again := Factors(t.Context(), x, cells); !reflect.DeepEqual(f, again) {
		t.Error("one worker: found other predictions than of two")
	}
	const unit = 1000
	for _, row := range x {
		row[3] *= unit
	}
	for p, l := range Factors(t.Context(), x, cells).Distributions {
		factor := 1.0
		if cells[p][1] == 3 {
			factor = unit
		}
		if want := f.Distributions[p]; math.Abs(l.Mean/factor-want.Mean) > 1e-6 || math.Abs(l.Scale/factor-want.Scale) > 1e-6 {
			t.Fatalf("column 3 times %d: found %v, expected %v times it", unit, l, want)
		}
	}
}

// Noise has no factors.
func TestRankZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	x := make([][]float64, 60)
	for i := range x {
		for range 6 {
			x[i] = append(x[i], rng.NormFloat64())
		}
	}
	if p := Factors(t.Context(), x, nil); p.Rank != 0 {
		t.Errorf("found %d factors of noise", p.Rank)
	}
}

// Tables of one row, one column, constant columns and columns without a seen cell have predictions.
func TestSmallTables(t *testing.T) {
	for _, x := range [][][]float64{{{1, nan}}, {{1}, {nan}}, {{1, 2}, {1, nan}, {1, 3}}, {{nan, 1}, {nan, 2}, {nan, 4}}} {
		var cells [][2]int
		for i, row := range x {
			for v, e := range row {
				if math.IsNaN(e) {
					cells = append(cells, [2]int{i, v})
				}
			}
		}
		for _, distributions := range [][]Distribution{Factors(t.Context(), x, cells).Distributions, Components(t.Context(), x, cells).Distributions} {
			for _, l := range distributions {
				if log := l.LogDensity(1); math.IsNaN(log) || math.IsInf(log, 0) {
					t.Errorf("%v: found the distribution %v", x, l)
				}
			}
		}
	}
}

// The log density of a row, and the distribution of a cell given its row, follow from the joint normal distribution.
func TestAgainstJoint(t *testing.T) {
	f := &estimate{rank: 2, w: [][]float64{{1, 0.5, 3}, {-1, 2, 0}, {0.3, 0.3, -1}, {0, 1, 2}}, noise: []float64{0.5, 1, 0.2, 2}}
	joint := func(columns ...int) *distmv.Normal {
		mean, sigma := make([]float64, len(columns)), mat.NewSymDense(len(columns), nil)
		for a, v := range columns {
			mean[a] = f.w[v][2]
			for b, u := range columns[:a+1] {
				cov := f.w[v][0]*f.w[u][0] + f.w[v][1]*f.w[u][1]
				if a == b {
					cov += f.noise[v]
				}
				sigma.SetSym(a, b, cov)
			}
		}
		n, ok := distmv.NewNormal(mean, sigma, nil)
		if !ok {
			t.Fatal("not positive definite")
		}
		return n
	}
	row := []float64{2, nan, -1.5, 1}
	_, logLik := f.mean(row, f.given(row))
	seen := joint(0, 2, 3).LogProb([]float64{2, -1.5, 1})
	if math.Abs(logLik-seen) > 1e-10 {
		t.Errorf("log density %v, expected %v", logLik, seen)
	}
	mean, variance := f.cell(row)(1)
	for _, x := range []float64{-1, 0.4, 3} {
		want := joint(0, 1, 2, 3).LogProb([]float64{2, x, -1.5, 1}) - seen
		if got := (distuv.Normal{Mu: mean, Sigma: math.Sqrt(variance)}).LogProb(x); math.Abs(got-want) > 1e-10 {
			t.Errorf("cell %v: log density %v, expected %v", x, got, want)
		}
	}
}

// No step of EM lowers the penalized likelihood, and at the end no change of a parameter raises it.
func TestStepsRise(t *testing.T) {
	x, _, _, _ := twoFactors(rand.New(rand.NewPCG(3, 1)), 30, []float64{0.1, 0.5, 0.5, 1, 1})
	z, _ := standardized(x)
	for _, common := range []bool{false, true} {
		f, last := start(z, 2), math.Inf(-1)
		for range 3000 {
			logLik, _ := f.step(z, common)
			if logLik < last-1e-9 {
				t.Fatalf("common %v: a step went from %v to %v", common, last, logLik)
			}
			last = logLik
		}
		density := func(change func(f *estimate)) float64 {
			g := &estimate{rank: 2, noise: slices.Clone(f.noise)}
			for _, w := range f.w {
				g.w = append(g.w, slices.Clone(w))
			}
			change(g)
			logLik, _ := g.step(z, common)
			return logLik
		}
		top := density(func(*estimate) {})
		for _, step := range []float64{-0.01, 0.01} {
			for k, change := range []func(*estimate){
				func(g *estimate) { g.w[0][0] += step },
				func(g *estimate) { g.w[3][2] += step },
				func(g *estimate) {
					for v := range g.noise {
						if v == 1 || common {
							g.noise[v] *= 1 + step
						}
					}
				},
			} {
				if higher := density(change); higher > top+1e-6 {
					t.Errorf("common %v, change %d by %v: %v, expected at most %v", common, k, step, higher, top)
				}
			}
		}
	}
}

// Probabilities of intervals add up, in the tails too.
func TestLogProbability(t *testing.T) {
	l := Distribution{Mean: 1, Scale: 2, Degrees: 5}
	sum := math.Exp(l.LogProbability(math.Inf(-1), -3)) + math.Exp(l.LogProbability(-3, 2)) + math.Exp(l.LogProbability(2, math.Inf(1)))
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("probabilities of three intervals: %v", sum)
	}
	if up, down := l.LogProbability(1e5, math.Inf(1)), l.LogProbability(math.Inf(-1), 2-1e5); math.Abs(up-down) > 1e-9 || math.IsInf(up, 0) {
		t.Errorf("tails: %v and %v", up, down)
	}
}

// The distribution of a column alone is right as often as it says: quantiles of new cells are uniform.
func TestAlone(t *testing.T) {
	rng, below, tables := rand.New(rand.NewPCG(4, 1)), 0, 4000
	for range tables {
		x := [][]float64{{rng.NormFloat64()}, {rng.NormFloat64()}, {rng.NormFloat64()}, {nan}}
		if Alone(x, [][2]int{{3, 0}})[0].t().CDF(rng.NormFloat64()) < 0.05 {
			below++
		}
	}
	if share := float64(below) / float64(tables); math.Abs(share-0.05) > 0.014 {
		t.Errorf("%v of new cells below the 5%% quantile", share)
	}
}
