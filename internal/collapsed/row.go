package collapsed

import (
	"math"

	"aibd/feature"
	"aibd/internal/vector"
)

// row is an open row of a Cache: quantities of item i with its own row taken out of the
// sums. With M, C and Gam the P, B X_i and G of the other rows, and z
// the row's entries in columns that other items have too:
//
//	u = M z,  s = z'u,  t = z'C,  g = Gam z,  q = z'g,  E = |x_i - z'B|^2 = X_ii - 2t + q
//
// Then x_i given the other rows is normal with variance SigmaX^2 (1+s) around
// z'B, and the flip of column k by delta = +-1 changes s by 2 delta u_k + M_kk, t
// by delta C_k, and q by 2 delta g_k + Gam_kk. M = P + v v'/d and Gam likewise
// are never formed: their diagonals are, and a column at a time after a flip.
type row struct {
	open    bool
	i       int
	z       *feature.Allocation // as opened
	d       float64             // 1 - z'Pz, the downdate's divisor; 1 where P is without the row already
	e0      float64             // squared residual of the row under B
	v, bv   []float64           // P z and C - G z at opening
	u, c, g []float64
	md, gd  []float64 // diagonals of M and Gam
	on      []bool
	delta   []float64 // 2, or -2 where on
	old     []int     // columns of the row at opening
	single  []int     // those that it alone has, ascending
	fresh   bool      // P, B, G were computed without the row
	flips   bool
	j       int // singletons now
	s, t, q float64
	sq      float64 // |x_i|^2
	half    float64 // D/2 times the power of the likelihood
	gaps    gaps
	pred    float64 // log predictive of the row at opening
	a1, a2  []float64
	eps     []float64 // residual of the row at opening over d, rank long
	fitted  []float64 // that of the row when closed over 1+s
	new     []int     // columns of the row when closed
	total   float64   // s with the singletons when closed
	edit    Edit
}

// reserve makes room for ld columns, keeping what is there.
func (w *row) reserve(ld int) {
	for _, s := range []*[]float64{&w.v, &w.bv, &w.u, &w.c, &w.g, &w.md, &w.gd, &w.a1, &w.a2, &w.delta} {
		grown := make([]float64, ld)
		copy(grown, *s)
		*s = grown
	}
	on := make([]bool, ld)
	copy(on, w.on)
	w.on = on
}

// minDivisor is the min d = 1 - z'Pz at which a row is taken out by a rank-one
// downdate, whose relative error is the one of a double over d^2.
const minDivisor = 1e-3

// Open takes row i of z out. Close puts it back and changes z. z must be the allocation
// of the Cache.
func (c *Cache) Open(z *feature.Allocation, i int) {
	w := &c.row
	if w.open {
		panic("collapsed: a row is open already")
	}
	w.open, w.i, w.z, w.flips, w.fresh = true, i, z, false, false
	w.sq, w.half, w.gaps.variables = c.data.sq[i], c.data.half, nil
	w.old, w.single = w.old[:0], w.single[:0]
	k, ld := c.k, c.ld
	clear(w.on)
	for a := range w.delta[:k] {
		w.delta[a] = 2
	}
	for a := range k {
		if z.Has(i, a) {
			w.old = append(w.old, a)
			if z.Size(a) == 1 {
				w.single = append(w.single, a)
			} else {
				w.on[a], w.delta[a] = true, -2
			}
		}
	}
	w.j = len(w.single)
	v, bv, cc, g := w.v[:k], w.bv[:k], w.c[:k], w.g[:k]
	c.project(cc, i)
	clear(v)
	clear(g)
	s0, zc, q0 := 0.0, 0.0, 0.0
	for _, a := range w.old {
		addRow(v, 1, c.p, a, ld)
		addRow(g, 1, c.g, a, ld)
	}
	for _, a := range w.old {
		s0 += v[a]
		zc += cc[a]
		q0 += g[a]
	}
	w.d = 1 - s0
	w.e0 = c.data.sq[i] - 2*zc + q0
	if !(w.d >= minDivisor) {
		c.openFresh()
	} else {
		// From here g is Gam z and cc is C, for the other rows.
		inv := 1 / w.d
		zb, x := (zc-q0)*inv, v[:k]
		ev, es, ec := w.e0*inv, s0*inv, (c.data.sq[i]-zc)*inv
		u, md, gd := w.u[:k], w.md[:k], w.gd[:k]
		bv, cc, g = bv[:k], cc[:k], g[:k]
		for a, v := range x {
			b := cc[a] - g[a]
			bv[a] = b
			g[a] += v*(es*ev-zb) - b*es
			vd := v * inv
			u[a] = vd
			md[a] = c.p[a*ld+a] + v*vd
			gd[a] = c.g[a*ld+a] + vd*(v*ev-2*b)
			cc[a] -= v * ec
		}
	}
	w.addUp()
	if !(w.s >= 0) && !w.fresh && len(w.old) > len(w.single) {
		c.openFresh() // s = z'Mz, M positive definite: P has lost its digits
		w.addUp()
	}
	w.pred = c.logPred(c.data.half, w.s+float64(w.j)/c.r, c.energy())
}

// addUp computes s, t and q.
func (w *row) addUp() {
	w.s, w.t, w.q = 0, 0, 0
	for _, a := range w.old {
		if w.on[a] {
			w.s += w.u[a]
			w.t += w.c[a]
			w.q += w.g[a]
		}
	}
}

// openFresh computes everything without the row. It serves rows of such leverage that a
// downdate would lose the digits.
func (c *Cache) openFresh() {
	w, k, ld := &c.row, c.k, c.ld
	w.fresh, w.d, w.e0 = true, 1, 0
	c.refresh(w.z, w.i)
	c.project(w.c[:k], w.i)
	clear(w.u[:k])
	clear(w.g[:k])
	for a := range k {
		w.v[a], w.bv[a] = 0, 0
		w.md[a], w.gd[a] = c.p[a*ld+a], c.g[a*ld+a]
		if w.on[a] {
			addRow(w.u[:k], 1, c.p, a, ld)
			addRow(w.g[:k], 1, c.g, a, ld)
		}
	}
}

// project puts B x_i into out.
func (c *Cache) project(out []float64, i int) {
	clear(out)
	vector.AddRows(out, c.data.rank, c.data.rows[i], 1, c.b, c.ld)
}

// energy returns E, the squared distance of x_i from its prediction.
func (c *Cache) energy() float64 {
	return c.row.sq - 2*c.row.t + c.row.q
}

// logPred returns the log predictive density of the open row up to a constant. Half is D/2 times
// the power.
func (c *Cache) logPred(half, s, e float64) float64 {
	x := c.noise
	return -half*math.Log1p(s) - e/(2*x*x*(1+s))
}

// Shared reports whether column k of the open row has other members.
func (c *Cache) Shared(k int) bool { return c.row.z.Size(k) > 1 || !c.row.z.Has(c.row.i, k) }

// On reports whether the open row now has column k, which must be Shared.
func (c *Cache) On(k int) bool { return c.row.on[k] }

// LogFlip returns the change of the log likelihood if the open row's entry in column k,
// which must be Shared, is flipped.
func (c *Cache) LogFlip(k int) float64 {
	w := &c.row
	delta := 1.0
	if c.On(k) {
		delta = -1
	}
	e := c.energy()
	s := w.s + float64(w.j)/c.r
	s1 := s + 2*delta*w.u[k] + w.md[k]
	e1 := e - 2*delta*w.c[k] + 2*delta*w.g[k] + w.gd[k]
	x := c.noise
	ratio := (1 + s1) / (1 + s)
	return -w.half*math.Log(ratio) - (e1/(1+s1)-e/(1+s))/(2*x*x)
}

// FlipBounds sets bounds to upper bounds of exp(LogFlip(k)) times factors, which are at
// least 0, for the last len(bounds) columns, rounding errors included; +Inf or NaN if
// there is none. It is undefined for columns that are not Shared.
func (c *Cache) FlipBounds(bounds, factors []float64) {
	w := &c.row
	one, e := 1+w.s+float64(w.j)/c.r, c.energy()
	before := e / one * c.weight
	first := c.k - len(bounds)
	flipBounds(bounds, factors, w.delta[first:], w.u[first:], w.md[first:], w.c[first:], w.g[first:], w.gd[first:],
		one, e, before+1e-9*(1+math.Abs(before)), c.weight*(1-1e-9), w.half)
}

// Flip flips the open row's entry in column k.
func (c *Cache) Flip(k int) {
	w, ld := &c.row, c.ld
	w.flips = true
	delta := 1.0
	if w.on[k] {
		delta = -1
	}
	w.s += 2*delta*w.u[k] + w.md[k]
	w.t += delta * w.c[k]
	w.q += 2*delta*w.g[k] + w.gd[k]
	w.on[k], w.delta[k] = !w.on[k], -w.delta[k]
	u, g, v, bv := w.u[:c.k], w.g[:c.k], w.v[:c.k], w.bv[:c.k]
	// Column k of M and of Gam.
	mv := v[k] / w.d
	gv := v[k]*w.e0/(w.d*w.d) - bv[k]/w.d
	for a := range u {
		index := a*ld + k
		if a < k {
			index = k*ld + a
		}
		u[a] += delta * (c.p[index] + v[a]*mv)
		g[a] += delta * (c.g[index] + v[a]*gv - bv[a]*mv)
	}
	w.gaps.flip(g, k, delta)
}

// Singletons returns the number of columns whose only member is the open row.
func (c *Cache) Singletons() int { return c.row.j }

// SetSingletons sets the number of columns whose only member is the open row. It panics
// if j < 0.
func (c *Cache) SetSingletons(j int) {
	if j < 0 {
		panic("collapsed: a negative number of singletons")
	}
	c.row.j = j
}

// Predictive returns s, e and r of the likelihood of the open row as a function of its
// number j of singletons, up to a constant,
//
//	-(D/2) log(1 + S) - e / (2 (1 + S)),   S = s + j/r
//
// with e = E/SigmaX^2. It is largest at S = e/D - 1, with D of Variables. If the row has no
// observed cells, D and e are 0.
func (c *Cache) Predictive() (s, e, r float64) {
	if c.row.half > 0 { // otherwise E is rounding error
		e = c.energy() / (c.noise * c.noise)
	}
	return c.row.s, e, c.r
}

// LogPredictive returns that likelihood at S and e.
func (c *Cache) LogPredictive(s, e float64) float64 {
	return -c.row.half*math.Log1p(s) - e/(2*(1+s))
}

// Variables returns the number of variables in the likelihood of the open row, times the power.
func (c *Cache) Variables() float64 { return 2 * c.row.half }
