package mcmc

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/lglfm"
	"aibd/prior"
)

// TestBinaryFactor: with the loadings and the intercept integrated out, the law of the latent values x of
// a binary column given their signs and everything else has a density exp(-x'Hx/(2 SigmaX^2)) on a cone. So
// x'Hx/SigmaX^2 has a chi-squared law with as many degrees of freedom as the column has cells, with an
// intercept too. Its mean is within five standard errors (false alarms: 5e-5 in all), and the same draws
// reject the mean of a factor that counts a cell less for the intercept.
func TestBinaryFactor(t *testing.T) {
	const items, chunk, chunks = 10, 60, 50
	var x [][]float64
	levels := [2][]int{}
	for i := range items {
		x = append(x, []float64{math.Sin(float64(i*i + 1)), math.NaN(), math.NaN()})
		levels[0], levels[1] = append(levels[0], i%3/2), append(levels[1], i*7%5/3)
	}
	data, err := lglfm.NewBounded(x, nil, lglfm.Ordinal{Variable: 1, Levels: 2, Level: levels[0]}, lglfm.Ordinal{Variable: 2, Levels: 2, Level: levels[1]})
	if err == nil {
		data, err = data.WithIntercept()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, features := range []Features{Binary, Weighted, Graded} {
		gamma := DefaultGamma()
		post := &Posterior{Data: data, Law: must(prior.NewIBP(items, 1)), Mass: &gamma, SigmaX: ScalePrior{Mean: 1}, SigmaA: ScalePrior{Mean: 1}, Features: features}
		var means [2][]float64
		sums, n := [2]float64{}, 0
		record := draws.RecorderFunc(func(d *draws.Draw) error {
			now := logCompleted(t, x, d, 1, 1)
			sums[0] += 2 * (now - logCompleted(t, x, d, math.Sqrt2, 1))
			sums[1] += 2 * (now - logCompleted(t, x, d, 1, math.Sqrt2))
			if n++; n%chunk == 0 {
				for j := range sums {
					means[j] = append(means[j], sums[j]/chunk)
				}
				sums = [2]float64{}
			}
			return nil
		})
		if err := Sample(context.Background(), post, DefaultOptions().For(post, 200), Config{Warmup: 200, Draws: chunk * chunks, Thin: 1}, 1, record); err != nil {
			t.Fatal(err)
		}
		for j, m := range means {
			mean, sd := stat.MeanStdDev(m, nil)
			z := func(cells float64) float64 { return math.Abs(mean-cells) / (sd / math.Sqrt(chunks)) }
			if !(z(items) < 5 && z(items-1) > 5) {
				t.Errorf("%s features, column %d: found the mean %.3f, z %.1f, expected %d, z %.1f from %d", features, j+2, mean, z(items), items, z(items-1), items-1)
			}
		}
	}
}

// logCompleted returns the log likelihood of a draw with its latent values, those of the two binary columns
// times factors.
func logCompleted(t *testing.T, x [][]float64, d *draws.Draw, first, second float64) float64 {
	var rows [][]float64
	for i, row := range x {
		rows = append(rows, []float64{row[0], first * d.Cells[2*i], second * d.Cells[2*i+1]})
	}
	data, err := lglfm.NewData(rows)
	if err == nil {
		data, err = data.WithIntercept()
	}
	if err != nil {
		t.Fatal(err)
	}
	return lglfm.LogLikWeighted(data, d.Z, d.Weights, lglfm.ScalesOf(d))
}
