package model

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"aibd/mcmc"
)

// Rows have the law that a normal density of the cells with the weights integrated out gives them, and
// weights have the mean that regression gives. The largest of 8 deviations exceeds 5 standard errors once in
// 200,000 times.
func TestDegreePlacement(t *testing.T) {
	const draws = 40_000
	x := []float64{2.5, -0.8, math.NaN(), 1.9}
	p := &degreePlacement{placing: placing{
		intercept: []float64{0.5, 0, 9, 0}, noise: []float64{1, 0.8, 1, 1.2},
		loadings: [][]float64{{1, 0.2, 3, 0}, {0, 1, -2, 0.5}, {0.4, 0, 1, 1.2}}, odds: []float64{-0.5, 0.2, 0.1},
	}}
	count, first := map[string]float64{}, map[string]float64{}
	rng := mcmc.NewStream(1, "degrees")
	for range draws {
		z, w := p.draw(rng, x)
		count[fmt.Sprint(z)]++
		first[fmt.Sprint(z)] += w[0]
		for k, has := range z {
			if has == 0 && w[k] != 0 {
				t.Fatalf("found row %v with weights %v", z, w)
			}
		}
	}
	density, mean, total := map[string]float64{}, map[string]float64{}, 0.0
	observed := []int{0, 1, 3}
	for c := range 8 {
		z := []int{c & 1, c >> 1 & 1, c >> 2 & 1}
		mu, sigma, y, cross := make([]float64, 3), mat.NewSymDense(3, nil), mat.NewVecDense(3, nil), mat.NewVecDense(3, nil)
		odds := 0.0
		for a, j := range observed {
			mu[a] = p.intercept[j]
			sigma.SetSym(a, a, p.noise[j]*p.noise[j])
		}
		for k, has := range z {
			if has == 0 {
				continue
			}
			odds += p.odds[k]
			for a, j := range observed {
				la := p.loadings[k][j] * p.noise[j]
				for b, l := range observed[:a+1] {
					sigma.SetSym(a, b, sigma.At(a, b)+la*p.loadings[k][l]*p.noise[l])
				}
			}
		}
		for a, j := range observed {
			y.SetVec(a, x[j]-mu[a])
			cross.SetVec(a, p.loadings[0][j]*p.noise[j])
		}
		law, ok := distmv.NewNormal(mu, sigma, nil)
		if !ok {
			t.Fatal("no normal law")
		}
		density[fmt.Sprint(z)] = math.Exp(odds + law.LogProb([]float64{x[0], x[1], x[3]}))
		total += density[fmt.Sprint(z)]
		var solved mat.VecDense
		if err := solved.SolveVec(sigma, y); err != nil {
			t.Fatal(err)
		}
		mean[fmt.Sprint(z)] = mat.Dot(cross, &solved)
	}
	for z, d := range density {
		share := d / total
		if se := math.Sqrt(share * (1 - share) / draws); math.Abs(count[z]/draws-share) > 5*se {
			t.Errorf("row %s: found a share of %v, expected %v (%v)", z, count[z]/draws, share, se)
		}
		if z[1] == '1' && math.Abs(first[z]/count[z]-mean[z]) > 5/math.Sqrt(count[z]) {
			t.Errorf("row %s: found the mean weight %v, expected %v", z, first[z]/count[z], mean[z])
		}
	}
}
