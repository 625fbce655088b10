// Package baseline has simple models to compare with: factor analysis, and a Gaussian process
// for each column. Like all oracles it serves tests only.
package baseline

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// FactorAnalysis samples the posterior of X = Z A + E where Z, N by rank, is standard normal,
// A_kd ~ N(0, SigmaA^2), E_nd ~ N(0, SigmaX^2), with uniform priors of SigmaX and SigmaA up
// to the given maxima: the model of aibd with real features of a chosen number, in place of
// binary ones of an unknown number. It returns, by entry of X (row after row) and draw, the
// log density of the entry given Z, the scales and the other entries of its column. Rank 0 is
// noise alone.
func FactorAnalysis(x [][]float64, rank int, maxX, maxA float64, warmup, draws int, rng *rand.Rand) [][]float64 {
	f := newFactors(x, rank, maxX, maxA, rng)
	logs := make([][]float64, len(x)*len(x[0]))
	for t := range warmup + draws {
		f.scan()
		if t >= warmup {
			for p, log := range f.leaveOut() {
				logs[p] = append(logs[p], log)
			}
		}
	}
	return logs
}

// HeldOut returns the log density of each entry of X, row after row, given the entries of the
// other folds, under FactorAnalysis. The folds are drawn at random.
func HeldOut(x [][]float64, rank, folds int, maxX, maxA float64, warmup, draws int, rng *rand.Rand) []float64 {
	d := len(x[0])
	logs := make([]float64, len(x)*d)
	order := rng.Perm(len(logs))
	for fold := range folds {
		f := newFactors(x, rank, maxX, maxA, rng)
		for at := fold; at < len(order); at += folds {
			p := order[at]
			f.missing = append(f.missing, p)
			f.x.Set(p/d, p%d, 0)
			logs[p] = math.Inf(-1)
		}
		for t := range warmup + draws {
			fit := f.scan()
			for _, p := range f.missing {
				mean := fit.At(p/d, p%d)
				if t >= warmup {
					logs[p] = logAdd(logs[p], distuv.Normal{Mu: mean, Sigma: f.sigmaX}.LogProb(x[p/d][p%d])-math.Log(float64(draws)))
				}
				f.x.Set(p/d, p%d, mean+f.sigmaX*rng.NormFloat64())
			}
		}
	}
	return logs
}

// factors is the state of the sampler.
type factors struct {
	x, z           *mat.Dense // z is nil for rank 0
	sigmaX, sigmaA float64
	maxX, maxA     float64
	missing        []int // entries of x that are unknown, row after row
	rng            *rand.Rand
}

func newFactors(x [][]float64, rank int, maxX, maxA float64, rng *rand.Rand) *factors {
	f := &factors{x: mat.NewDense(len(x), len(x[0]), nil), rng: rng, sigmaX: maxX / 2, sigmaA: maxA / 2, maxX: maxX, maxA: maxA}
	for i, row := range x {
		f.x.SetRow(i, row)
	}
	if rank > 0 {
		f.z = f.normals(len(x), rank)
	}
	return f
}

// scan draws everything but unknown entries of x, and returns Z A.
func (f *factors) scan() *mat.Dense {
	n, d := f.x.Dims()
	fit, residual := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	if f.z != nil {
		a := f.loadings()
		f.scores(a)
		fit.Mul(f.z, a)
		f.sigmaA = f.scale(a, f.maxA)
	}
	residual.Sub(f.x, fit)
	f.sigmaX = f.scale(residual, f.maxX)
	return fit
}

func (f *factors) normals(rows, columns int) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(int, int, float64) float64 { return f.rng.NormFloat64() }, m)
	return m
}

// precision returns the Cholesky factors of Y'Y + ridge I.
func precision(y mat.Matrix, ridge float64) *mat.Cholesky {
	var gram mat.SymDense
	gram.SymOuterK(1, y.T())
	for k := range gram.SymmetricDim() {
		gram.SetSym(k, k, gram.At(k, k)+ridge)
	}
	var c mat.Cholesky
	c.Factorize(&gram)
	return &c
}

// regression draws B from N((Y'Y + ridge I)^-1 Y'X, sd^2 (Y'Y + ridge I)^-1), by column.
func (f *factors) regression(y, x mat.Matrix, ridge, sd float64) *mat.Dense {
	c := precision(y, ridge)
	var cross, b, noise mat.Dense
	cross.Mul(y.T(), x)
	_ = c.SolveTo(&b, &cross) // the error only reports a large condition number
	rows, columns := b.Dims()
	var upper mat.TriDense
	c.UTo(&upper)
	_ = noise.Solve(&upper, f.normals(rows, columns))
	noise.Scale(sd, &noise)
	b.Add(&b, &noise)
	return &b
}

// loadings draws A given Z.
func (f *factors) loadings() *mat.Dense {
	r := f.sigmaX / f.sigmaA
	return f.regression(f.z, f.x, r*r, f.sigmaX)
}

// scores draws Z given A.
func (f *factors) scores(a *mat.Dense) {
	f.z.CloneFrom(f.regression(a.T(), f.x.T(), f.sigmaX*f.sigmaX, f.sigmaX).T())
}

// scale draws the standard deviation of the entries of m, which have mean 0.
func (f *factors) scale(m *mat.Dense, limit float64) float64 {
	rows, columns := m.Dims()
	square := mat.Norm(m, 2)
	square *= square
	precision := distuv.Gamma{Alpha: float64(rows*columns-1) / 2, Beta: square / 2, Src: f.rng}
	for range 10_000 {
		if s := 1 / math.Sqrt(precision.Rand()); s < limit {
			return s
		}
	}
	return limit
}

// leaveOut returns the log density of each entry.
func (f *factors) leaveOut() []float64 {
	n, d := f.x.Dims()
	left, residual := make([]float64, n), mat.DenseCopyOf(f.x)
	for i := range left {
		left[i] = 1
	}
	if f.z != nil {
		r := f.sigmaX / f.sigmaA
		c := precision(f.z, r*r)
		var solved, hat, fit mat.Dense
		_ = c.SolveTo(&solved, f.z.T())
		hat.Mul(f.z, &solved)
		fit.Mul(&hat, f.x)
		residual.Sub(f.x, &fit)
		for i := range left {
			left[i] -= hat.At(i, i)
		}
	}
	var logs []float64
	for i := range n {
		normal := distuv.Normal{Sigma: f.sigmaX / math.Sqrt(left[i])}
		for v := range d {
			logs = append(logs, normal.LogProb(residual.At(i, v)/left[i]))
		}
	}
	return logs
}

// GaussianProcess returns the log density of each entry of X, row after row, given the other
// entries of its column. Columns are independent with covariance s^2 (exp(-d/length) + rho I)
// over the distances d. The posterior of s, length and rho of a column is taken on a grid,
// uniform in their logarithms, also without the entry, so that the densities are exact for
// this grid.
func GaussianProcess(x, distance [][]float64) []float64 {
	n, d := len(x), len(x[0])
	var distances []float64
	for i, row := range distance {
		distances = append(distances, row[:i]...)
	}
	slices.Sort(distances)
	middle := distances[len(distances)/2]
	// Of each entry, log sums over the grid of the likelihood of its column, and of that over
	// the density of the entry.
	with, without := make([]float64, n*d), make([]float64, n*d)
	for p := range with {
		with[p], without[p] = math.Inf(-1), math.Inf(-1)
	}
	squares := make([]float64, d) // mean squares of columns
	for _, row := range x {
		for v, e := range row {
			squares[v] += e * e / float64(n)
		}
	}
	for _, length := range logGrid(middle/16, middle*16, 12) {
		for _, rho := range logGrid(1e-3, 1e3, 13) {
			c := mat.NewSymDense(n, nil)
			for i := range n {
				for j := range i {
					c.SetSym(i, j, math.Exp(-distance[i][j]/length))
				}
				c.SetSym(i, i, 1+rho)
			}
			var chol mat.Cholesky
			if !chol.Factorize(c) {
				continue
			}
			var inverse mat.SymDense
			_ = chol.InverseTo(&inverse)
			for v := range d {
				y := make([]float64, n)
				for i, row := range x {
					y[i] = row[v]
				}
				var s mat.VecDense
				s.MulVec(&inverse, mat.NewVecDense(n, y))
				square := mat.Dot(&s, mat.NewVecDense(n, y))
				for _, total := range logGrid(squares[v]/16, squares[v]*16, 17) {
					variance := total / (1 + rho)
					column := -(float64(n)*math.Log(2*math.Pi*variance) + chol.LogDet() + square/variance) / 2
					for i := range n {
						precision := inverse.At(i, i)
						entry := distuv.Normal{Sigma: math.Sqrt(variance / precision)}.LogProb(s.AtVec(i) / precision)
						p := i*d + v
						with[p], without[p] = logAdd(with[p], column), logAdd(without[p], column-entry)
					}
				}
			}
		}
	}
	for p := range with {
		with[p] -= without[p]
	}
	return with
}

func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// logGrid returns points between low and high, at equal ratios.
func logGrid(low, high float64, points int) []float64 {
	grid := make([]float64, points)
	for i := range grid {
		grid[i] = low * math.Pow(high/low, float64(i)/float64(points-1))
	}
	return grid
}
