package collapsed

import (
	"math"

	"aibd/feature"
	"aibd/internal/vector"
)

// A column replaced by its sum with others, or by their difference, turns Z into Z U with
// U unimodular: with v the vector of the signs of the other columns, column a of U is
// e_a + v or its negative. Z'Z + rI then becomes, in the old columns, Z'Z + r (UU')^{-1},
// which differs from it by r M, M = [|v|² -1; -1 0] in the directions e_a and v. Hence
// the entries of P and G at these columns suffice for the change of the likelihood.

// Term is a column that is added to another (Sign 1) or subtracted from it (Sign -1).
type Term struct {
	Column int
	Sign   float64
}

// minSteady is the min r at which P, G and B are updated by Combine and Toggles. Below
// it they may have too few digits.
const minSteady = 1e-3

// Steady reports whether Combine and Toggles may be used at the current scales:
// SigmaX is at least SigmaA/31.
func (c *Cache) Steady() bool { return c.r >= minSteady }

// element returns entry (a, b) of a symmetric matrix kept by its lower triangle.
func (c *Cache) element(m []float64, a, b int) float64 { return m[max(a, b)*c.ld+min(a, b)] }

// pair returns the entries of a symmetric matrix in the directions e_a and v.
func (c *Cache) pair(m []float64, a int, v []Term) (aa, av, vv float64) {
	aa = m[a*c.ld+a]
	for i, t := range v {
		av += t.Sign * c.element(m, a, t.Column)
		vv += m[t.Column*c.ld+t.Column]
		for _, u := range v[:i] {
			vv += 2 * t.Sign * u.Sign * c.element(m, t.Column, u.Column)
		}
	}
	return aa, av, vv
}

// combination is W = I + r M P in the directions e_a and v, and W^{-1} r M, which is
// symmetric.
type combination struct{ det, vaa, vav, vvv float64 }

func (c *Cache) combination(a int, v []Term) combination {
	r, q := c.r, float64(len(v))
	paa, pav, pvv := c.pair(c.p, a, v)
	w11, w12 := 1+r*(q*paa-pav), r*(q*pav-pvv)
	w21, w22 := -r*paa, 1-r*pav
	det := w11*w22 - w12*w21
	return combination{det, r * (q*w22 + w12) / det, -r * w22 / det, r * w21 / det}
}

// LogCombine returns the change of the log likelihood if the terms, of distinct columns
// other than a, are added to column a. Replacing the sum by its negative changes nothing.
// It takes O(len(v)²). No row may be open.
func (c *Cache) LogCombine(a int, v []Term) float64 {
	w := c.combination(a, v)
	gaa, gav, gvv := c.pair(c.g, a, v)
	x := c.noise
	return -c.data.half*math.Log(w.det) - (w.vaa*gaa+2*w.vav*gav+w.vvv*gvv)/(2*x*x)
}

// Combine adds the terms to column a and, if turned, negates the sum, in O(K²) +
// O(K·min(N, D)). The caller changes the allocation.
func (c *Cache) Combine(a int, v []Term, turned bool) {
	c.logLik += c.LogCombine(a, v)
	k, ld, w, row := c.k, c.ld, c.combination(a, v), &c.row
	pa, pv, ga, gv := row.v[:k], row.bv[:k], row.u[:k], row.c[:k]
	for x := range k {
		pa[x], ga[x] = c.element(c.p, x, a), c.element(c.g, x, a)
		pv[x], gv[x] = 0, 0
		for _, t := range v {
			pv[x] += t.Sign * c.element(c.p, x, t.Column)
			gv[x] += t.Sign * c.element(c.g, x, t.Column)
		}
	}
	// With p = P [e_a v], V = W^{-1} r M and Gab the part of G: P - pVp', B - pV [B_a; B_v]
	// and G - pVg' - gVp' + p(V Gab V)p', the last split evenly.
	gaa, gav, gvv := c.pair(c.g, a, v)
	haa, hav := w.vaa*gaa+w.vav*gav, w.vaa*gav+w.vav*gvv
	hva, hvv := w.vav*gaa+w.vvv*gav, w.vav*gav+w.vvv*gvv
	qaa, qav, qvv := haa*w.vaa+hav*w.vav, haa*w.vav+hav*w.vvv, hva*w.vav+hvv*w.vvv
	xa, xv, ya, yv := row.g[:k], row.md[:k], row.a1[:k], row.a2[:k]
	for x := range k {
		xa[x], xv[x] = w.vaa*pa[x]+w.vav*pv[x], w.vav*pa[x]+w.vvv*pv[x]
		ya[x] = (qaa*pa[x]+qav*pv[x])/2 - (w.vaa*ga[x] + w.vav*gv[x])
		yv[x] = (qav*pa[x]+qvv*pv[x])/2 - (w.vav*ga[x] + w.vvv*gv[x])
	}
	for x := range k {
		p, g := c.p[x*ld:x*ld+x+1], c.g[x*ld:x*ld+x+1]
		vector.Axpy(p, -xa[x], pa)
		vector.Axpy(p, -xv[x], pv)
		vector.Axpy(g, pa[x], ya)
		vector.Axpy(g, pv[x], yv)
		vector.Axpy(g, ya[x], pa)
		vector.Axpy(g, yv[x], pv)
	}
	for f := range c.data.rank {
		bf := c.b[f*ld : f*ld+k]
		x, y := bf[a], 0.0
		for _, t := range v {
			y += t.Sign * bf[t.Column]
		}
		vector.Axpy(bf, -(w.vaa*x + w.vav*y), pa)
		vector.Axpy(bf, -(w.vav*x + w.vvv*y), pv)
	}
	c.rename(a, v, turned)
}

// ones is the column of ones, subtracted.
var ones = []Term{{Column: 0, Sign: -1}}

// Complement replaces column a, by then its complement in z, in O(K + D). It needs an
// intercept mu: Z A + 1 mu' is the same for the loadings -A_a and the intercept mu + A_a,
// and so is the likelihood.
func (c *Cache) Complement(z *feature.Allocation, a int) {
	c.rename(a, ones, true)
}

// rename expresses P, G and B in the new columns of a combination, whose loadings are U^{-1}
// times the old ones.
func (c *Cache) rename(a int, v []Term, turned bool) {
	for _, m := range [][]float64{c.p, c.g} {
		for _, t := range v {
			c.recombine(m, a, t)
		}
		if turned {
			c.negate(m, a)
		}
	}
	for f := range c.data.rank {
		bf := c.b[f*c.ld : f*c.ld+c.k]
		for _, t := range v {
			bf[t.Column] -= t.Sign * bf[a]
		}
		if turned {
			bf[a] = -bf[a]
		}
	}
}

// recombine subtracts row and column a of a symmetric matrix, times the sign, from those
// of a term.
func (c *Cache) recombine(m []float64, a int, t Term) {
	ld, b := c.ld, t.Column
	aa, ab := m[a*ld+a], c.element(m, a, b)
	for x := range c.k {
		if x != a && x != b {
			m[max(b, x)*ld+min(b, x)] -= t.Sign * c.element(m, a, x)
		}
	}
	m[b*ld+b] += aa - 2*t.Sign*ab
	m[max(a, b)*ld+min(a, b)] = ab - t.Sign*aa
}

// negate changes the sign of row and column a of a symmetric matrix.
func (c *Cache) negate(m []float64, a int) {
	for x := range c.k {
		if x != a {
			m[max(a, x)*c.ld+min(a, x)] *= -1
		}
	}
}
