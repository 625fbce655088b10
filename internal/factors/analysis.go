package factors

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// An Analysis is a factor analysis of rows, x = Mean + Scores Loadings + e.
type Analysis struct {
	Scores   [][]float64 // a row for each row of x
	Loadings [][]float64 // a row for each factor
	Mean     []float64   // by column
	Noise    []float64   // standard deviations of e, by column
}

const (
	maxSampled  = 400 // rows of a sample
	maxFactors  = 20
	rowsPerRank = 3  // rows of a sample for each factor, at least
	briefSteps  = 10 // of EM
)

// Analyze returns a factor analysis of the rows of x by some steps of EM on a bootstrap sample of them, with as many
// factors as x allows: fewer than columns, and at most 20. NaN is a cell that is not seen. Scores are draws given the
// seen cells. They are rotated (varimax) and less their medians, so that many of them are near 0.
func Analyze(rng *rand.Rand, x [][]float64) *Analysis {
	z, units := standardized(x)
	sample := make([][]float64, min(len(z), maxSampled))
	for i := range sample {
		sample[i] = z[rng.IntN(len(z))]
	}
	rank := max(0, min(len(units)-1, len(sample)/rowsPerRank, maxFactors))
	f := start(sample, rank)
	for range briefSteps {
		f.step(sample, false)
	}
	a := &Analysis{Scores: make([][]float64, len(z)), Loadings: make([][]float64, rank)}
	for v, u := range units {
		a.Mean, a.Noise = append(a.Mean, u.mean+u.sd*f.w[v][rank]), append(a.Noise, u.sd*math.Sqrt(f.noise[v]))
		for k := range rank {
			a.Loadings[k] = append(a.Loadings[k], u.sd*f.w[v][k])
		}
	}
	if rank > 0 {
		distribution := f.distributions()
		for i, row := range z {
			a.Scores[i] = f.draw(rng, row, distribution(row))
		}
	}
	a.rotate()
	a.center()
	return a
}

// draw draws the factors of a row given its seen cells.
func (f *estimate) draw(rng *rand.Rand, row []float64, given scores) []float64 {
	z, _ := f.mean(row, given)
	// The precision is L L'.
	e, d := mat.NewVecDense(f.rank, nil), new(mat.VecDense)
	for k := range f.rank {
		e.SetVec(k, rng.NormFloat64())
	}
	var lower mat.TriDense
	given.factor.LTo(&lower)
	_ = d.SolveVec(lower.T(), e) // a condition
	d.AddVec(d, z)
	return d.RawVector().Data
}

// rotate turns pairs of factors until the variance of the squared scores hardly grows (Kaiser, 1958).
func (a *Analysis) rotate() {
	const sweeps, still = 20, 1e-3
	for range sweeps {
		largest := 0.0
		for p := range a.Loadings {
			for q := range p {
				largest = max(largest, math.Abs(a.turn(p, q)))
			}
		}
		if largest < still {
			return
		}
	}
}

// turn turns factors p and q, and returns the angle.
func (a *Analysis) turn(p, q int) (angle float64) {
	var u, v, square, product float64
	for _, s := range a.Scores {
		x, y := s[p]*s[p]-s[q]*s[q], 2*s[p]*s[q]
		u, v, square, product = u+x, v+y, square+x*x-y*y, product+2*x*y
	}
	n := float64(len(a.Scores))
	angle = math.Atan2(product-2*u*v/n, square-(u*u-v*v)/n) / 4
	sin, cos := math.Sincos(angle)
	for _, s := range a.Scores {
		s[p], s[q] = cos*s[p]+sin*s[q], cos*s[q]-sin*s[p]
	}
	b, c := a.Loadings[p], a.Loadings[q]
	for j := range b {
		b[j], c[j] = cos*b[j]+sin*c[j], cos*c[j]-sin*b[j]
	}
	return angle
}

// center subtracts the medians from the scores.
func (a *Analysis) center() {
	for k, loading := range a.Loadings {
		var scores []float64
		for _, s := range a.Scores {
			scores = append(scores, s[k])
		}
		slices.Sort(scores)
		median := scores[len(scores)/2]
		for _, s := range a.Scores {
			s[k] -= median
		}
		for v, l := range loading {
			a.Mean[v] += median * l
		}
	}
}
