package dense

// The collapsed likelihood of the linear-Gaussian latent feature model.

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Entry is the type of the entries of Z in the likelihood: 0 and 1, or the weights of features that
// items have by degrees.
type Entry interface{ int | float64 }

// LogLik returns log p(X | Z) of the linear-Gaussian latent feature model
// X = Z A + E with the loadings A_kd ~ N(0, sigmaA^2) integrated out and
// E_id ~ N(0, sigmaX^2), every constant kept:
//
//	-(N D/2) log(2 pi) - (N-K) D log sigmaX - K D log sigmaA
//	- (D/2) log det(Z'Z + r I) - [tr(X'X) - tr(X'Z (Z'Z + r I)^-1 Z'X)] / (2 sigmaX^2)
//
// with r = sigmaX^2/sigmaA^2. x has N rows of D values; D = 0 (no data, log
// likelihood 0) and K = 0 are fine. It is NaN if Z'Z + r I is singular to
// working precision.
func LogLik[E Entry](x [][]float64, z [][]E, sigmaX, sigmaA float64) float64 {
	n, d, k := len(x), len(x[0]), len(z[0])
	if d == 0 {
		return 0
	}
	data := mat.NewDense(n, d, nil)
	residual := 0.0 // tr(X'X), less the part that the features explain
	for i, row := range x {
		data.SetRow(i, row)
		for _, v := range row {
			residual += v * v
		}
	}
	logDet := 0.0
	if k > 0 {
		features := mat.NewDense(n, k, nil)
		for i, row := range z {
			for j, v := range row {
				features.Set(i, j, float64(v))
			}
		}
		var gram mat.SymDense
		gram.SymOuterK(1, features.T())
		r := sigmaX * sigmaX / (sigmaA * sigmaA)
		for j := range k {
			gram.SetSym(j, j, gram.At(j, j)+r)
		}
		var chol mat.Cholesky
		if !chol.Factorize(&gram) {
			return math.NaN()
		}
		logDet = chol.LogDet()

		var cross, loadings, explained mat.Dense
		cross.Mul(features.T(), data)
		// The error only reports a large condition number, which is not a failure.
		_ = chol.SolveTo(&loadings, &cross)
		explained.MulElem(&cross, &loadings)
		residual -= mat.Sum(&explained)
	}
	nf, df, kf := float64(n), float64(d), float64(k)
	return -nf*df/2*math.Log(2*math.Pi) -
		(nf-kf)*df*math.Log(sigmaX) - kf*df*math.Log(sigmaA) -
		df/2*logDet - residual/(2*sigmaX*sigmaX)
}
