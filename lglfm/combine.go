package lglfm

import (
	"math"

	"aibd/internal/vector"
)

// A column replaced by its sum with another, or by their difference, turns Z into Z U
// with U unimodular. Z'Z + rI then becomes, in the old columns, Z'Z + r (UU')^{-1},
// which differs from it by r M, M = [1 -sign; -sign 0] in rows and columns a and b.
// Hence entries of P and G at a and b suffice to weigh it, at a cost of O(1).

// leastSteady is the least r at which P, G and B are changed without being computed
// afresh: below, they may have too few digits for it.
const leastSteady = 1e-3

// Steady reports whether Combine and Toggles may be used at the current scales and
// number of columns: SigmaX is at least SigmaA/31, and there is a P.
func (c *Cache) Steady() bool { return !c.spans && c.r >= leastSteady }

// at returns entry (a, b) of a symmetric matrix kept by its lower triangle.
func (c *Cache) at(m []float64, a, b int) float64 { return m[max(a, b)*c.ld+min(a, b)] }

// combination is W = I + r M P in columns a and b, the sign taken into column b, and
// W^{-1} r M, which is symmetric.
type combination struct{ det, vaa, vab, vbb float64 }

func (c *Cache) combination(a, b int, sign float64) combination {
	r := c.r
	paa, pab, pbb := c.p[a*c.ld+a], sign*c.at(c.p, a, b), c.p[b*c.ld+b]
	w11, w12 := 1+r*(paa-pab), r*(pab-pbb)
	w21, w22 := -r*paa, 1-r*pab
	det := w11*w22 - w12*w21
	return combination{det, r * (w22 + w12) / det, -r * w22 / det, r * w21 / det}
}

// LogCombine returns the change of the log likelihood if column a were replaced by its
// sum with column b (sign 1) or by the difference of the two, either way round (sign
// -1). No row may be open.
func (c *Cache) LogCombine(a, b int, sign float64) float64 {
	w := c.combination(a, b, sign)
	gaa, gab, gbb := c.g[a*c.ld+a], sign*c.at(c.g, a, b), c.g[b*c.ld+b]
	x := c.noise
	return -c.data.half*math.Log(w.det) - (w.vaa*gaa+2*w.vab*gab+w.vbb*gbb)/(2*x*x)
}

// Combine replaces column a by a + b (sign 1), a - b (sign -1) or b - a (sign -1,
// turned) in O(K²) + O(K·min(N, D)). The caller changes the allocation.
func (c *Cache) Combine(a, b int, sign float64, turned bool) {
	c.logLik += c.LogCombine(a, b, sign)
	k, ld, w, row := c.k, c.ld, c.combination(a, b, sign), &c.row
	pa, pb, ga, gb := row.v[:k], row.bv[:k], row.u[:k], row.c[:k]
	for x := range k {
		pa[x], pb[x] = c.at(c.p, x, a), sign*c.at(c.p, x, b)
		ga[x], gb[x] = c.at(c.g, x, a), sign*c.at(c.g, x, b)
	}
	// With p = [pa pb], V = W^{-1} r M and Gab the part of G: P - pVp', B - pV [B_a; B_b]
	// and G - pVg' - gVp' + p(V Gab V)p', the last split evenly.
	gaa, gab, gbb := ga[a], gb[a], sign*gb[b]
	haa, hab := w.vaa*gaa+w.vab*gab, w.vaa*gab+w.vab*gbb
	hba, hbb := w.vab*gaa+w.vbb*gab, w.vab*gab+w.vbb*gbb
	qaa, qab, qbb := haa*w.vaa+hab*w.vab, haa*w.vab+hab*w.vbb, hba*w.vab+hbb*w.vbb
	xa, xb, ya, yb := row.g[:k], row.md[:k], row.a1[:k], row.a2[:k]
	for x := range k {
		xa[x], xb[x] = w.vaa*pa[x]+w.vab*pb[x], w.vab*pa[x]+w.vbb*pb[x]
		ya[x] = (qaa*pa[x]+qab*pb[x])/2 - (w.vaa*ga[x] + w.vab*gb[x])
		yb[x] = (qab*pa[x]+qbb*pb[x])/2 - (w.vab*ga[x] + w.vbb*gb[x])
	}
	for x := range k {
		p, g := c.p[x*ld:x*ld+x+1], c.g[x*ld:x*ld+x+1]
		vector.Axpy(p, -xa[x], pa)
		vector.Axpy(p, -xb[x], pb)
		vector.Axpy(g, pa[x], ya)
		vector.Axpy(g, pb[x], yb)
		vector.Axpy(g, ya[x], pa)
		vector.Axpy(g, yb[x], pb)
	}
	// In the new columns, of which the loadings are U^{-1} times the old ones.
	alpha := 1.0
	if turned {
		alpha = -1
	}
	c.recombine(c.p, a, b, sign, alpha)
	c.recombine(c.g, a, b, sign, alpha)
	for f := range c.data.rank {
		bf := c.b[f*ld : f*ld+k]
		x, y := bf[a], sign*bf[b]
		vector.Axpy(bf, -(w.vaa*x + w.vab*y), pa)
		vector.Axpy(bf, -(w.vab*x + w.vbb*y), pb)
		bf[b] -= sign * bf[a]
		bf[a] *= alpha
	}
}

// recombine takes sign times row and column a of a symmetric matrix from row and
// column b, and then row and column a times alpha.
func (c *Cache) recombine(m []float64, a, b int, sign, alpha float64) {
	ld := c.ld
	aa, ab := m[a*ld+a], c.at(m, a, b)
	for x := range c.k {
		if x != a && x != b {
			atA := max(a, x)*ld + min(a, x)
			m[max(b, x)*ld+min(b, x)] -= sign * m[atA]
			m[atA] *= alpha
		}
	}
	m[b*ld+b] += aa - 2*sign*ab
	m[max(a, b)*ld+min(a, b)] = alpha * (ab - sign*aa)
}
