package model

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/mcmc"
	"aibd/predict"
)

// TestPriorPredictive: under an IBP of mass m with fixed scales the expected number of features is
// m H_N, and the expected sample variance of a column is SigmaX^2 + SigmaA^2 m/2, as items have m
// features and share m/2. Twins with SigmaA in place of its square and with loadings of the
// posterior are rejected.
func TestPriorPredictive(t *testing.T) {
	const size, mass, sigmaX, sigmaA = 20_000, 1.5, 0.5, 2
	put(t, "x.csv", "name,a,b\np,1,0\nq,2,1\nr,4,-3\ns,3,0.1\n")
	for _, intercept := range []bool{false, true} {
		p := build(t, fmt.Sprintf("[data]\nfile = 'x.csv'\nintercept = %v\nscale = false\nnoise = 'common'\n[prior]\nlaw = 'ibp'\n", intercept)+
			"mass = { value = 1.5, fixed = true }\nsigma_x = { value = 0.5, fixed = true }\nsigma_a = { value = 2, fixed = true }")
		r, err := predict.NewReplicator(p.Posterior.Data)
		if err != nil {
			t.Fatal(err)
		}
		moments := func(prior bool) (features, variance []float64) {
			r.Prior = prior
			rng := mcmc.NewStream(1, "replicates").Rand
			if err := p.DrawPrior(size, draws.RecorderFunc(func(d *draws.Draw) error {
				y, err := r.Draw(d, rng)
				if err != nil {
					return err
				}
				column := make([]float64, len(y.X))
				for i, row := range y.X {
					column[i] = row[1]
				}
				features, variance = append(features, float64(d.Z.K())), append(variance, stat.Variance(column, nil))
				return nil
			})); err != nil {
				t.Fatal(err)
			}
			return features, variance
		}
		z := func(values []float64, want float64) float64 {
			mean, sd := stat.MeanStdDev(values, nil)
			return math.Abs(mean-want) * math.Sqrt(size) / sd
		}
		variance := func(loadings float64) float64 { return sigmaX*sigmaX + loadings*mass/2 }
		features, variances := moments(true)
		if z := z(features, mass*(1+1.0/2+1.0/3+1.0/4)); !(z < 5) {
			t.Errorf("features: |z| = %.1f", z)
		}
		if z := z(variances, variance(sigmaA*sigmaA)); !(z < 5) {
			t.Errorf("intercept %v, variance: |z| = %.1f", intercept, z)
		}
		if z := z(variances, variance(sigmaA)); z < 5 {
			t.Errorf("intercept %v: SigmaA passes as its square, |z| = %.1f", intercept, z)
		}
		if _, variances = moments(false); z(variances, variance(sigmaA*sigmaA)) < 5 {
			t.Errorf("intercept %v: loadings of the posterior pass as those of the prior", intercept)
		}
	}
}

// TestNearest: the nearest items, with ties, of distances and proximities.
func TestNearest(t *testing.T) {
	put(t, "x.csv", "name,a,b,at\np,1,0,0\nq,2,1,1\nr,4,-3,2\ns,3,0.1,10\n",
		"p.csv", "0,1,5,1\n1,0,1,1\n5,1,0,2\n1,1,2,0\n")
	for lines, want := range map[string][][]int{
		"[distance]\nkind = 'absolute'\ncolumns = ['at']":                                     {{1}, {0, 2}, {1}, {2}},
		"[prior]\nlaw = 'ddibp'\nproximity = 'p.csv'":                                         {{2}, {0, 2, 3}, {0}, {2}},
		"[distance]\nkind = 'matrix'\nfile = 'p.csv'\n[prior]\nlaw = 'aibd'\ndecay = 'given'": {{2}, {0, 2, 3}, {0}, {2}},
		"[distance]\nkind = 'matrix'\nfile = 'p.csv'\n[prior]\nlaw = 'ddibp'":                 {{1, 3}, {0, 2, 3}, {1}, {0, 1}},
	} {
		got, err := build(t, "[data]\nfile = 'x.csv'\n"+lines).Nearest()
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: found %v, error %v, want %v", lines, got, err, want)
		}
	}
	if _, err := build(t, "[data]\nfile = 'x.csv'\n[prior]\nlaw = 'ibp'").Nearest(); err == nil {
		t.Error("the law ibp has nearest items")
	}
}
