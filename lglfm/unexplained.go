package lglfm

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"aibd/internal/lists"
)

const (
	// ridge is added to correlations, so that linear functions of other columns have an inverse too. It is
	// far below the squared rounding of a table.
	ridge = 1e-10
	// The EM algorithm ends after maxUnexplained steps, or when no covariance changes by more than
	// minUnexplained of the product of two standard deviations.
	maxUnexplained = 200
	minUnexplained = 1e-4
)

// Unexplained returns for each column of x the standard deviation that a linear regression on the other
// columns leaves. It is the maximum likelihood estimate under a normal distribution of the rows, by the EM
// algorithm if cells are NaN, which stands for unknown. The result is 0 for columns with fewer than two
// distinct values, and for all columns if x has no more rows than columns.
func Unexplained(x [][]float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	residual := make([]float64, len(x[0]))
	var columns []int
	var means, sds []float64
	for j, column := range lists.Observed(x) {
		if mean, variance := stat.PopMeanVariance(column, nil); variance > 0 {
			columns, means, sds = append(columns, j), append(means, mean), append(sds, math.Sqrt(variance))
		}
	}
	n, d := len(x), len(columns)
	if n <= d || d == 0 {
		return residual
	}
	z := mat.NewDense(n, d, nil)
	for i, row := range x {
		for a, j := range columns {
			z.Set(i, a, (row[j]-means[a])/sds[a])
		}
	}
	precision := precisionOf(z)
	for a, j := range columns {
		if precision != nil {
			residual[j] = sds[a] / math.Sqrt(precision.At(a, a))
		}
	}
	return residual
}

// precisionOf returns the estimate of the inverse covariance matrix of the rows of z, whose observed cells
// have mean 0 and variance 1 in each column. It returns nil if that is lost to rounding.
func precisionOf(z *mat.Dense) *mat.SymDense {
	n, d := z.Dims()
	mean, covariance := make([]float64, d), mat.NewSymDense(d, nil)
	precision := mat.NewSymDense(d, nil)
	for a := range d {
		covariance.SetSym(a, a, 1)
		precision.SetSym(a, a, 1)
	}
	full, next := mat.NewDense(n, d, nil), mat.NewSymDense(d, nil)
	for range maxUnexplained {
		missing := mat.NewSymDense(d, nil)
		for i := range n {
			if !fill(full.RawRowView(i), z.RawRowView(i), mean, precision, missing) {
				return nil
			}
		}
		stat.CovarianceMatrix(next, full, nil)
		change := 0.0
		for a := range d {
			mean[a] = mat.Sum(full.ColView(a)) / float64(n)
			for b := a; b < d; b++ {
				v := (next.At(a, b)*float64(n-1) + missing.At(a, b)) / float64(n)
				change = max(change, math.Abs(v-covariance.At(a, b)))
				covariance.SetSym(a, b, v)
			}
		}
		var chol mat.Cholesky
		if next.CopySym(covariance); !factorizes(&chol, next) {
			return nil
		}
		_ = chol.InverseTo(precision) // an error is a large condition, which the ridge bounds
		if change < minUnexplained {
			break
		}
	}
	return precision
}

// factorizes factorizes a covariance matrix with the ridge.
func factorizes(chol *mat.Cholesky, covariance *mat.SymDense) bool {
	for a := range covariance.SymmetricDim() {
		covariance.SetSym(a, a, covariance.At(a, a)+ridge)
	}
	return chol.Factorize(covariance)
}

// fill puts a row into full, with the conditional means of its cells that are NaN. It adds their
// conditional covariance to missing.
func fill(full, row, mean []float64, precision, missing *mat.SymDense) bool {
	copy(full, row)
	var gaps []int
	for a, v := range row {
		if math.IsNaN(v) {
			gaps = append(gaps, a)
		}
	}
	if len(gaps) == 0 {
		return true
	}
	// Given the other cells, those that are missing have the precision of their block.
	block, pull := mat.NewSymDense(len(gaps), nil), mat.NewVecDense(len(gaps), nil)
	for e, a := range gaps {
		for f, b := range gaps[:e+1] {
			block.SetSym(e, f, precision.At(a, b))
		}
		for b, v := range row {
			if !math.IsNaN(v) {
				pull.SetVec(e, pull.AtVec(e)-precision.At(a, b)*(v-mean[b]))
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(block) {
		return false
	}
	var shift mat.VecDense
	_ = chol.SolveVecTo(&shift, pull)
	_ = chol.InverseTo(block)
	for e, a := range gaps {
		full[a] = mean[a] + shift.AtVec(e)
		for f, b := range gaps[:e+1] {
			missing.SetSym(a, b, missing.At(a, b)+block.At(e, f))
		}
	}
	return true
}
