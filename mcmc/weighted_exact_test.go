package mcmc

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"aibd/feature"
	"aibd/internal/oracle/fixture"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// The default scan of features with weights samples the posterior of two and three items, with all of Z
// and the weights random. Reference means come from draws of the prior, weighed by a likelihood that is
// computed from the covariance of the rows of X. A z test compares each mean, with batch standard errors
// of both sides. A correct scan fails one of the 33 comparisons with probability
// below 2e-5.
func TestWeightedExact(t *testing.T) {
	const limit = 5
	x := [][]float64{{1.5, -0.5, 1}, {1.2, 0.1, 0.8}, {-0.6, 0.9, -1.4}}
	scales, three := lglfm.Scales{SigmaX: 0.6, SigmaA: 0.9}, []float64{0, 0.4, 2}
	aibd := must(prior.NewAIBD(nearness(three), 0.8, 1.5, []int{2, 0, 1}))
	for _, c := range []struct {
		name      string
		law       prior.Law
		weights   *WeightPrior
		intercept bool
	}{
		{"IBP of two items, independent", must(prior.NewIBP(2, 0.8)), nil, false},
		{"AIBD of three items, independent, with an intercept", aibd, nil, true},
		{"AIBD of three items, common part", aibd, &WeightPrior{}, false},
		{"AIBD of three items, near weights, with an intercept", aibd, &WeightPrior{Near: []Nearness{{Distances: similarity.AbsDifference(three), MinRate: 0.3, MaxRate: 5}}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rows := x[:c.law.N()]
			quantities := func(z *feature.Allocation, weights []float64, common, rate, logLik float64) []float64 {
				shared, squares := 0.0, 0.0
				for k := range z.K() {
					if z.Size(k) > 1 {
						shared++
					}
				}
				for _, w := range weights {
					squares += w * w
				}
				product := 0.0
				for k, g := 0, z.Weighted(nil, weights); k < z.K(); k++ {
					product += g[k] * g[z.K()+k]
				}
				return []float64{float64(z.K()), shared, squares, product, common, common * product, rate, logLik}
			}
			cells, by := mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows...)), combinationsOf(len(rows), c.intercept)
			var y mat.Dense
			y.Mul(by, cells)
			want, wantSE := weighedMeans(c.law, c.weights, quantities, func(z *feature.Allocation, weights []float64) float64 {
				return denseWeighted(&y, by, z, weights, scales)
			})
			data, err := lglfm.NewData(rows)
			if c.intercept && err == nil {
				data, err = data.WithIntercept()
			}
			if err != nil {
				t.Fatal(err)
			}
			post := &Posterior{Data: data, Law: c.law, Features: Weighted, Weights: c.weights}
			s, err := newState(post, Start{Scales: scales})
			if err != nil {
				t.Fatal(err)
			}
			batches, size, relative := 100, length(1500), 0.05
			if !*fixture.Long {
				relative *= math.Sqrt(5)
			}
			options := DefaultOptions()
			options.Births = 10 // each after the others
			kernel, rng := scanOf(post, options), NewStream(1, c.name).Rand
			var means [][]float64
			for b := range batches + 1 {
				sums := make([]float64, len(want))
				for range size {
					kernel.Step(rng, s)
					u := s.Unknowns()
					for q, v := range quantities(u.Z, u.Weights, common(u.Shares.Shares), rate(u.Shares.Rates), s.LogLik()) {
						sums[q] += v / float64(size)
					}
				}
				if b > 0 {
					means = append(means, sums)
				}
			}
			for q, name := range []string{"features", "shared features", "squared weights", "product of two items", "common share", "common share times product", "log rate", "log likelihood"} {
				batch := make([]float64, batches)
				for b := range batch {
					batch[b] = means[b][q]
				}
				got, sd := stat.MeanStdDev(batch, nil)
				if math.Abs(want[q]-1) < 1e-12 && math.Abs(got-1) < 1e-12 { // a model without it
					continue
				}
				se := math.Hypot(sd/math.Sqrt(float64(batches)), wantSE[q])
				if z := (got - want[q]) / se; !(math.Abs(z) < limit) {
					t.Errorf("%s: found %.5f, expected %.5f, standard error %.5f, z %.1f", name, got, want[q], se, z)
				}
				if rel := se / math.Abs(want[q]); rel > relative {
					t.Errorf("%s: relative standard error %.3f, too large to say anything", name, rel)
				}
			}
		})
	}
}

// weighedMeans returns posterior means, and their standard errors, from draws of the prior.
func weighedMeans(law prior.Law, w *WeightPrior, quantities func(*feature.Allocation, []float64, float64, float64, float64) []float64, logLik func(*feature.Allocation, []float64) float64) (means, errs []float64) {
	batches, size := 40, length(10_000)
	rng := NewStream(2, "prior").Rand
	var sums [][]float64 // by batch: the sum of the likelihoods, and of each quantity times the likelihood
	for range batches {
		var sum []float64
		for range size {
			z := law.Rand(rng)
			shares, rates, weights := drawWeights(rng, w, z)
			log := logLik(z, weights)
			q := quantities(z, weights, common(shares), rate(rates), log)
			if sum == nil {
				sum = make([]float64, 1+len(q))
			}
			lik := math.Exp(log)
			sum[0] += lik
			for e, v := range q {
				sum[1+e] += lik * v
			}
		}
		sums = append(sums, sum)
	}
	total := make([]float64, len(sums[0]))
	for _, sum := range sums {
		for e, v := range sum {
			total[e] += v
		}
	}
	for e := 1; e < len(total); e++ {
		mean, square := total[e]/total[0], 0.0
		for _, sum := range sums {
			deviation := (sum[e] - mean*sum[0]) / total[0]
			square += deviation * deviation
		}
		means, errs = append(means, mean), append(errs, math.Sqrt(square))
	}
	return means, errs
}

// common returns the common share, 1 if there are none.
func common(shares []float64) float64 {
	if shares == nil {
		return 1
	}
	return shares[0]
}

// rate returns the log of the first rate, 1 if there is none.
func rate(rates []float64) float64 {
	if rates == nil {
		return 1
	}
	return math.Log(rates[0])
}

// denseWeighted returns the log likelihood of linear combinations y of the rows of X, those of orthonormal vectors in
// the rows of by, from their covariance.
func denseWeighted(y, by *mat.Dense, z *feature.Allocation, weights []float64, scales lglfm.Scales) float64 {
	n, d := y.Dims()
	covariance := mat.NewSymDense(n, nil)
	if k := z.K(); k > 0 {
		var g mat.Dense
		g.Mul(by, mat.NewDense(z.N(), k, z.Weighted(nil, weights)))
		covariance.SymOuterK(scales.SigmaA*scales.SigmaA, &g)
	}
	for i := range n {
		covariance.SetSym(i, i, covariance.At(i, i)+scales.SigmaX*scales.SigmaX)
	}
	var root mat.Cholesky
	if !root.Factorize(covariance) {
		panic("the covariance of the rows is not positive definite")
	}
	var solved mat.Dense
	if err := root.SolveTo(&solved, y); err != nil {
		panic(err)
	}
	solved.MulElem(&solved, y)
	return -float64(d)/2*(float64(n)*math.Log(2*math.Pi)+root.LogDet()) - mat.Sum(&solved)/2
}

// combinationsOf returns orthonormal vectors of n numbers: Helmert's contrasts, or the unit vectors.
func combinationsOf(n int, contrasts bool) *mat.Dense {
	if !contrasts {
		unit := mat.NewDense(n, n, nil)
		for i := range n {
			unit.Set(i, i, 1)
		}
		return unit
	}
	helmert := mat.NewDense(n-1, n, nil)
	for i := 1; i < n; i++ {
		scale := 1 / math.Sqrt(float64(i*(i+1)))
		for j := range i {
			helmert.Set(i-1, j, scale)
		}
		helmert.Set(i-1, i, -float64(i)*scale)
	}
	return helmert
}
