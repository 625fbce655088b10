package links

// The likelihood of the linear-Gaussian latent feature model.

import "math"

// logLik returns log p(X | Z) of X = Z A + E with A_kd ~ N(0, sigmaA^2)
// integrated out and E_id ~ N(0, sigmaX^2), every constant kept: the D columns
// of x are independent and normal with covariance sigmaX^2 I + sigmaA^2 ZZ'. It
// is 0 without data, D = 0.
func logLik(x [][]float64, z [][]int, sigmaX, sigmaA float64) float64 {
	n, d := len(x), len(x[0])
	if d == 0 {
		return 0
	}
	// Row i of w holds row i of L, the Cholesky factor of the covariance, and
	// then row i of the solution of L W = X.
	w := make([]float64, n*(n+d))
	ll := -float64(n*d) / 2 * math.Log(2*math.Pi)
	for i := range n {
		row := w[i*(n+d):][:n+d]
		for j := range i + 1 {
			for k, v := range z[i] {
				row[j] += sigmaA * sigmaA * float64(v*z[j][k])
			}
		}
		row[i] += sigmaX * sigmaX
		copy(row[n:], x[i])
		// Eliminate the earlier items from the item's variance and its data.
		for m := range i {
			earlier := w[m*(n+d):][:n+d]
			row[m] /= earlier[m]
			for j := m + 1; j < i; j++ {
				row[j] -= row[m] * w[j*(n+d)+m]
			}
			row[i] -= row[m] * row[m]
			for t := n; t < n+d; t++ {
				row[t] -= row[m] * earlier[t]
			}
		}
		row[i] = math.Sqrt(row[i])
		ll -= float64(d) * math.Log(row[i])
		for t := n; t < n+d; t++ {
			row[t] /= row[i]
			ll -= row[t] * row[t] / 2
		}
	}
	return ll
}
