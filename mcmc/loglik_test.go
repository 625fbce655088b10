package mcmc

import (
	"fmt"
	"math"
	"testing"

	"aibd/draws"
	"aibd/lglfm"
	"aibd/prior"
)

// The log likelihood of each draw equals the one of its unknowns, computed afresh column by column, at
// small SigmaX too, where the edits of a scan round most.
func TestDrawsHaveTheirLogLikelihood(t *testing.T) {
	for trial := range 30 {
		columns, cells, intercept := trial%4 == 3, trial%4 == 2, trial%3 == 0
		rng := NewStream(uint64(trial), "log likelihood").Rand
		n, d, features := 12+8*(trial%2), 1+trial%3, 1+rng.IntN(8)
		sigmaX := []float64{0.1, 0.06, 0.03, 0.01, 6e-3, 4e-3}[trial/5]
		a, x := make([][]float64, features), make([][]float64, n)
		for k := range a {
			a[k] = drawNormals(rng.NormFloat64, d, 1)
		}
		for i := range x {
			x[i] = drawNormals(rng.NormFloat64, d, sigmaX)
			for _, loading := range a {
				for j := range d {
					x[i][j] += loading[j] * float64(rng.IntN(2)) // a half of a feature, which takes more of them
				}
			}
			if cells && i%5 == 0 {
				x[i][rng.IntN(d)] = math.NaN()
			}
		}
		post, err := smallNoise(x, sigmaX, columns, intercept)
		if err != nil {
			t.Fatal(err)
		}
		start, err := post.DrawStart(rng, Start{Scales: lglfm.Scales{SigmaX: sigmaX, SigmaA: 1}}, InitEmpty)
		if err != nil {
			t.Fatal(err)
		}
		chain, err := NewChain(post, start, OptionsFor(post, 100), Config{Warmup: 10, Draws: length(200), Thin: 1}, NewStream(uint64(trial), "chain"))
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		err = chain.Run(t.Context(), draws.RecorderFunc(func(draw *draws.Draw) error {
			want, err := logLikByColumn(x, draw, intercept)
			worst = max(worst, math.Abs(draw.LogLik-want)/max(1, math.Abs(want)))
			return err
		}))
		if err != nil {
			t.Fatal(err)
		}
		if !(worst <= 1e-9) {
			t.Errorf("%d x %d, SigmaX %v, noise scales %v, unknown cells %v, intercept %v: off by %.2g of the log likelihood", n, d, sigmaX, columns, cells, intercept, worst)
		}
	}
}

// drawNormals returns normal numbers with the given standard deviation.
func drawNormals(normal func() float64, n int, sd float64) []float64 {
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = sd * normal()
	}
	return numbers
}

// smallNoise returns a posterior under the IBP with scales that are held.
func smallNoise(x [][]float64, sigmaX float64, columns, intercept bool) (*Posterior, error) {
	data, err := lglfm.NewData(x)
	if err == nil && columns {
		least := make([]float64, len(x[0]))
		for j := range least {
			least[j] = sigmaX / 2
		}
		data, err = data.WithNoiseScales(least)
	}
	if err == nil && intercept {
		data, err = data.WithIntercept()
	}
	if err != nil {
		return nil, err
	}
	law, err := prior.NewIBP(len(x), 1)
	return &Posterior{Data: data, Law: law, Mass: &Gamma{1, 1}}, err
}

// logLikByColumn returns the log likelihood of a draw as the sum of those of columns of X over their
// noise scales.
func logLikByColumn(x [][]float64, d *draws.Draw, intercept bool) (sum float64, err error) {
	for j := range x[0] {
		scale, column, observed := lglfm.NoiseScale(d, j), make([][]float64, len(x)), 0.0
		for i, row := range x {
			column[i] = []float64{row[j] / scale}
			if !math.IsNaN(row[j]) {
				observed++
			}
		}
		if intercept { // which has a flat prior in the unit of X
			observed--
		}
		sum -= observed * math.Log(scale)
		data, err := lglfm.NewData(column)
		if err == nil && intercept {
			data, err = data.WithIntercept()
		}
		if err != nil {
			return 0, fmt.Errorf("column %d: %w", j+1, err)
		}
		sum += lglfm.LogLik(data, d.Z, lglfm.ScalesOf(d))
	}
	return sum, nil
}
