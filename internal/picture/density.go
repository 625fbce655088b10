package picture

// Kernel densities.

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"

	"aibd/posterior"
)

// density returns the kernel density of the draws along the range: the density times
// sqrt(2 pi) in X, the value in Y. It uses a normal kernel with the bandwidth of Silverman
// (1986, Density estimation, equation 3.31). It returns nil if all draws are equal.
func density(draws []float64, low, high float64) plotter.XYs {
	sd := stat.StdDev(draws, nil)
	spread := (posterior.Quantile(draws, 0.75) - posterior.Quantile(draws, 0.25)) / 1.34
	if spread > 0 {
		sd = min(sd, spread)
	}
	h := 0.9 * sd * math.Pow(float64(len(draws)), -0.2)
	if !(h > 0) {
		return nil
	}
	sorted := slices.Sorted(slices.Values(draws))
	const points = 200
	curve := make(plotter.XYs, points)
	for i := range curve {
		y := low + (high-low)*float64(i)/(points-1)
		from, _ := slices.BinarySearch(sorted, y-5*h)
		to, _ := slices.BinarySearch(sorted, y+5*h)
		sum := 0.0
		for _, x := range sorted[from:to] {
			sum += math.Exp(-(x - y) * (x - y) / (2 * h * h))
		}
		curve[i] = plotter.XY{X: sum / (h * float64(len(draws))), Y: y}
	}
	return curve
}
