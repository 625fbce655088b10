// Package classify predicts binary labels of items. It has logistic regression with an L2
// penalty, the area under the ROC curve, and random splits into training and test sets,
// stratified or by groups.
package classify

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Logistic fits logistic regressions: label i is positive with probability
// 1/(1 + exp(-Intercept - x_i'Coef)). Coef and Intercept maximize
//
//	log likelihood - (Lambda/2) |Coef|^2
//
// like lambda2 of the R package penalized, without a penalty on the intercept. The maximum
// exists and is unique for every Lambda > 0 if both labels occur, even if the classes can
// be separated. A Logistic reuses its memory and is not safe for concurrent use.
type Logistic struct {
	Lambda    float64 // > 0
	Intercept float64
	Coef      []float64

	m, stride     int       // dimension of the reduced problem, min(n, p), and of a row of l
	l             []float64 // the data in it, in the first m columns
	tau, work     []float64
	theta, next   []float64 // m slopes, then the intercept
	grad, step    []float64
	hess          []float64
	linear, trial []float64
	weights       []float64
}

// maxSteps bounds Newton's method, which takes 5 to 30 steps: if the classes can be
// separated, a step adds about 1 to all margins until they are near -log Lambda.
const maxSteps = 200

// Fit fits the n rows x, all of the same length, to their labels. It returns an error if a
// number is not finite, all labels are equal, or Lambda is not positive and finite. It
// panics if x and y differ in length or two rows do.
func (f *Logistic) Fit(x [][]float64, y []bool) error {
	n, p, err := f.check(x, y)
	if err != nil {
		return err
	}
	f.reduce(x, n, p)
	if err := f.newton(y); err != nil {
		return err
	}
	f.expand(p)
	return nil
}

func (f *Logistic) check(x [][]float64, y []bool) (n, p int, err error) {
	if len(x) != len(y) {
		panic(fmt.Sprintf("classify: %d rows with %d labels", len(x), len(y)))
	}
	if !(f.Lambda > 0) || math.IsInf(f.Lambda, 1) {
		return 0, 0, fmt.Errorf("lambda: found %g, expected a positive finite number", f.Lambda)
	}
	positive := 0
	for i, row := range x {
		if len(row) != len(x[0]) {
			panic(fmt.Sprintf("classify: %d numbers in row %d (from zero), %d in the first", len(row), i, len(x[0])))
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return 0, 0, fmt.Errorf("row %d, column %d: found %g, expected a finite number", i+1, j+1, v)
			}
		}
		if y[i] {
			positive++
		}
	}
	if positive == 0 || positive == len(y) {
		return 0, 0, fmt.Errorf("labels: found %d positive ones of %d, expected both labels", positive, len(y))
	}
	return len(x), len(x[0]), nil
}

// rounding bounds the relative error of the sum of log likelihoods.
const rounding = 1e-13

// reduce rotates the data into min(n, p) dimensions: X = L Q, where Q has orthonormal
// rows. The penalty is the same for L and X. If p <= n, L is X.
func (f *Logistic) reduce(x [][]float64, n, p int) {
	f.m, f.stride = min(n, p), p
	f.l = resize(f.l, n*p)
	for i, row := range x {
		copy(f.l[i*p:], row)
	}
	f.tau = resize(f.tau, f.m)
	if p <= n {
		return
	}
	f.work = resize(f.work, n)
	lapack.Dgelq2(n, p, f.l, p, f.tau, f.work)
}

// lapack has the unblocked routines. The blocked ones of gonum 0.17 go through
// gonum.Dlarft, which is wrong for sparse data (see docs/theory/decisions/scales.md).
var lapack gonum.Implementation

// row returns a row of the reduced data, up to the diagonal if they were rotated.
func (f *Logistic) row(i int) []float64 {
	row := f.l[i*f.stride : i*f.stride+f.m]
	if f.stride > f.m {
		row = row[:i+1]
	}
	return row
}

// newton maximizes by Newton's method. It halves a step that is too long.
func (f *Logistic) newton(y []bool) error {
	n, dim := len(y), f.m+1
	for _, s := range []*[]float64{&f.theta, &f.next, &f.grad, &f.step} {
		*s = resize(*s, dim)
		clear(*s)
	}
	for _, s := range []*[]float64{&f.linear, &f.trial, &f.weights} {
		*s = resize(*s, n)
		clear(*s)
	}
	f.hess = resize(f.hess, dim*dim)
	value := f.value(f.theta, f.linear, y)
	for range maxSteps {
		f.derivatives(y)
		decrement := f.solve()
		if math.IsNaN(decrement) {
			return errors.New("logistic regression: the second derivatives are singular, expected data of a more even scale or a larger lambda")
		}
		moved := false
		for t := 1.0; t > 1e-12 && !moved; t /= 2 {
			for a := range f.next {
				f.next[a] = f.theta[a] + t*f.step[a]
			}
			if v := f.value(f.next, f.trial, y); v >= value+1e-4*t*decrement-rounding*(1+math.Abs(value)) {
				f.theta, f.next, f.linear, f.trial, value, moved = f.next, f.theta, f.trial, f.linear, v, true
			}
		}
		// Convergence is quadratic: the step squares a decrement this small.
		if decrement < 1e-14*(1+math.Abs(value)) {
			return nil
		}
		if !moved {
			break
		}
	}
	return fmt.Errorf("logistic regression: no maximum found in %d Newton steps", maxSteps)
}

// value returns the penalized log likelihood at theta. It sets linear to the linear
// predictors.
func (f *Logistic) value(theta, linear []float64, y []bool) float64 {
	sum := 0.0
	for a := range f.m {
		sum -= f.Lambda / 2 * theta[a] * theta[a]
	}
	for i := range linear {
		e := theta[f.m]
		for a, v := range f.row(i) {
			e += v * theta[a]
		}
		linear[i] = e
		if !y[i] {
			e = -e
		}
		// log(1/(1+exp(-e))) without overflow.
		sum += math.Min(e, 0) - math.Log1p(math.Exp(-math.Abs(e)))
	}
	return sum
}

// derivatives computes the gradient and the negative Hessian at theta.
func (f *Logistic) derivatives(y []bool) {
	dim := f.m + 1
	clear(f.hess)
	for a := range f.m {
		f.grad[a] = -f.Lambda * f.theta[a]
		f.hess[a*dim+a] = f.Lambda
	}
	f.grad[f.m] = 0
	for i, e := range f.linear {
		small := math.Exp(-math.Abs(e))
		residual := small / (1 + small) // probability of the less likely label
		w := residual / (1 + small)
		if y[i] == (e >= 0) { // the more likely label
			if !y[i] {
				residual = -residual
			}
		} else {
			residual = 1 - residual
			if !y[i] {
				residual = -residual
			}
		}
		row := f.row(i)
		for a, v := range row {
			f.grad[a] += residual * v
			h := f.hess[a*dim:]
			for b, u := range row[:a+1] {
				h[b] += w * v * u
			}
			f.hess[f.m*dim+a] += w * v
		}
		f.grad[f.m] += residual
		f.hess[f.m*dim+f.m] += w
	}
}

// solve sets step to the Newton step and returns grad'step, or NaN if the Hessian is
// numerically singular.
func (f *Logistic) solve() float64 {
	dim := f.m + 1
	c, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: dim, Stride: dim, Data: f.hess})
	if !ok {
		return math.NaN()
	}
	copy(f.step, f.grad)
	lapack64.Potrs(c, blas64.General{Rows: dim, Cols: 1, Stride: 1, Data: f.step})
	sum := 0.0
	for a, g := range f.grad {
		sum += g * f.step[a]
	}
	return sum
}

// expand transforms the coefficients back to the columns of x.
func (f *Logistic) expand(p int) {
	f.Intercept = f.theta[f.m]
	f.Coef = resize(f.Coef, p)
	clear(f.Coef)
	copy(f.Coef, f.theta[:f.m])
	if p > f.m {
		f.work = resize(f.work, p)
		lapack.Dorml2(blas.Left, blas.Trans, p, 1, f.m, f.l, p, f.tau, f.Coef, 1, f.work)
	}
}

// Score returns the linear predictor of a row: the log odds of a positive label.
// It panics if the row does not have the length of the fitted rows.
func (f *Logistic) Score(x []float64) float64 {
	if len(x) != len(f.Coef) {
		panic(fmt.Sprintf("classify: a row of %d numbers for %d coefficients", len(x), len(f.Coef)))
	}
	sum := f.Intercept
	for j, v := range x {
		sum += f.Coef[j] * v
	}
	return sum
}

// resize returns a slice of length n with undefined content, in the memory of s if possible.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
