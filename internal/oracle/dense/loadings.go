package dense

import (
	"math"
	"math/big"
)

// Loadings returns mean and row covariance of the loadings of the linear-Gaussian
// latent feature model given x, z and the scales,
//
//	(Z'Z + r I)^-1 Z'X  and  sigmaX^2 (Z'Z + r I)^-1,  r = sigmaX^2/sigmaA^2,
//
// to the last digits of a double for any positive scales: by Gaussian elimination in
// floating point numbers of some hundred bits.
func Loadings(x [][]float64, z [][]int, sigmaX, sigmaA float64) (mean, covariance [][]float64) {
	k, d := len(z[0]), len(x[0])
	prec := uint(300 + 8*(math.Abs(math.Log2(sigmaX))+math.Abs(math.Log2(sigmaA))))
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	variance := num(0).Mul(num(sigmaX), num(sigmaX))
	r := num(0).Quo(variance, num(sigmaA))
	r.Quo(r, num(sigmaA))

	// Rows of [Z'Z + rI, Z'X, I], brought to [I, B, P].
	rows := make([][]*big.Float, k)
	for a := range k {
		for b := range k {
			sum := num(0)
			if a == b {
				sum.Set(r)
			}
			for _, row := range z {
				sum.Add(sum, num(float64(row[a]*row[b])))
			}
			rows[a] = append(rows[a], sum)
		}
		for f := range d {
			sum := num(0)
			for i, row := range z {
				if row[a] == 1 {
					sum.Add(sum, num(x[i][f]))
				}
			}
			rows[a] = append(rows[a], sum)
		}
		for b := range k {
			unit := num(0)
			if a == b {
				unit.SetInt64(1)
			}
			rows[a] = append(rows[a], unit)
		}
	}
	for a := range k {
		pivot := num(0).Set(rows[a][a])
		for _, v := range rows[a] {
			v.Quo(v, pivot)
		}
		for b := range k {
			if b == a {
				continue
			}
			factor := num(0).Set(rows[b][a])
			for j, v := range rows[b] {
				v.Sub(v, num(0).Mul(factor, rows[a][j]))
			}
		}
	}
	mean, covariance = make([][]float64, k), make([][]float64, k)
	for a, row := range rows {
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
