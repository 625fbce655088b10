package factors

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// An estimate is a model of rows x = mean + W z + e with z ~ N(0, I) and independent e_d ~ N(0, noise_d), of
// columns that are centered and divided by their standard deviations. NaN is a cell that is not seen.
type estimate struct {
	rank  int
	w     [][]float64 // D x (rank + 1): row d of W, and the mean of column d
	noise []float64   // D, variances
}

const (
	maxIterations = 150
	tolerance     = 1e-4 // of the log likelihood, by cell
	// The log likelihood loses (scale + ridge |w_d|^2 / 2) / noise_d for each column d, w_d being its
	// loadings and mean: without this penalty a factor that fits a column exactly has no bound.
	scale, ridge = 5e-4, 0.1
)

// em returns the estimate of a rank with the largest penalized likelihood that EM finds from the principal
// components of x, with zeros in place of unseen cells. common: all columns have the same noise, which is
// probabilistic principal components (Tipping and Bishop, 1999). It ends early if ctx is done.
func em(ctx context.Context, x [][]float64, rank int, common bool) *estimate {
	f, last := start(x, rank), math.Inf(-1)
	for range maxIterations {
		if ctx.Err() != nil {
			break
		}
		logLik, cells := f.step(x, common)
		if logLik-last < tolerance*float64(cells) {
			break
		}
		last = logLik
	}
	return f
}

// start returns the principal components of x.
func start(x [][]float64, rank int) *estimate {
	n, d := len(x), len(x[0])
	f := &estimate{rank: rank, w: make([][]float64, d), noise: slices.Repeat([]float64{1}, d)}
	filled := mat.NewDense(n, d, nil)
	filled.Apply(func(i, v int, _ float64) float64 {
		if math.IsNaN(x[i][v]) {
			return 0
		}
		return x[i][v]
	}, filled)
	var svd mat.SVD
	var right mat.Dense
	svd.Factorize(filled, mat.SVDThin)
	svd.VTo(&right)
	values := svd.Values(nil)
	for v := range d {
		f.w[v] = make([]float64, rank+1)
		for k := range rank {
			f.w[v][k] = right.At(v, k) * values[k] / math.Sqrt(float64(n))
			f.noise[v] -= f.w[v][k] * f.w[v][k]
		}
		f.noise[v] = max(f.noise[v], 0.05)
	}
	return f
}

// scores is the distribution of z given which cells of a row are seen, up to its mean. An estimate of rank 0 has no z.
type scores struct {
	factor     *mat.Cholesky // of the precision
	covariance *mat.SymDense
}

// given returns the distribution of z for rows in which the same cells are seen as in row.
func (f *estimate) given(row []float64) (s scores) {
	if f.rank == 0 {
		return s
	}
	precision := make([]float64, f.rank*f.rank)
	for k := range f.rank {
		precision[k*f.rank+k] = 1
	}
	for v, x := range row {
		if math.IsNaN(x) {
			continue
		}
		w := f.w[v]
		for k := range f.rank {
			floats.AddScaled(precision[k*f.rank+k:(k+1)*f.rank], w[k]/f.noise[v], w[k:f.rank])
		}
	}
	s.factor, s.covariance = factorized(f.rank, precision), new(mat.SymDense)
	// The error only reports a large condition number.
	_ = s.factor.InverseTo(s.covariance)
	return s
}

// distributions returns the function given, which computes the distribution for rows without missing cells once.
func (f *estimate) distributions() func(row []float64) scores {
	var full *scores
	return func(row []float64) scores {
		if slices.ContainsFunc(row, math.IsNaN) {
			return f.given(row)
		}
		if full == nil {
			full = new(f.given(row))
		}
		return *full
	}
}

// mean returns the mean of z given the seen cells of a row, whose distribution is s, and the log density of these cells.
func (f *estimate) mean(row []float64, s scores) (z *mat.VecDense, logLik float64) {
	cross := make([]float64, f.rank)
	for v, x := range row {
		if math.IsNaN(x) {
			continue
		}
		w, e := f.w[v], x-f.w[v][f.rank]
		logLik -= (math.Log(2*math.Pi*f.noise[v]) + e*e/f.noise[v]) / 2
		for k := range f.rank {
			cross[k] += w[k] / f.noise[v] * e
		}
	}
	if f.rank == 0 {
		return nil, logLik
	}
	z = new(mat.VecDense)
	// The error only reports a large condition number.
	_ = s.factor.SolveVecTo(z, mat.NewVecDense(f.rank, cross))
	return z, logLik + (floats.Dot(z.RawVector().Data, cross)-s.factor.LogDet())/2
}

// factorized returns the Cholesky factors of a positive definite matrix, given its upper triangle.
func factorized(size int, upper []float64) *mat.Cholesky {
	var c mat.Cholesky
	if !c.Factorize(mat.NewSymDense(size, upper)) {
		panic("factors: a sum of squares and a ridge is not positive definite")
	}
	return &c
}

// sums add E[y y'], x E[y] and x^2 over the rows in which a column is observed, with y = (z, 1).
type sums struct {
	second, first []float64
	shared        bool // second is shared by all columns without missing cells
	square        float64
	count         int
}

// step makes a step of EM, and returns the penalized log likelihood before it and the number of seen cells.
func (f *estimate) step(x [][]float64, common bool) (logLik float64, cells int) {
	size := f.rank + 1
	all, whole := make([]sums, len(f.w)), make([]float64, size*size)
	for v := range all {
		all[v] = sums{second: whole, first: make([]float64, size), shared: true}
		if slices.ContainsFunc(x, func(row []float64) bool { return math.IsNaN(row[v]) }) {
			all[v].second, all[v].shared = make([]float64, size*size), false
		}
	}
	moments := make([]float64, size*size)
	moments[size*size-1] = 1
	mean := make([]float64, size)
	mean[f.rank] = 1
	distribution := f.distributions()
	for _, row := range x {
		given := distribution(row)
		z, logDensity := f.mean(row, given)
		logLik += logDensity
		for k := range f.rank {
			mean[k] = z.AtVec(k)
			moments[k*size+f.rank] = mean[k]
			for l := k; l < f.rank; l++ {
				moments[k*size+l] = given.covariance.At(k, l) + mean[k]*z.AtVec(l)
			}
		}
		floats.Add(whole, moments)
		for v, e := range row {
			if math.IsNaN(e) {
				continue
			}
			s := &all[v]
			s.count++
			s.square += e * e
			floats.AddScaled(s.first, e, mean)
			if !s.shared {
				floats.Add(s.second, moments)
			}
		}
	}
	var factor *mat.Cholesky // of the shared sums
	total := 0.0
	for v, s := range all {
		logLik -= (scale + ridge*floats.Dot(f.w[v], f.w[v])/2) / f.noise[v]
		root := factor
		if !s.shared || factor == nil {
			for k := range size {
				s.second[k*size+k] += ridge
			}
			if root = factorized(size, s.second); s.shared {
				factor = root
			}
		}
		b := mat.NewVecDense(size, f.w[v])
		_ = root.SolveVecTo(b, mat.NewVecDense(size, s.first))
		residual := s.square - floats.Dot(f.w[v], s.first) + 2*scale
		f.noise[v] = residual / float64(max(s.count, 1))
		total += residual
		cells += s.count
	}
	if common {
		f.noise = slices.Repeat([]float64{total / float64(max(cells, 1))}, len(f.w))
	}
	return logLik, cells
}

// cell returns a function that gives the mean and the variance of a cell of a row given the seen cells of the row.
func (f *estimate) cell(row []float64) func(column int) (mean, variance float64) {
	given := f.given(row)
	z, _ := f.mean(row, given)
	return func(column int) (mean, variance float64) {
		mean, variance = f.w[column][f.rank], f.noise[column]
		if f.rank > 0 {
			w := mat.NewVecDense(f.rank, f.w[column][:f.rank])
			mean += mat.Dot(w, z)
			variance += mat.Inner(w, given.covariance, w)
		}
		return mean, variance
	}
}
