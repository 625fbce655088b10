package dense

// The likelihood in as many digits as it takes, for scales at which doubles lose
// theirs.

import (
	"math"
	"math/big"
)

// LogLikExact is LogLik to the last digits of a double for any positive scales.
// With X = Z A + E the columns of X are independent and normal with covariance
// SigmaX^2 M, M = I + ZZ' (SigmaA/SigmaX)^2, whose Cholesky factor is computed
// in floating point numbers of some hundred bits.
func LogLikExact(x [][]float64, z [][]int, sigmaX, sigmaA float64) float64 {
	n := len(x)
	if n == 0 {
		return 0
	}
	d := len(x[0])
	digits := math.Abs(math.Log2(sigmaX)) + math.Abs(math.Log2(sigmaA))
	prec := uint(300 + 4*digits)
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	mul := func(a, b *big.Float) *big.Float { return num(0).Mul(a, b) }
	weight := num(0).Quo(num(sigmaA), num(sigmaX))
	weight.Mul(weight, weight)

	// M = L D L', row by row; w = L^{-1} X.
	l := make([][]*big.Float, n)
	w := make([][]*big.Float, n)
	pivot := make([]*big.Float, n)
	logDet, quad := 0.0, num(0)
	for i := range n {
		l[i] = make([]*big.Float, i)
		pivot[i] = num(1)
		for j := range i + 1 {
			shared := 0
			for k, v := range z[i] {
				shared += v * z[j][k]
			}
			m := mul(num(float64(shared)), weight)
			if j == i {
				pivot[i].Add(pivot[i], m)
				break
			}
			for a := range j {
				m.Sub(m, mul(mul(l[i][a], pivot[a]), l[j][a]))
			}
			l[i][j] = m.Quo(m, pivot[j])
		}
		w[i] = make([]*big.Float, d)
		for f := range d {
			w[i][f] = num(x[i][f])
		}
		for a := range i {
			if l[i][a].Sign() == 0 {
				continue
			}
			pivot[i].Sub(pivot[i], mul(mul(l[i][a], l[i][a]), pivot[a]))
			for f := range d {
				w[i][f].Sub(w[i][f], mul(l[i][a], w[a][f]))
			}
		}
		for f := range d {
			square := mul(w[i][f], w[i][f])
			quad.Add(quad, square.Quo(square, pivot[i]))
		}
		logDet += logBig(pivot[i])
	}
	quad.Quo(quad, num(sigmaX))
	quad.Quo(quad, num(sigmaX))
	q, _ := quad.Float64()
	nd := float64(n * d)
	return -nd*(math.Log(2*math.Pi)/2+math.Log(sigmaX)) - float64(d)/2*logDet - q/2
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
