package dataset

// Data simulated from the linear-Gaussian latent feature model.

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/feature"
	"aibd/similarity"
)

// Simulate draws data given an allocation z of N items to K features from the
// linear-Gaussian latent feature model, X = Z A + E (Griffiths and Ghahramani,
// 2011): the loadings a, K x d, with independent entries Normal(0, sigmaA^2),
// and x, N x d, with errors Normal(0, sigmaX^2). It panics if d or a standard
// deviation is negative.
func Simulate(rng *rand.Rand, z *feature.Allocation, d int, sigmaX, sigmaA float64) (x, a [][]float64) {
	if d < 0 || !(sigmaX >= 0) || !(sigmaA >= 0) {
		panic(fmt.Sprintf("dataset: simulate %d columns with SigmaX %v and SigmaA %v", d, sigmaX, sigmaA))
	}
	a = make([][]float64, z.K())
	for k := range a {
		a[k] = make([]float64, d)
		for j := range a[k] {
			a[k][j] = sigmaA * rng.NormFloat64()
		}
	}
	return observe(rng, z, a, d, sigmaX), a
}

// observe returns Z A + E, N x d.
func observe(rng *rand.Rand, z *feature.Allocation, a [][]float64, d int, sigmaX float64) [][]float64 {
	x := make([][]float64, z.N())
	for i := range x {
		x[i] = make([]float64, d)
		for k := range a {
			if z.Has(i, k) {
				for j, v := range a[k] {
					x[i][j] += v
				}
			}
		}
		for j := range x[i] {
			x[i][j] += sigmaX * rng.NormFloat64()
		}
	}
	return x
}

// bars holds the four 6 x 6 images of Griffiths and Ghahramani (2011, the
// demonstration on simulated images), top row first.
var bars = [4]string{
	".#...." + "###..." + ".#...." + "......" + "......" + "......",
	"...###" + "...#.#" + "...###" + "......" + "......" + "......",
	"......" + "......" + "......" + "#....." + "##...." + "###...",
	"......" + "......" + "......" + "...###" + "....#." + "....#.",
}

// Bars draws the "Cambridge bars" of Griffiths and Ghahramani (2011): n images
// of 36 pixels, each the sum of a random subset of four fixed images of zeros and
// ones plus noise of standard deviation sigmaX (they use 0.5). Every image has
// each of the four with probability 1/2. It returns the images x, n x 36 with the
// pixels row by row, the true allocation z and the true loadings a, K x 36; an
// image that no item has is dropped from both. It panics if n or sigmaX is
// negative.
func Bars(rng *rand.Rand, n int, sigmaX float64) (x [][]float64, z *feature.Allocation, a [][]float64) {
	if !(sigmaX >= 0) {
		panic(fmt.Sprintf("dataset: bars with SigmaX %v", sigmaX))
	}
	z = feature.New(n)
	for _, image := range bars {
		k := z.Append()
		for i := range n {
			if rng.IntN(2) == 1 {
				z.Flip(i, k)
			}
		}
		if z.Size(k) == 0 {
			z.Remove(k)
			continue
		}
		loadings := make([]float64, len(image))
		for j, pixel := range image {
			if pixel == '#' {
				loadings[j] = 1
			}
		}
		a = append(a, loadings)
	}
	return observe(rng, z, a, 36, sigmaX), z, a
}

// Synthetic is simulated data with its true allocation and loadings: N items, D variables,
// K features.
type Synthetic struct {
	X      [][]float64         // N x D
	Ages   []float64           // covariate of the N items, whole years from 55 to 90
	Z      *feature.Allocation // N x K
	A      [][]float64         // loadings, K x D
	SigmaX float64
	SigmaA float64
}

// Parameters of Twin, after the posterior of the paper's application at N = 62, D = 224:
// about 74 features of 4.6 items each, SigmaX 0.52, SigmaA 0.35 and temperature 0.38 on
// ages in years with standard deviation 7.24.
const (
	twinMass        = 15.7 // 74 / H_62
	twinKeep        = 0.617
	twinTemperature = 0.38
	twinSigmaX      = 0.52
	twinSigmaA      = 0.35
)

// Twin draws data that resemble those of the paper's application (which are not
// part of this project): for n = 62 and d = 224 about 74 features of 4.6 items
// each, and columns with variance about 1.
//
// Ages are normal with mean 79 and standard deviation 8.6, rounded to years and
// redrawn until they are in 55 to 90, which gives a standard deviation of about
// 7.24. The allocation comes from the attraction Indian buffet process of the
// paper in a uniformly random order of the items, with the exponential decay on age
// differences and one change: an item takes an existing dish with 0.617 times the
// probability of the paper. Without it, features would have N/H_N = 13.2 items.
//
// It panics if n < 1 or d < 0.
func Twin(rng *rand.Rand, n, d int) *Synthetic {
	if n < 1 {
		panic(fmt.Sprintf("dataset: a twin of %d items", n))
	}
	ages := make([]float64, n)
	for i := range ages {
		for ages[i] < 55 || ages[i] > 90 {
			ages[i] = math.Round(79 + 8.6*rng.NormFloat64())
		}
	}
	z := buffet(rng, similarity.AbsDifference(ages), similarity.Exponential{}, rng.Perm(n), twinKeep)
	x, a := Simulate(rng, z, d, twinSigmaX, twinSigmaA)
	return &Synthetic{X: x, Ages: ages, Z: z, A: a, SigmaX: twinSigmaX, SigmaA: twinSigmaA}
}

// buffet draws an allocation for Twin. Items arrive in the given order. Each takes an
// existing dish with keep times the probability of the AIBD, and Poisson(mass/p) new
// dishes at position p = 1, 2, ...
func buffet(rng *rand.Rand, distance *similarity.Matrix, decay similarity.Decay, order []int, keep float64) *feature.Allocation {
	z := feature.New(len(order))
	f := make([]float64, len(order)) // similarities of the arriving to the earlier items
	for p, i := range order {
		total := 0.0
		for _, e := range order[:p] {
			f[e] = math.Exp(decay.LogSimilarity(twinTemperature, distance.At(i, e)))
			total += f[e]
		}
		for k := range z.K() {
			sum := 0.0
			for _, e := range order[:p] {
				if z.Has(e, k) {
					sum += f[e]
				}
			}
			if rng.Float64() < keep*float64(p)/float64(p+1)*sum/total {
				z.Flip(i, k)
			}
		}
		fresh := distuv.Poisson{Lambda: twinMass / float64(p+1), Src: rng}.Rand()
		for range int(fresh) {
			z.Flip(i, z.Append())
		}
	}
	return z
}
