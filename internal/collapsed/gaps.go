package collapsed

import (
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/vector"
)

// gaps are the missing cells of an open row that are integrated out of its weights. Given Z and
// the scales the columns of X are independent: the columns of these cells leave C, Gam and E of
// the row, by their columns b of the B of the other rows, in O(K) each,
//
//	C -= x b,  Gam -= b b',  E -= (x - z'b)^2
//
// M and s stay.
type gaps struct {
	variables []int     // none: the row is not that of OpenObserved, or has none
	row       []float64 // the row of X as opened
	value     []float64 // x, by gap, as opened
	b         []float64 // the columns b, one after the other
	k         int       // length of each
	on        []int     // columns of the row now, without singletons
	fit       []float64 // z'b, by gap
}

// column returns the b of gap x.
func (g *gaps) column(x int) []float64 { return g.b[x*g.k : (x+1)*g.k] }

// flip subtracts column k of the sum of all b b' from out, or adds it if delta is -1.
func (g *gaps) flip(out []float64, k int, delta float64) {
	m := len(g.variables)
	switch {
	case m == 0:
	case delta > 0:
		vector.SubRows(out, m, g.b[k:], g.k, g.b, g.k)
	default:
		vector.AddRows(out, m, g.b[k:], g.k, g.b, g.k)
	}
}

// product returns entry (a, k) of the sum of all b b'.
func (g *gaps) product(a, k int) float64 {
	sum := 0.0
	for x := range g.variables {
		b := g.column(x)
		sum += b[a] * b[k]
	}
	return sum
}

// OpenObserved is Open with the missing cells of the row integrated out of all weights, until
// DrawMissing draws them, which must come before Close. Close takes the values that SetMissing gives
// to the data of the cache.
func (c *Cache) OpenObserved(z *feature.Allocation, i int) {
	c.Open(z, i)
	w, u := &c.row, c.data.unknown
	if u == nil || len(u.missing[i]) == 0 {
		return
	}
	w.gaps.variables = u.missing[i]
	w.gaps.row = append(w.gaps.row[:0], c.data.rows[i]...)
	w.gaps.k = c.k
	m := len(w.gaps.variables)
	w.gaps.b = vector.Extend(w.gaps.b, m*c.k)
	w.half *= float64(c.data.d-m) / float64(c.data.d)
	w.gaps.value = w.gaps.value[:0]
	for x, j := range w.gaps.variables {
		f := u.places[j]
		w.gaps.value = append(w.gaps.value, c.data.rows[i][f])
		c.without(x, f)
	}
	c.fitMissing()
	c.leaveOut()
	w.addUp()
}

// leaveOut takes the gaps out of the weights of the row.
func (c *Cache) leaveOut() {
	w, g, k := &c.row, &c.row.gaps, c.k
	m := len(g.variables)
	if m == c.data.d { // not rounding
		clear(w.c[:k])
		clear(w.g[:k])
		clear(w.gd[:k])
		w.sq = 0
		return
	}
	for x, v := range g.value {
		w.sq -= v * v
		for a, v := range g.column(x) {
			w.gd[a] -= v * v
		}
	}
	vector.SubRows(w.c[:k], m, g.value, 1, g.b, k)
	vector.SubRows(w.g[:k], m, g.fit, 1, g.b, k)
}

// without computes the b of gap x, column f of rows.
func (c *Cache) without(x, f int) {
	w, b := &c.row, c.row.gaps.column(x)
	copy(b, c.b[f*c.ld:])
	if w.fresh {
		return
	}
	residual := c.data.rows[w.i][f]
	for _, a := range w.old {
		residual -= b[a]
	}
	vector.Axpy(b, -residual/w.d, w.v)
}

// fitMissing computes z'b of the open row as it now is. The loadings of its singletons are 0 given
// the other rows.
func (c *Cache) fitMissing() {
	g := &c.row.gaps
	g.on, g.fit = g.on[:0], vector.Extend(g.fit, len(g.variables))
	for a := range g.k {
		if c.On(a) {
			g.on = append(g.on, a)
		}
	}
	for x := range g.fit {
		b := g.column(x)
		g.fit[x] = 0
		for _, a := range g.on {
			g.fit[x] += b[a]
		}
	}
}

// DrawMissing appends a draw of the cells that OpenObserved left out to out, given the open row as
// it now is, the other rows and the scales, at power 1. They are in the units of SetMissing.
func (c *Cache) DrawMissing(rng *rand.Rand, out []float64) []float64 {
	w, root := &c.row, c.data.root()
	if len(w.gaps.variables) == 0 {
		return out
	}
	sd := c.noise * math.Sqrt(1+w.s+float64(w.j)/c.r)
	c.fitMissing()
	for _, fit := range w.gaps.fit {
		out = append(out, fit/root+sd*rng.NormFloat64())
	}
	return out
}

// takeBack puts the gaps, with their values now, back into C, g and E.
func (c *Cache) takeBack() {
	w, g, k := &c.row, &c.row.gaps, c.k
	w.sq = c.data.sq[w.i]
	for x, j := range g.variables {
		fit := g.fit[x]
		value := c.data.rows[w.i][c.data.unknown.places[j]]
		g.value[x] = value
		w.t += value * fit
		w.q += fit * fit
	}
	vector.AddRows(w.c[:k], len(g.value), g.value, 1, g.b, k)
	vector.AddRows(w.g[:k], len(g.fit), g.fit, 1, g.b, k)
}

// replaceMissing is Close for a row that has new cells only: B gains v (x_new - x_old)' in their
// columns, with v = P z, and G follows.
func (c *Cache) replaceMissing() {
	w, k, ld := &c.row, c.k, c.ld
	v, h := w.v[:k], w.a1[:k]
	clear(h)
	squares, change := 0.0, 0.0
	for x, j := range w.gaps.variables {
		f := c.data.unknown.places[j]
		value, old, fit := c.data.rows[w.i][f], w.gaps.value[x], w.gaps.fit[x]
		change += (value - fit) * (value - fit)
		change -= (old - fit) * (old - fit)
		delta, b := value-old, c.b[f*ld:f*ld+k]
		squares += delta * delta
		vector.Axpy(h, delta, b)
		vector.Axpy(b, delta, v)
	}
	vector.Axpy(h, squares/2, v)
	for a := range k {
		g := c.g[a*ld : a*ld+a+1]
		vector.Axpy(g, v[a], h)
		vector.Axpy(g, h[a], v)
	}
	c.logLik -= c.weight * change / (1 + w.s + float64(w.j)/c.r)
}
