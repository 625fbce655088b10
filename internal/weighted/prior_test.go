package weighted

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// uniformP returns the p value of numbers under the uniform distribution on 0 to 1, by Kolmogorov's bound of
// Massart, which is never too small.
func uniformP(x []float64) float64 {
	slices.Sort(x)
	n, largest := float64(len(x)), 0.0
	for i, u := range x {
		largest = max(largest, u-float64(i)/n, float64(i+1)/n-u)
	}
	return min(1, 2*math.Exp(-2*n*largest*largest))
}

// Draws of the prior have its shares, its rates, and weights that are standard normal once the root of C is taken off. Each
// of the at most seven comparisons fails with probability below 1e-6, for three priors.
func TestPriorRand(t *testing.T) {
	for name, density := range stepPriors() {
		p, z, rng := density.m.prior, density.m.z, rand.New(rand.NewPCG(3, 1))
		var shares, rates [4][]float64
		var last, sums, twin []float64
		for range stepDraws {
			s, w := p.Rand(rng, z)
			if !p.Valid(s) {
				t.Fatalf("%s: found shares %v, expected valid ones", name, s)
			}
			for m, x := range append(slices.Clone(s.Shares), s.OwnShare()) {
				shares[m] = append(shares[m], distuv.Beta{Alpha: 1, Beta: float64(len(s.Shares))}.CDF(x))
			}
			for m, x := range s.Rates {
				if c := p.Near[m]; c.MaxRate > 0 {
					rates[m] = append(rates[m], math.Log(x/c.MinRate)/math.Log(c.MaxRate/c.MinRate))
				}
			}
			// Of the first feature the last weight given the others, and the sum of the weights.
			members := []int{0, 2, 3, 5}
			white, c := mat.NewVecDense(len(members), slices.Clone(w[:len(members)])), p.dense(s, members)
			if err := white.SolveVec(mat.NewTriDense(len(members), mat.Lower, rootOf(c)), white); err != nil {
				t.Fatal(err)
			}
			sum := floats.Sum(w[:len(members)])
			last = append(last, distuv.UnitNormal.CDF(white.AtVec(len(members)-1)))
			sums = append(sums, distuv.UnitNormal.CDF(sum/math.Sqrt(mat.Sum(c))))
			twin = append(twin, distuv.UnitNormal.CDF(sum/math.Sqrt(float64(len(members)))))
		}
		for m, x := range slices.Concat(shares[:], rates[:], [][]float64{last, sums}) {
			if x != nil && uniformP(x) < stepAlarm {
				t.Errorf("%s, quantity %d: found mean %v, expected 0.5 of a uniform distribution", name, m, stat.Mean(x, nil))
			}
		}
		if p := uniformP(twin); p > stepAlarm {
			t.Errorf("%s: p value %.2g of independent weights", name, p)
		}
		for m, x := range shares[:len(p.Start().Shares)] { // of another Dirichlet distribution
			for i := range x {
				x[i] = math.Sqrt(x[i])
			}
			if p := uniformP(x); p > stepAlarm {
				t.Errorf("%s: p value %.2g of another prior of share %d", name, p, m)
			}
		}
	}
}

// The density of the shares and of the rate integrates to 1 where they are valid.
func TestPriorDensity(t *testing.T) {
	p := stepPriors()["one distance"].m.prior
	integral := func(density func(Shares) float64) float64 {
		c := p.Near[0]
		return quad.Fixed(func(common float64) float64 {
			return quad.Fixed(func(near float64) float64 {
				return quad.Fixed(func(rate float64) float64 {
					s := Shares{[]float64{common, near}, []float64{rate}}
					if !p.Valid(s) {
						return 0
					}
					return density(s)
				}, c.MinRate, c.MaxRate, 20, nil, 0)
			}, 0, 1-common, 4, nil, 0)
		}, 0, 1, 4, nil, 0)
	}
	if got := integral(func(s Shares) float64 { return math.Exp(p.LogDensity(s)) }); math.Abs(got-1) > 1e-6 {
		t.Errorf("found the integral %v, expected 1", got)
	}
	if got := integral(func(s Shares) float64 { return math.Exp(p.LogDensity(s)) * s.Rates[0] }); math.Abs(got-1) < 0.1 {
		t.Errorf("found the integral %v with the density of the log rate, expected another than 1", got)
	}
	for _, s := range []Shares{
		{[]float64{0.5, 0.5}, []float64{1}}, {[]float64{0, 0.5}, []float64{1}}, {[]float64{0.7, 0.5}, []float64{1}}, {[]float64{0.5}, []float64{1}},
		{[]float64{0.2, 0.2}, []float64{0.1}}, {[]float64{0.2, 0.2}, []float64{6}}, {[]float64{0.2, 0.2}, nil}, {[]float64{math.NaN(), 0.2}, []float64{1}}, {},
	} {
		if p.Valid(s) {
			t.Errorf("found %v valid, expected not", s)
		}
	}
	if none := (*Prior)(nil); !none.Valid(Shares{}) || none.Valid(Shares{[]float64{0.5}, nil}) {
		t.Error("found shares without a prior, or none invalid")
	}
}
