package model

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"aibd/internal/vector"
	"aibd/mcmc"
)

// placeDegreeSweeps is the number of updates of a row of Z with the weights integrated out.
const placeDegreeSweeps = 5

// A degreePlacement draws rows of Z and of the weights of further items given loadings, scales and feature
// sizes.
type degreePlacement struct {
	placing           // with loadings over noise
	gram    []float64 // products of the loadings over the observed cells of an item, K x K
	b       []float64 // their products with the cells less the intercept, over noise, plus the part of the prior
	has     []int     // features of the item
}

func newDegreePlacement(of placing) *degreePlacement {
	p := &degreePlacement{placing: of}
	for _, loading := range p.loadings {
		floats.Div(loading, p.noise)
	}
	return p
}

// draw draws the features of an item with the given cells, NaN where they are unknown, and their weights.
func (p *degreePlacement) draw(rng *mcmc.Stream, x []float64) (z []int, weights []float64) {
	p.observe(x)
	z = make([]int, len(p.loadings))
	now, _, _ := p.weigh(z)
	for range placeDegreeSweeps {
		for k := range z {
			z[k] = 1 - z[k]
			next, _, _ := p.weigh(z)
			if odds := p.odds[k] * float64(2*z[k]-1); rng.Rand.Float64() < 1/(1+math.Exp(now-next-odds)) {
				now = next
			} else {
				z[k] = 1 - z[k]
			}
		}
	}
	weights = make([]float64, len(z))
	if _, precision, b := p.weigh(z); b != nil {
		// The inverse of the factor's transpose times (its inverse times b, plus a standard normal vector).
		var lower mat.TriDense
		precision.LTo(&lower)
		_ = b.SolveVec(&lower, b) // a condition
		for e := range b.Len() {
			b.SetVec(e, b.AtVec(e)+rng.Rand.NormFloat64())
		}
		_ = b.SolveVec(lower.T(), b)
		e := 0
		for k, has := range z {
			if has == 1 {
				weights[k] = b.AtVec(e)
				e++
			}
		}
	}
	return z, weights
}

// observe computes the products of the loadings with each other and with the observed cells of an item.
func (p *degreePlacement) observe(x []float64) {
	k := len(p.loadings)
	p.gram, p.b = vector.Extend(p.gram, k*k), vector.Extend(p.b, k)
	clear(p.gram)
	clear(p.b)
	for j, cell := range x {
		if math.IsNaN(cell) {
			continue
		}
		rest := (cell - p.intercept[j]) / p.noise[j]
		for a, loading := range p.loadings {
			p.b[a] += loading[j] * rest
			for b, other := range p.loadings[:a+1] {
				p.gram[a*k+b] += loading[j] * other[j]
			}
		}
	}
}

// weigh returns the log density of the observed cells of the item given its features, with the weights
// integrated out and up to a constant, and the factorized precision of the weights and its product with
// their mean; both are nil without features.
func (p *degreePlacement) weigh(z []int) (log float64, precision *mat.Cholesky, b *mat.VecDense) {
	has := p.has[:0]
	for k, h := range z {
		if h == 1 {
			has = append(has, k)
		}
	}
	if p.has = has; len(has) == 0 {
		return 0, nil, nil
	}
	m := mat.NewSymDense(len(has), nil)
	b = mat.NewVecDense(len(has), nil)
	for e, k := range has {
		b.SetVec(e, p.b[k])
		for f, l := range has[:e+1] {
			m.SetSym(e, f, p.gram[k*len(z)+l])
		}
		m.SetSym(e, e, m.At(e, e)+1)
	}
	precision = new(mat.Cholesky)
	if !precision.Factorize(m) {
		return math.Inf(-1), nil, nil
	}
	var solved mat.VecDense
	_ = precision.SolveVecTo(&solved, b) // a condition
	return mat.Dot(b, &solved)/2 - precision.LogDet()/2, precision, b
}
