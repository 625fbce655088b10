package results

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/input"
	"aibd/internal/oracle/fixture"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/mcmc"
)

// judge samples a small run and judges it.
func judge(t *testing.T) *Judged {
	t.Helper()
	return judgeSpec(t, fixture.Small)
}

func judgeSpec(t *testing.T, text string) *Judged {
	t.Helper()
	t.Chdir(t.TempDir())
	s, err := spec.ParseTOML([]byte(fixture.Binary(text)), "spec.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := input.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	run, err := runs.Create("run", p, "v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Sample(t.Context()); err != nil {
		t.Fatal(err)
	}
	j, err := Open("run")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// Fitted values of a single draw are Z (Z'Z + (SigmaX/SigmaA)^2 I)^-1 Z'X plus column means,
// with Z and X about the means of their columns if there is an intercept, as here.
func TestFitted(t *testing.T) {
	j := judge(t)
	if !j.Run.Spec.Data.HasIntercept() {
		t.Fatal("expected an intercept")
	}
	d := j.Chains[0][len(j.Chains[0])-1]
	j.Chains = [][]*draws.Draw{{d}}
	got, err := j.Fitted(10)
	if err != nil {
		t.Fatal(err)
	}
	n, k, variables := d.Z.N(), d.Z.K(), len(j.Run.Data.Columns)
	z, x := mat.NewDense(n, k, nil), mat.NewDense(n, variables, nil)
	for i := range n {
		for c := range k {
			if d.Z.Has(i, c) {
				z.Set(i, c, 1)
			}
		}
		x.SetRow(i, j.Seen.X[i])
	}
	means := make([]float64, variables)
	for _, m := range []*mat.Dense{z, x} {
		_, columns := m.Dims()
		for c := range columns {
			mean := mat.Sum(m.ColView(c)) / float64(n)
			if m == x {
				means[c] = mean
			}
			for i := range n {
				m.Set(i, c, m.At(i, c)-mean)
			}
		}
	}
	var square, right, loadings, fitted mat.Dense
	square.Mul(z.T(), z)
	for c := range k {
		square.Set(c, c, square.At(c, c)+d.SigmaX*d.SigmaX/(d.SigmaA*d.SigmaA))
	}
	right.Mul(z.T(), x)
	if err := loadings.Solve(&square, &right); err != nil {
		t.Fatal(err)
	}
	fitted.Mul(z, &loadings)
	for i := range n {
		for v := range variables {
			if math.Abs(got[i][v]-means[v]-fitted.At(i, v)) > 1e-8 {
				t.Fatalf("item %d, variable %d: found %v, expected %v", i, v, got[i][v], means[v]+fitted.At(i, v))
			}
		}
	}
}

// Each distance has the prior and the unit that the chains sampled. One whose temperature is fixed has
// no prior and no Bayes factor.
func TestDistancesOfTheirOwn(t *testing.T) {
	j := judgeSpec(t, fixture.Small+`
[[distance]]
kind = "great-circle"
[[distance]]
kind = "same"
columns = ["region"]
temperature = { shape = 2, rate = 3 }
[[distance]]
name = "lon"
kind = "absolute"
columns = ["lon"]
[[distance]]
name = "lat"
kind = "absolute"
columns = ["lat"]
temperature = { value = 0.25, fixed = true }
`)
	influences, err := j.Influences()
	if err != nil {
		t.Fatal(err)
	}
	post := j.Problem.Posterior
	for m, want := range []*mcmc.Gamma{{Shape: 1, Rate: 4}, {Shape: 2, Rate: 3}, {Shape: 1, Rate: 4}, nil} {
		gamma, key := post.Temperature, draws.TemperatureKey(m)
		if m > 0 {
			gamma = post.FurtherTemperatures[m-1]
		}
		got := j.Prior(key)
		if want == nil {
			q := j.Quantities()[slices.IndexFunc(j.Quantities(), func(q verdict.Quantity) bool { return q.Key == key })]
			if gamma != nil || got != nil || influences[m].Joint != nil || q.Kind != verdict.Fixed || q.Chains[0][0] != 0.25 {
				t.Errorf("distance %d: found prior %v, influence %v and %v draws from %v", m+1, gamma, influences[m], q.Kind, q.Chains[0][0])
			}
			continue
		}
		median := distuv.Gamma{Alpha: want.Shape, Beta: want.Rate * post.TemperatureUnits[m]}.Quantile(0.5)
		if *gamma != *want || math.Abs(got.Quantile(0.5)-median) > 1e-12*median {
			t.Errorf("distance %d: found prior %v with median %v, expected %v with %v", m+1, *gamma, got.Quantile(0.5), *want, median)
		}
	}
}

// The prior densities integrate to 1, also that of a temperature whose prior is about its
// product with a distance.
func TestPrior(t *testing.T) {
	j := judge(t)
	if j.Run.Data.TemperatureUnit == 1 {
		t.Error("expected a distance in the prior of the temperature")
	}
	for _, key := range []string{"mass", "temperature", "sigma_x", "sigma_a"} {
		p := j.Prior(key)
		sum := 0.0
		const step = 1e-3
		for x := step / 2; x < min(p.To, 40); x += step {
			sum += p.Density(x) * step
		}
		if math.Abs(sum-1) > 5e-3 {
			t.Errorf("%s: found the integral %v, expected 1", key, sum)
		}
		sum = 0
		for x := step / 2; x < p.Quantile(0.5); x += step {
			sum += p.Density(x) * step
		}
		if math.Abs(sum-0.5) > 5e-3 {
			t.Errorf("%s: found the integral %v up to the median, expected 0.5", key, sum)
		}
	}
	if j.Prior("log_lik") != nil {
		t.Error("found a prior of the log likelihood")
	}
	j.Run.Spec.Prior.SigmaX.Fixed, j.Run.Spec.Prior.Mass.Fixed = true, true
	if j.Prior("sigma_x") != nil || j.Prior("mass") != nil {
		t.Error("found priors of fixed scalars")
	}
}

// The scalars before the draws come from the first scans, with the names of those of the draws.
func TestWarmup(t *testing.T) {
	j := judge(t) // 20 scans of warmup
	scans, before, note := j.Warmup()
	if note != "" {
		t.Errorf("found the note %q, expected none", note)
	}
	quantities := j.Quantities()
	for c := range scans {
		for i, q := range quantities {
			if before[i].Key != q.Key || before[i].Unit != q.Unit || len(before[i].Chains[c]) != 20 || len(scans[c]) != 20 || scans[c][0] != 1 || scans[c][19] != 20 {
				t.Errorf("%s of chain %d: found %d values in scans %v, expected scans 1 to 20", q.Key, c+1, len(before[i].Chains[c]), scans[c])
			}
		}
	}
}

// The rows of some items equal the rows of the allocation.
func TestOfItems(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 1, 0}, {0, 1, 1}, {0, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got := ofItems(z, []int{2, 0}).Rows(); fmt.Sprint(got) != "[[0 1 1] [1 1 0]]" {
		t.Errorf("found %v", got)
	}
}
