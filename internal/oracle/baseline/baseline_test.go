package baseline

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// A smooth column is predicted from its neighbours, one of noise as well as by its spread.
func TestGaussianProcess(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const n = 40
	x, distance := make([][]float64, n), make([][]float64, n)
	walk := 0.0
	for i := range x {
		walk += 0.3 * rng.NormFloat64()
		x[i] = []float64{walk, rng.NormFloat64()}
		for j := range n {
			distance[i] = append(distance[i], math.Abs(float64(i-j)))
		}
	}
	densities := GaussianProcess(x, nil, distance)
	var smooth, noise []float64
	for p, elpd := range densities {
		if p%2 == 0 {
			smooth = append(smooth, elpd)
		} else {
			noise = append(noise, elpd)
		}
	}
	// An inner point of the walk given its neighbours has the variance 0.3^2/2.
	if got, want := stat.Mean(smooth, nil), -0.5*math.Log(2*math.Pi*math.E*0.09/2); math.Abs(got-want) > 0.25 {
		t.Errorf("walk: mean elpd %v, want %v", got, want)
	}
	if got, want := stat.Mean(noise, nil), -0.5*math.Log(2*math.Pi*math.E); math.Abs(got-want) > 0.25 {
		t.Errorf("noise: mean elpd %v, want %v", got, want)
	}
	// One hidden entry is an entry that is left out, but for the grid of s; its value does not matter to the others.
	const p = 2 * 17
	with := GaussianProcess(x, []int{p}, distance)
	if math.Abs(with[p]-densities[p]) > 1e-3 {
		t.Errorf("a hidden entry has the log density %v, left out %v", with[p], densities[p])
	}
	x[17][0] += 5
	if other := GaussianProcess(x, []int{p}, distance); other[p-2] != with[p-2] || other[p] == with[p] {
		t.Errorf("the value of a hidden entry matters to its neighbour, or not to itself: %v, %v", other[p-2]-with[p-2], other[p]-with[p])
	}
}
