package predict

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/draws"
	"aibd/internal/oracle/dense"
	"aibd/lglfm"

	"gonum.org/v1/gonum/stat"
)

// The signal has the mean Z B and the covariance SigmaX^2 Z P Z', with an intercept those of
// [1 Z]; a replicate adds noise.
func TestReplicate(t *testing.T) {
	t.Run("no intercept", func(t *testing.T) { testReplicate(t, false, false) })
	t.Run("intercept", func(t *testing.T) { testReplicate(t, true, false) })
	t.Run("weighted", func(t *testing.T) { testReplicate(t, true, true) })
}

func mustReplicate(t *testing.T, data *lglfm.Data, x [][]float64, d *draws.Draw, rng *rand.Rand) (signal, replicate [][]float64) {
	t.Helper()
	r, err := NewReplicator(data)
	if err != nil {
		t.Fatal(err)
	}
	y, err := r.Draw(d, rng)
	if err != nil {
		t.Fatal(err)
	}
	return y.Signal, y.X
}

// mustCheck checks a replicate of each draw.
func mustCheck(t *testing.T, r *Replicator, ds []*draws.Draw, rng *rand.Rand, quantities ...Quantity) []Checks {
	t.Helper()
	c := NewChecker(r, quantities...)
	for _, d := range ds {
		y, err := r.Draw(d, rng)
		if err != nil {
			t.Fatal(err)
		}
		c.Add(d, y)
	}
	return c.Checks()
}

// The signal at an unknown cell has the distribution of the cell except the noise, and at an observed
// one the mean of x less its residual.
func TestReplicateOfGaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 15))
	const n, vars, size = 4, 2, 20_000
	x, d := randomX(rng, n, vars), randomDraw(t, rng, n, 3)
	weigh(rng, d)
	x[0][0], x[2][0], x[1][1] = math.NaN(), math.NaN(), math.NaN()
	data := mustIntercept(t, mustData(t, x))
	signals := map[[2]int][]float64{}
	for range size {
		signal, replicate := mustReplicate(t, data, x, d, rng)
		for i := range x {
			for v := range vars {
				signals[[2]int{i, v}] = append(signals[[2]int{i, v}], signal[i][v])
				if math.IsNaN(replicate[i][v]) != math.IsNaN(x[i][v]) {
					t.Fatalf("entry %d, %d: %v in the replicate of %v", i, v, replicate[i][v], x[i][v])
				}
			}
		}
	}
	near := func(place [2]int, want, sd float64) {
		t.Helper()
		m, variance := stat.MeanVariance(signals[place], nil)
		if math.Abs(m-want) > 5*sd/math.Sqrt(size) || math.Abs(variance/(sd*sd)-1) > 5*math.Sqrt(2.0/size) {
			t.Errorf("entry %v: mean %v, variance %v, want %v, %v", place, m, variance, want, sd*sd)
		}
	}
	conditional, l := lglfm.NewCells(data), lglfm.NewLoadings(data)
	if err := conditional.ResetDraw(d); err != nil {
		t.Fatal(err)
	}
	if err := l.ResetDraw(d); err != nil {
		t.Fatal(err)
	}
	conditional.Each(func(i, j int, mean, sd float64) {
		near([2]int{i, j}, mean, math.Sqrt(sd*sd-d.SigmaX*d.SigmaX))
	})
	for i, row := range x {
		for v, value := range row {
			if !math.IsNaN(value) {
				near([2]int{i, v}, value-l.Residual(i)[v], d.SigmaX*math.Sqrt(1-l.OneMinusLeverage(i, v)))
			}
		}
	}
}

func testReplicate(t *testing.T, intercept, weighted bool) {
	rng := rand.New(rand.NewPCG(4, 15))
	const n, vars, size = 4, 2, 20_000
	x, d := randomX(rng, n, vars), randomDraw(t, rng, n, 3)
	if weighted {
		weigh(rng, d)
	}
	data, y := mustData(t, x), rowsOf(d)
	mean, covariance := dense.Loadings(x, y, d.SigmaX, d.SigmaA)
	if intercept {
		data = mustIntercept(t, data)
		mean, covariance = dense.LoadingsIntercept(x, y, d.SigmaX, d.SigmaA)
		for i, row := range y {
			y[i] = append([]float64{1}, row...)
		}
	}
	var signals, replicates [n * vars][]float64
	for range size {
		signal, replicate := mustReplicate(t, data, x, d, rng)
		for p := range signals {
			signals[p] = append(signals[p], signal[p/vars][p%vars])
			replicates[p] = append(replicates[p], replicate[p/vars][p%vars])
		}
	}
	expected := func(i, j int) (c float64) {
		for a, row := range covariance {
			for b, v := range row {
				c += y[i][a] * y[j][b] * v
			}
		}
		return c
	}
	for p := range signals {
		want := 0.0
		for a := range mean {
			want += y[p/vars][a] * mean[a][p%vars]
		}
		m, variance := stat.MeanVariance(signals[p], nil)
		if math.Abs(m-want) > 5*math.Sqrt(variance/size) {
			t.Errorf("entry %d: mean %v, want %v", p, m, want)
		}
		for q := range p + 1 {
			want := 0.0
			if p%vars == q%vars {
				want = expected(p/vars, q/vars)
			}
			product := make([]float64, size)
			mq, _ := stat.MeanVariance(signals[q], nil)
			for s := range product {
				product[s] = (signals[p][s] - m) * (signals[q][s] - mq)
			}
			c, v := stat.MeanVariance(product, nil)
			if math.Abs(c-want) > 5*math.Sqrt(v/size)+1e-12 {
				t.Errorf("entries %d and %d: covariance %v, want %v", p, q, c, want)
			}
		}
		want = variance + d.SigmaX*d.SigmaX
		if _, got := stat.MeanVariance(replicates[p], nil); math.Abs(got-want) > 5*want*math.Sqrt(2.0/size) {
			t.Errorf("entry %d: variance of replicates %v, want %v", p, got, want)
		}
	}
}

// Data of the model pass, an outlier in one entry is found.
func TestPredictiveChecks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 15))
	const n, vars = 30, 4
	x, d := make([][]float64, n), randomDraw(t, rng, n, 2)
	d.SigmaX, d.SigmaA = 0.5, 1
	loadings := randomX(rng, 2, vars)
	for i := range x {
		x[i] = normals(rng, vars, d.SigmaX, d)
		for k, a := range loadings {
			if d.Z.Has(i, k) {
				for v := range a {
					x[i][v] += a[v]
				}
			}
		}
	}
	ds := slices.Repeat([]*draws.Draw{d}, 400)
	quantities := []Quantity{
		{Name: "largest", Value: func(x [][]float64) float64 { return slices.Max(slices.Concat(x...)) }},
		{Name: "infinite if the first cell is larger", Value: func(y [][]float64) float64 { return 1 / max(0, x[0][0]+1e-9-y[0][0]) }},
		{Name: "never", Value: func([][]float64) float64 { return math.NaN() }},
		{Name: "of X alone", Value: func(y [][]float64) float64 { return 1 / max(0, 1e-9-math.Abs(y[0][0]-x[0][0])) }},
	}
	find := func() (extreme []string, all []Checks) {
		r, err := NewReplicator(mustData(t, x))
		if err != nil {
			t.Fatal(err)
		}
		all = mustCheck(t, r, ds, rng, quantities...)
		for _, group := range all {
			for _, c := range group.Checks {
				if c.P < 0.005 || c.P > 0.995 {
					extreme = append(extreme, group.Name)
				}
			}
		}
		return extreme, all
	}
	extreme, all := find()
	if len(extreme) > 1 {
		t.Errorf("data of the model: extreme are %v", extreme)
	}
	for g, want := range []int{vars, vars, vars, vars, vars * (vars - 1) / 2, n, len(quantities)} {
		if got := len(all[g].Checks); got != want {
			t.Errorf("%s: %d checks, want %d", all[g].Name, got, want)
		}
	}
	checks := all[6].Checks
	if c := checks[0]; c.Observed != slices.Max(slices.Concat(x...)) || c.Undefined != 0 || !(c.Q5 < c.Q95) {
		t.Errorf("largest: %+v", c)
	}
	if c := checks[1]; c.Undefined == 0 || c.Undefined == len(ds) || !(c.P < 0.01) {
		t.Errorf("at times infinite: %+v", c)
	}
	if c := checks[2]; c.Undefined != len(ds) || !math.IsNaN(c.P) || !math.IsNaN(c.Q5) || !math.IsNaN(c.Observed) {
		t.Errorf("never: %+v", c)
	}
	if c := checks[3]; c.Undefined != len(ds) || !math.IsNaN(c.P) || math.IsInf(c.Observed, 0) {
		t.Errorf("of X alone: %+v", c)
	}
	quantities = nil
	x[3][0], x[3][1] = math.NaN(), math.NaN()
	if extreme, all = find(); len(extreme) > 1 || len(all[5].Checks) != n {
		t.Errorf("with unknown cells extreme are %v, %d items are checked", extreme, len(all[5].Checks))
	}
	if got := all[4].Checks[3].Indices; !slices.Equal(got, []int{0, 3}) {
		t.Errorf("correlation 3 is of columns %v, want 0 and 3", got)
	}
	x[7][2] += 8
	if extreme, _ = find(); !slices.Contains(extreme, "maximum") || !slices.Contains(extreme, "item residuals") {
		t.Errorf("with an outlier extreme are %v", extreme)
	}
}
