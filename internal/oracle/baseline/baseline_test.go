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
		logs := FactorAnalysis(x, nil, rank, 2, 3, 200, 400, rng)
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

// Columns of a common factor with noise of their own are predicted as well as the truth does.
func TestNoiseScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	sigma := []float64{0.1, 0.1, 0.1, 2, 2, 2}
	x, hidden, truth := make([][]float64, 100), []int{}, 0.0
	for i := range x {
		z := rng.NormFloat64()
		for v, sd := range sigma {
			e := sd * rng.NormFloat64()
			x[i] = append(x[i], z+e)
			if (i+v)%10 == 0 {
				hidden = append(hidden, i*len(sigma)+v)
				truth -= math.Log(2*math.Pi)/2 + math.Log(sd) + e*e/sd/sd/2
			}
		}
	}
	got := 0.0
	for _, log := range HiddenFactorAnalysis(x, hidden, 1, 2, 4, 500, 500, rng) {
		got += log
	}
	if less := (got - truth) / float64(len(hidden)); less < -0.3 {
		t.Errorf("hidden entries have %v nats each more than given the truth, expected at least -0.3; with one noise it is about -1.3", less)
	}
}

// Signs of data of one factor and a constant: rank 1 predicts hidden signs about as well as the
// truth does, noise alone as well as the shares of ones. The sampler does not see hidden signs.
func TestBinaryFactorAnalysis(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const n, d = 80, 20
	constant, loading, x := make([]float64, d), make([]float64, d), make([][]float64, n)
	for v := range d {
		constant[v], loading[v] = rng.NormFloat64(), 1.5*rng.NormFloat64()
	}
	truth := 0.0
	var hidden []int
	for i := range x {
		z := rng.NormFloat64()
		for v := range d {
			mean := constant[v] + z*loading[v]
			one := 0.0
			if mean+rng.NormFloat64() > 0 {
				one = 1
			}
			x[i] = append(x[i], one)
			if (i+v)%10 == 0 {
				hidden = append(hidden, i*d+v)
				truth += math.Log(0.5*math.Erfc(-(2*one-1)*mean/math.Sqrt2)) / (n * d / 10)
			}
		}
	}
	scores := make([]float64, 3)
	for rank := range scores {
		logs := BinaryFactorAnalysis(x, hidden, rank, 3, 200, 400, rng)
		for _, p := range hidden {
			scores[rank] += LogMean(logs[p]) / float64(len(hidden))
		}
	}
	if !(scores[1] > scores[0]+0.05 && math.Abs(scores[1]-truth) < 0.08 && math.Abs(scores[2]-scores[1]) < 0.05) {
		t.Errorf("log probability of hidden signs by rank %v, given the truth %v", scores, truth)
	}
	of := func() float64 {
		return BinaryFactorAnalysis(x, hidden, 1, 3, 20, 20, rand.New(rand.NewPCG(4, 1)))[1][7]
	}
	before := of()
	x[0][0] = 1 - x[0][0] // hidden
	if after := of(); math.Abs(after-before) > 1e-12 {
		t.Errorf("a hidden sign changed the log probability of another from %v to %v", before, after)
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

// HiddenFactorAnalysis makes the draws of FactorAnalysis.
func TestHiddenFactorAnalysis(t *testing.T) {
	x, hidden := [][]float64{{1, 2}, {-1, 0.5}, {0, -2}, {0.3, 0.2}}, []int{1, 4}
	logs := FactorAnalysis(x, hidden, 1, 2, 2, 5, 10, rand.New(rand.NewPCG(1, 1)))
	found := HiddenFactorAnalysis(x, hidden, 1, 2, 2, 5, 10, rand.New(rand.NewPCG(1, 1)))
	for _, p := range hidden {
		if len(found) != 2 || found[p] != LogMean(logs[p]) {
			t.Errorf("entry %d: found %v, expected %v", p, found[p], LogMean(logs[p]))
		}
	}
}
