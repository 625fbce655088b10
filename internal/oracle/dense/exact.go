package dense

// The likelihood and the loadings to the last digits of a double, for scales at which
// doubles lose theirs: by Gaussian elimination in numbers of some hundred bits.

import (
	"math"
	"math/big"
)

// precise returns numbers that have enough bits for these scales.
func precise(sigmaX, sigmaA float64) func(v float64) *big.Float {
	bits := uint(300 + 8*(math.Abs(math.Log2(sigmaX))+math.Abs(math.Log2(sigmaA))))
	return func(v float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(v) }
}

// eliminate reduces the rows of [A, B], A positive definite, to those of [I, A^-1 B]. It
// returns the pivots, the product of which is the determinant of A.
func eliminate(rows [][]*big.Float) (pivots []*big.Float) {
	product := new(big.Float)
	for a, row := range rows {
		pivot := new(big.Float).Set(row[a])
		for _, v := range row[a:] {
			v.Quo(v, pivot)
		}
		for b, other := range rows {
			factor := new(big.Float).Set(other[a])
			if b == a || factor.Sign() == 0 {
				continue
			}
			for j := a; j < len(other); j++ {
				other[j].Sub(other[j], product.Mul(factor, row[j]))
			}
		}
		pivots = append(pivots, pivot)
	}
	return pivots
}

// LogLikExact is LogLik to the last digits of a double for any positive scales.
// With X = Z A + E the columns of X are independent and normal with covariance
// SigmaX^2 M, M = I + ZZ' (SigmaA/SigmaX)^2.
func LogLikExact[E Entry](x [][]float64, z [][]E, sigmaX, sigmaA float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return normal(x, z, sigmaX, sigmaA, func(i, l int) float64 {
		if i == l {
			return 1
		}
		return 0
	})
}

// LogLikIntercept is the log density of N - 1 orthonormal contrasts of the rows of X = 1 mu'
// + Z A + E, as precise as LogLikExact, for N at least 2. It comes from the density of the
// differences of all rows and the last one: these are a matrix of determinant root N times
// orthonormal contrasts.
func LogLikIntercept[E Entry](x [][]float64, z [][]E, sigmaX, sigmaA float64) float64 {
	last := len(x) - 1
	dx, dz := make([][]float64, last), make([][]E, last)
	for i := range last {
		for f, v := range x[i] {
			dx[i] = append(dx[i], v-x[last][f])
		}
		for k, v := range z[i] {
			dz[i] = append(dz[i], v-z[last][k])
		}
	}
	jacobian := float64(len(x[0])) / 2 * math.Log(float64(len(x)))
	return jacobian + normal(dx, dz, sigmaX, sigmaA, func(i, l int) float64 {
		if i == l {
			return 2
		}
		return 1
	})
}

// normal returns the log density of X whose columns are independent and normal with
// covariance SigmaX^2 M, M = noise + ZZ' (SigmaA/SigmaX)^2.
func normal[E Entry](x [][]float64, z [][]E, sigmaX, sigmaA float64, noise func(i, l int) float64) float64 {
	n := len(x)
	num := precise(sigmaX, sigmaA)
	weight := num(0).Quo(num(sigmaA), num(sigmaX))
	weight.Mul(weight, weight)
	rows := make([][]*big.Float, n) // [M, X]
	for i := range rows {
		for l := range n {
			m := num(0)
			for k, v := range z[i] {
				product := num(float64(v))
				m.Add(m, product.Mul(product, num(float64(z[l][k]))))
			}
			m.Mul(m, weight)
			m.Add(m, num(noise(i, l)))
			rows[i] = append(rows[i], m)
		}
		for _, v := range x[i] {
			rows[i] = append(rows[i], num(v))
		}
	}
	logDet, quad := 0.0, num(0)
	for _, p := range eliminate(rows) {
		logDet += logBig(p)
	}
	for i, row := range rows {
		for f, v := range row[n:] {
			quad.Add(quad, v.Mul(v, num(x[i][f])))
		}
	}
	quad.Quo(quad, num(sigmaX))
	quad.Quo(quad, num(sigmaX))
	q, _ := quad.Float64()
	d := float64(len(x[0]))
	return -float64(n)*d*(math.Log(2*math.Pi)/2+math.Log(sigmaX)) - d/2*logDet - q/2
}

// logBig returns log v, relatively accurate where v is near 1 too.
func logBig(v *big.Float) float64 {
	if above, _ := new(big.Float).Sub(v, big.NewFloat(1)).Float64(); math.Abs(above) < 0.5 {
		return math.Log1p(above)
	}
	mantissa := new(big.Float)
	exponent := v.MantExp(mantissa)
	m, _ := mantissa.Float64()
	return math.Log(m) + float64(exponent)*math.Ln2
}

// Loadings returns mean and row covariance of the loadings of the linear-Gaussian
// latent feature model given x, z and the scales,
//
//	(Z'Z + r I)^-1 Z'X  and  sigmaX^2 (Z'Z + r I)^-1,  r = sigmaX^2/sigmaA^2,
//
// to the last digits of a double for any positive scales.
func Loadings[E Entry](x [][]float64, z [][]E, sigmaX, sigmaA float64) (mean, covariance [][]float64) {
	return loadings(x, z, 0, sigmaX, sigmaA)
}

// LoadingsIntercept is Loadings of [1 Z] without a ridge for the column of ones: those of the
// intercept, which has a flat prior, come first.
func LoadingsIntercept[E Entry](x [][]float64, z [][]E, sigmaX, sigmaA float64) (mean, covariance [][]float64) {
	return loadings(x, withOnes(z), 1, sigmaX, sigmaA)
}

// withOnes returns [1 Z].
func withOnes[E Entry](z [][]E) [][]E {
	y := make([][]E, len(z))
	for i, row := range z {
		y[i] = append([]E{1}, row...)
	}
	return y
}

// loadings is Loadings, with a ridge from column free on.
func loadings[E Entry](x [][]float64, z [][]E, free int, sigmaX, sigmaA float64) (mean, covariance [][]float64) {
	k, d := len(z[0]), len(x[0])
	num := precise(sigmaX, sigmaA)
	variance := num(0).Mul(num(sigmaX), num(sigmaX))
	mean, covariance = make([][]float64, k), make([][]float64, k)
	for a, row := range solved(num, x, z, free, sigmaX, sigmaA) {
		for _, v := range row[k : k+d] {
			m, _ := v.Float64()
			mean[a] = append(mean[a], m)
		}
		for _, v := range row[k+d:] {
			c, _ := v.Mul(v, variance).Float64()
			covariance[a] = append(covariance[a], c)
		}
	}
	return mean, covariance
}

// OneMinusLeverages returns 1 - z_i (Z'Z + r I)^-1 z_i' for each row, r = sigmaX^2/sigmaA^2,
// to the last digits of a double for any positive scales.
func OneMinusLeverages[E Entry](z [][]E, sigmaX, sigmaA float64) []float64 {
	return oneMinusLeverages(z, 0, sigmaX, sigmaA)
}

// OneMinusLeveragesIntercept is OneMinusLeverages of [1 Z] without a ridge for the column of
// ones.
func OneMinusLeveragesIntercept[E Entry](z [][]E, sigmaX, sigmaA float64) []float64 {
	return oneMinusLeverages(withOnes(z), 1, sigmaX, sigmaA)
}

// oneMinusLeverages is OneMinusLeverages, with a ridge from column free on.
func oneMinusLeverages[E Entry](z [][]E, free int, sigmaX, sigmaA float64) []float64 {
	num, k := precise(sigmaX, sigmaA), len(z[0])
	rows := solved(num, make([][]float64, len(z)), z, free, sigmaX, sigmaA)
	all := make([]float64, len(z))
	for i, entries := range z {
		complement := num(1)
		for a, row := range rows {
			for b, v := range row[k:] {
				product := num(float64(entries[a]))
				product.Mul(product, num(float64(entries[b])))
				complement.Sub(complement, product.Mul(product, v))
			}
		}
		all[i], _ = complement.Float64()
	}
	return all
}

// solved returns the rows of [I, (Z'Z + R)^-1 Z'X, (Z'Z + R)^-1], where R is diagonal, 0 in
// the first columns, free in number, and then sigmaX^2/sigmaA^2.
func solved[E Entry](num func(v float64) *big.Float, x [][]float64, z [][]E, free int, sigmaX, sigmaA float64) [][]*big.Float {
	k, d := len(z[0]), len(x[0])
	r := num(sigmaX)
	r.Quo(r, num(sigmaA))
	r.Mul(r, r)
	rows := make([][]*big.Float, k) // [Z'Z + R, Z'X, I]
	for a := range rows {
		row := make([]*big.Float, k+d+k)
		for j := range row {
			row[j] = num(0)
		}
		if a >= free {
			row[a].Set(r)
		}
		row[k+d+a].SetInt64(1)
		for i, entries := range z {
			if entries[a] == 0 {
				continue
			}
			for b, v := range entries {
				product := num(float64(v))
				row[b].Add(row[b], product.Mul(product, num(float64(entries[a]))))
			}
			for f, v := range x[i] {
				product := num(v)
				row[k+f].Add(row[k+f], product.Mul(product, num(float64(entries[a]))))
			}
		}
		rows[a] = row
	}
	eliminate(rows)
	return rows
}
