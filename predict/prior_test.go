package predict

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
)

// TestPriorReplicate: given Z and the scales, the columns of a replicate are normal with the
// covariance s^2 (SigmaA^2 ZZ' + SigmaX^2 I), with an intercept about their means, which are the means of
// X. Twins with loadings of the posterior and with SigmaA in place of its square are rejected.
func TestPriorReplicate(t *testing.T) {
	const n, vars, size = 4, 2, 20_000
	for _, intercept := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(11, 15))
		x, d := randomX(rng, n, vars), randomDraw(t, rng, n, 3)
		d.SigmaX, d.SigmaA, d.NoiseScales = 0.5, 1.7, []float64{1, 0.6}
		data := mustData(t, x)
		if intercept {
			data = mustIntercept(t, data)
		}
		r, err := NewReplicator(data)
		if err != nil {
			t.Fatal(err)
		}
		// worst returns the largest |z| of the covariances of the cells of a column, given that of
		// loadings.
		worst := func(loadings float64) (worst float64) {
			var cells [vars][n][]float64
			for range size {
				y, err := r.Draw(d, rng)
				if err != nil {
					t.Fatal(err)
				}
				for v, column := range lists.Transposed(y.X) {
					mean := 0.0
					if intercept {
						mean = meanOf(column)
					}
					for i, value := range column {
						cells[v][i] = append(cells[v][i], value-mean)
					}
				}
			}
			covariance := func(i, j int) float64 { // of latent values over s^2
				c := loadings * float64(d.Z.Shared(i, j))
				if i == j {
					c += d.SigmaX * d.SigmaX
				}
				return c
			}
			for i := range n {
				for j := range n {
					want := 0.0
					for a := range n {
						for b := range n {
							h := func(i, j int) float64 { // I, or with an intercept I - 11'/n
								h := 0.0
								if i == j {
									h = 1
								}
								if intercept {
									h -= 1.0 / n
								}
								return h
							}
							want += h(i, a) * covariance(a, b) * h(b, j)
						}
					}
					for v, s := range d.NoiseScales {
						product := make([]float64, size)
						for t := range product {
							product[t] = cells[v][i][t] * cells[v][j][t]
						}
						mean, sd := stat.MeanStdDev(product, nil)
						worst = max(worst, math.Abs(mean-s*s*want)*math.Sqrt(size)/sd)
					}
				}
			}
			return worst
		}
		square := d.SigmaA * d.SigmaA
		if z := worst(square); z < 5 {
			t.Errorf("intercept %v: loadings of the posterior pass as those of the prior, |z| is %.1f", intercept, z)
		}
		r.Prior = true
		if z := worst(square); !(z < 5) {
			t.Errorf("intercept %v: |z| is %.1f", intercept, z)
		}
		if z := worst(d.SigmaA); z < 5 {
			t.Errorf("intercept %v: SigmaA passes as its square, |z| is %.1f", intercept, z)
		}
	}
}

// TestPriorUniform: if X comes from the prior, p is uniform. Under the posterior, a twin, it is not.
func TestPriorUniform(t *testing.T) {
	const n, sets, size = 6, 1000, 39
	law, err := prior.NewIBP(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(13, 15))
	// replicates draws replicates of the prior, or with loadings given x. It returns the last.
	replicates := func(x [][]float64, prior bool, size int) (c *Checker, last [][]float64) {
		data := mustData(t, x)
		post := &mcmc.Posterior{Data: data, Law: law, Mass: &mcmc.Gamma{Shape: 1, Rate: 1}, SigmaX: mcmc.ScalePrior{Max: 1}, SigmaA: mcmc.ScalePrior{Max: 2}}
		r, err := NewReplicator(data)
		if err != nil {
			t.Fatal(err)
		}
		r.Prior, c = prior, NewChecker(r)
		if err := post.DrawPrior(rng, mcmc.Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}}, size, draws.RecorderFunc(func(d *draws.Draw) error {
			y, err := r.Draw(d, rng)
			if err == nil {
				c.Add(d, y)
				last = y.X
			}
			return err
		})); err != nil {
			t.Fatal(err)
		}
		return c, last
	}
	// worst returns the largest distance of the empirical distribution of p from the uniform one, times the
	// root of the number of sets.
	worst := func(prior bool) (worst float64) {
		ps := map[string][]float64{}
		for range sets {
			_, x := replicates(randomX(rng, n, 2), true, 1)
			c, _ := replicates(x, prior, size)
			for _, kind := range c.Checks() {
				if kind.Name != ItemResiduals {
					ps[kind.Name] = append(ps[kind.Name], kind.Checks[0].P)
				}
			}
		}
		for _, p := range ps {
			slices.Sort(p)
			for i, v := range p {
				worst = max(worst, math.Sqrt(sets)*math.Abs(v-(float64(i)+0.5)/sets))
			}
		}
		return worst
	}
	// Under the right distribution the probability of 2.5 is about 7e-6 for each of five kinds.
	if d := worst(true); d > 2.5 {
		t.Errorf("found the distance %.2f, want at most 2.5", d)
	}
	if d := worst(false); d < 2.5 {
		t.Errorf("replicates given X pass with the distance %.2f", d)
	}
}

// TestPriorMeans: with an intercept the means of the observed cells equal the means of X, in columns of
// numbers, of categories and with limits.
func TestPriorMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 15))
	x, limits, o, d, _ := rated(t, rng)
	x[3][2] = math.NaN()
	for i := range x {
		x[i][2] += 1000
	}
	data, err := lglfm.NewBounded(x, limits, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReplicator(mustIntercept(t, data))
	if err != nil {
		t.Fatal(err)
	}
	r.Prior = true
	want := lists.Transposed(r.Observed(d))
	for range 200 {
		y, err := r.Draw(d, rng)
		if err != nil {
			t.Fatal(err)
		}
		for v, column := range lists.Transposed(y.X) {
			if got, want := meanOf(column), meanOf(want[v]); math.Abs(got-want) > 1e-6*math.Abs(want) {
				t.Fatalf("column %d: mean %v, want %v", v, got, want)
			}
			if math.IsNaN(column[2]) != (v == 0) || math.IsNaN(column[3]) != (v == 2) {
				t.Fatalf("column %d has other missing cells than X: %v", v, column)
			}
		}
	}
	for _, kind := range mustCheck(t, r, []*draws.Draw{d, d}, rng) {
		if kind.Name == "mean" || kind.Name == ItemResiduals {
			t.Errorf("found checks of %s under the prior", kind.Name)
		}
	}
}

// TestUnlikeUnits: a column of numbers that are much larger does not hide misfits of another.
func TestUnlikeUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 15))
	x, d := randomX(rng, 4, 2), randomDraw(t, rng, 4, 1)
	for i := range x {
		x[i][0] *= 1e16
	}
	d.SigmaX, d.SigmaA, d.NoiseScales = 50, 1, []float64{1e16, 1}
	r, err := NewReplicator(mustData(t, x))
	if err != nil {
		t.Fatal(err)
	}
	r.Prior = true
	for _, kind := range mustCheck(t, r, slices.Repeat([]*draws.Draw{d}, 20), rng) {
		if p := kind.Checks[len(kind.Checks)-1].P; kind.Name == "sd" && p < 0.9 {
			t.Errorf("sd: found p %v, want nearly 1", p)
		}
	}
}
