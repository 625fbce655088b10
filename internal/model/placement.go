package model

import (
	"math"
	"slices"

	"aibd/draws"
	"aibd/lglfm"
	"aibd/mcmc"
)

// placeSweeps is the number of updates of a row while the likelihood is annealed.
const placeSweeps = 20

// A placement draws rows of Z of further items given loadings, scales and feature sizes.
type placement struct {
	intercept []float64
	precision []float64   // of the noise, by column
	loadings  [][]float64 // by feature
	odds      []float64   // log prior odds that a further item has the feature
	residual  []float64
}

func newPlacement(l *lglfm.Loadings, d *draws.Draw, columns int, intercept bool) *placement {
	p := &placement{intercept: make([]float64, columns)}
	for j := range columns {
		noise := d.SigmaX * lglfm.NoiseScale(d, j)
		p.precision = append(p.precision, 1/(noise*noise))
	}
	if intercept {
		copy(p.intercept, l.Intercept())
	}
	for k := range d.Z.K() {
		size := float64(d.Z.Size(k))
		p.loadings = append(p.loadings, slices.Clone(l.Mean(k)))
		p.odds = append(p.odds, math.Log(size/(float64(d.Z.N())+1-size)))
	}
	return p
}

// draw draws the features of an item with the given cells, NaN where they are unknown.
func (p *placement) draw(rng *mcmc.Stream, x []float64) (z []int) {
	z = make([]int, len(p.loadings))
	p.residual = p.residual[:0]
	energy := 1.0 // of the item without features, and 1
	for j, v := range x {
		e := v - p.intercept[j]
		p.residual = append(p.residual, e)
		if !math.IsNaN(e) {
			energy += e * e * p.precision[j] / 2
		}
	}
	for sweep := range placeSweeps {
		// From a power at which no feature matters.
		power := math.Pow(energy, float64(sweep+1)/placeSweeps-1)
		for k := range z {
			if rng.Rand.Float64() < 1/(1+math.Exp(-p.logFlip(z, power, k))) {
				p.flip(z, k)
			}
		}
	}
	// Single flips cannot leave a wrong feature for the right one if both and neither fit worse.
	for k := range z {
		if z[k] == 0 {
			continue
		}
		without := p.logFlip(z, 1, k)
		p.flip(z, k)
		count := k
		for m := range z {
			if m != k && z[m] == 0 && rng.Rand.ExpFloat64()+without+p.logFlip(z, 1, m) > 0 {
				count = m
				break
			}
		}
		p.flip(z, count)
	}
	return z
}

// logFlip returns the change of the log density, with the likelihood to a power, if an entry is flipped.
func (p *placement) logFlip(z []int, power float64, k int) float64 {
	shared, size := 0.0, float64(z[k])
	for j, e := range p.residual {
		if b := p.loadings[k][j]; !math.IsNaN(e) {
			shared += b * (e + b*size - b/2) * p.precision[j] // e + b*has is the residual without the feature
		}
	}
	return (1 - 2*size) * (p.odds[k] + power*shared)
}

// flip flips an entry.
func (p *placement) flip(z []int, k int) {
	sign := float64(1 - 2*z[k])
	z[k] = 1 - z[k]
	for j, b := range p.loadings[k] {
		p.residual[j] -= sign * b
	}
}
