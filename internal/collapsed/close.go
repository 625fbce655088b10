package collapsed

import (
	"math"

	"aibd/internal/vector"
)

// An Edit says how the columns of an allocation changed when a row was closed: flips
// first, then removals, then new columns.
type Edit struct {
	// Flipped lists the columns in which the row's entry changed, without singletons of
	// the row.
	Flipped []int
	// Removed lists the columns deleted one after the other, each by putting the
	// last one in its place.
	Removed []int
	// Appended is the number of new columns at the end, whose only member is the row.
	Appended int
}

// Changed reports whether the edit changes anything.
func (e Edit) Changed() bool { return len(e.Flipped)+len(e.Removed)+e.Appended > 0 }

// drift is the max relative error of 1 - z'Pz before everything is recomputed.
const drift = 1e-10

// Close puts the open row back, changes the allocation given to Open accordingly and
// returns how. The slices of the Edit are valid until the next Close. It is free for a
// row that did not change, and whose cells did not.
func (c *Cache) Close() Edit {
	w := &c.row
	if !w.open {
		panic("collapsed: no row is open")
	}
	w.open = false
	w.edit.Flipped, w.edit.Removed = w.edit.Flipped[:0], w.edit.Removed[:0]
	if w.flips {
		for a := range c.k {
			if c.Shared(a) && c.On(a) != w.z.Has(w.i, a) {
				w.edit.Flipped = append(w.edit.Flipped, a)
			}
		}
	}
	kept := min(w.j, len(w.single))
	w.edit.Appended = w.j - kept
	unchanged := !w.fresh && len(w.edit.Flipped) == 0 && w.j == len(w.single)
	was := c.data.rows[w.i]
	switch m := len(w.gaps.variables); {
	case unchanged && m == 0:
		return w.edit
	case unchanged:
		c.replaceMissing()
		return w.edit
	case m > 0:
		c.takeBack()
		was = w.gaps.row
	}
	// Residual of the row under B with its old entries, by the row's weight.
	inv, norm := 1/w.d, 0.0
	w.eps = vector.Extend(w.eps, c.data.rank)
	for f, x := range was {
		w.eps[f] = 0
		if !w.fresh {
			bf := c.b[f*c.ld : f*c.ld+c.k]
			for _, a := range w.old {
				x -= bf[a]
			}
			w.eps[f] = x * inv
			norm += x * x
		}
	}
	c.amend(kept)
	// The residual's square, which G gave at opening, is off by less than what makes
	// 1e-9 of log likelihood.
	agree := w.fresh || math.Abs(norm-w.e0) <= 2e-9*c.noise*c.noise*w.d
	c.exchange()
	if sum := c.quadratic(); !agree || !(math.Abs(sum-w.total/(1+w.total))*(1+w.total) <= drift) {
		c.Refresh(w.z, c.scales)
	}
	return w.edit
}

// amend makes the changes of the edit, with kept of the old singletons left.
func (c *Cache) amend(kept int) {
	w := &c.row
	for _, a := range w.edit.Flipped {
		w.z.Flip(w.i, a)
	}
	// The highest go, so that those kept stay where they are.
	for m := len(w.single) - 1; m >= kept; m-- {
		c.remove(w.single[m])
		w.z.Remove(w.single[m])
		w.edit.Removed = append(w.edit.Removed, w.single[m])
	}
	w.single = w.single[:kept]
	c.reserve(c.k + w.edit.Appended)
	for range w.edit.Appended {
		a := w.z.Append()
		w.z.Flip(w.i, a)
		w.single = append(w.single, a)
		w.on[a] = false
		c.k++
	}
}

// remove deletes column k; the last one takes its place.
func (c *Cache) remove(k int) {
	last, ld, w := c.k-1, c.ld, &c.row
	if k != last {
		for _, m := range [][]float64{c.p, c.g} {
			copy(m[k*ld:k*ld+k], m[last*ld:])
			m[k*ld+k] = m[last*ld+last]
			for a := k + 1; a < last; a++ {
				m[a*ld+k] = m[last*ld+a]
			}
		}
		for f := range c.data.rank {
			c.b[f*ld+k] = c.b[f*ld+last]
		}
		w.v[k], w.bv[k], w.u[k], w.c[k], w.g[k], w.on[k] = w.v[last], w.bv[last], w.u[last], w.c[last], w.g[last], w.on[last]
	}
	c.k = last
}

// exchange takes the old row out of P, G and B and puts the new one in.
func (c *Cache) exchange() {
	w, k, ld := &c.row, c.k, c.ld
	for _, a := range w.single {
		// Without the row, the row's own columns are zero.
		w.u[a], w.c[a], w.g[a] = 1/c.r, 0, 0
		w.v[a], w.bv[a] = 0, 0
	}
	w.total = w.s + float64(w.j)/c.r
	e, in := c.energy(), 1/(1+w.total)
	c.logLik += c.logPred(c.data.half, w.total, e) - w.pred
	v, bv, m, a1, a2 := w.v[:k], w.bv[:k], w.u[:k], w.a1[:k], w.a2[:k]
	c.exchangeB(v, m, in)
	// P += v v'/d - m m'/(1+s) and G += v a1' + a1 v' + m a2' + a2 m', the factors
	// split evenly.
	out, rootIn := 1/math.Sqrt(w.d), math.Sqrt(in)
	for a := range m {
		x := v[a] * out
		y := m[a] * rootIn
		a1[a] = x*w.e0/(2*w.d) - bv[a]*out
		a2[a] = (w.c[a]-w.g[a])*rootIn + y*e*in/2
		v[a], m[a] = x, y
	}
	if w.flips || w.fresh {
		for a := range k {
			p, g := c.p[a*ld:a*ld+a+1], c.g[a*ld:a*ld+a+1]
			vector.Axpy(p, v[a], v)
			vector.Axpy(p, -m[a], m)
			vector.Axpy(g, v[a], a1)
			vector.Axpy(g, a1[a], v)
			vector.Axpy(g, m[a], a2)
			vector.Axpy(g, a2[a], m)
		}
	} else {
		// Only the singletons changed: m is parallel to v, and one sum does for two.
		ratio := rootIn * out
		vector.Axpy(a1, ratio, a2)
		for a := range k {
			p, g := c.p[a*ld:a*ld+a+1], c.g[a*ld:a*ld+a+1]
			vector.Axpy(p, (1-ratio*ratio)*v[a], v)
			vector.Axpy(g, v[a], a1)
			vector.Axpy(g, a1[a], v)
		}
	}
	for _, a := range w.single {
		for b := range k {
			p, g := -m[a]*m[b], m[a]*a2[b]+a2[a]*m[b]
			if a == b {
				p += 1 / c.r
			}
			index := max(a, b)*ld + min(a, b)
			c.p[index], c.g[index] = p, g
		}
	}
}

// exchangeB updates B: B -= v eps'/d for the old row, then B += m eps'/(1+s) with
// the residual of the new one.
func (c *Cache) exchangeB(v, m []float64, in float64) {
	w, k, ld := &c.row, c.k, c.ld
	w.new = w.new[:0]
	sumV := 0.0
	for a, on := range w.on[:k] {
		if on {
			w.new = append(w.new, a)
			sumV += v[a]
		}
	}
	w.fitted = vector.Extend(w.fitted, c.data.rank)
	for f, x := range c.data.rows[w.i] {
		bf := c.b[f*ld : f*ld+k]
		for _, a := range w.single {
			bf[a] = 0
		}
		for _, a := range w.new {
			x -= bf[a]
		}
		w.fitted[f] = (x + sumV*w.eps[f]) * in
	}
	vector.AddOuter(c.b, ld, c.data.rank, 1, w.fitted, 1, m)
	vector.AddOuter(c.b, ld, c.data.rank, -1, w.eps, 1, v)
	w.new = append(w.new, w.single...)
}

// quadratic returns z'Pz of the row just closed.
func (c *Cache) quadratic() float64 {
	w, sum := &c.row, 0.0
	for _, a := range w.new {
		for _, b := range w.new {
			sum += c.p[max(a, b)*c.ld+min(a, b)]
		}
	}
	return sum
}
