package baseline

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// Data of two factors: rank 2 predicts better than 1, noise alone, and about as well as the
// truth.
func TestFactorAnalysis(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n, d, sigma = 40, 8, 0.3
	z, a := make([][2]float64, n), make([][2]float64, d)
	for k := range 2 {
		for i := range z {
			z[i][k] = rng.NormFloat64()
		}
		for v := range a {
			a[v][k] = rng.NormFloat64()
		}
	}
	x := make([][]float64, n)
	for i := range x {
		for v := range a {
			x[i] = append(x[i], z[i][0]*a[v][0]+z[i][1]*a[v][1]+sigma*rng.NormFloat64())
		}
	}
	elpd := make([]float64, 4) // by harmonic means
	for rank := range elpd {
		logs := FactorAnalysis(x, rank, 2, 3, 200, 400, rng)
		for _, entry := range logs {
			sum := 0.0
			for _, l := range entry {
				sum += math.Exp(-l) / float64(len(entry))
			}
			elpd[rank] -= math.Log(sum) / (n * d)
		}
	}
	heldOut := stat.Mean(HeldOut(x, 2, 5, 2, 3, 200, 400, rng), nil)
	truth := -0.5*math.Log(2*math.Pi*math.E) - math.Log(sigma)
	if !(elpd[2] > elpd[1]+0.3 && elpd[1] > elpd[0]+0.1 && math.Abs(elpd[2]-truth) < 0.4 && math.Abs(elpd[3]-elpd[2]) < 0.15) {
		t.Errorf("elpd by rank %v, given the truth %v", elpd, truth)
	}
	if !(heldOut < elpd[2] && heldOut > elpd[1]) {
		t.Errorf("rank 2, a fifth held out: %v, expected a little below %v", heldOut, elpd[2])
	}
}

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
	var smooth, noise []float64
	for p, elpd := range GaussianProcess(x, distance) {
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
}
