package lglfm

import (
	"math"

	"aibd/feature"
	"aibd/internal/vector"
)

// Toggles weighs and makes changes of several entries of one column at once: Reset
// takes the state of a cache, Column chooses the column, LogToggle weighs a change of
// m entries in O(m²), Toggle makes it.
//
// With H = I - ZPZ' and the residual R = X - ZB it holds H and RR', N x N. Without
// column a, with z its members, they are
//
//	H + hh'/p  and  RR' + (hq' + qh')/p + hh' g/p²
//
// for p = P_aa, g = G_aa, h = Hz/r and q = RR'z/r, since HZ = r ZP and R'Z = r B'. The
// changed column y then returns as Cache.LogAppend says.
//
// The zero value is ready for Reset. A Toggles belongs to one chain; it does not
// allocate once it has held the largest problem.
type Toggles struct {
	cache *Cache
	z     *feature.Allocation
	h, q  []float64 // H and RR', N x N

	a        int // the column
	p, g     float64
	ha, qa   []float64 // its h and q
	zh, zq   float64   // z'h and z'q
	remove   float64   // change of the log likelihood without the column
	hy, qy   []float64 // Hy and RR'y without it
	u, v     []float64
	residual []float64 // R, N x rank
	zp       []float64 // ZP, N x K
	members  []int
}

// Reset takes the state of the cache, which is at z and Steady. Until the next Reset
// only Toggle may change either.
func (t *Toggles) Reset(c *Cache, z *feature.Allocation) {
	n, k, rank := c.data.n, c.k, c.data.rank
	t.cache, t.z = c, z
	t.h, t.q = extend(t.h, n*n), extend(t.q, n*n)
	t.residual, t.zp = extend(t.residual, n*rank), extend(t.zp, n*k)
	for _, s := range []*[]float64{&t.ha, &t.qa, &t.hy, &t.qy, &t.u, &t.v} {
		*s = extend(*s, n)
	}
	clear(t.h)
	clear(t.zp)
	for i, row := range c.data.rows {
		copy(t.residual[i*rank:], row)
	}
	for a := range k {
		t.members = z.Members(t.members[:0], a)
		for f := range rank {
			x := c.b[f*c.ld+a]
			for _, i := range t.members {
				t.residual[i*rank+f] -= x
			}
		}
		for _, i := range t.members {
			addRow(t.zp[i*k:(i+1)*k], c.p, a, c.ld)
		}
	}
	for a := range k {
		t.members = z.Members(t.members[:0], a)
		for _, j := range t.members {
			for i := range n {
				t.h[j*n+i] -= t.zp[i*k+a]
			}
		}
	}
	for i := range n {
		t.h[i*n+i]++
		row := t.residual[i*rank : (i+1)*rank]
		for j := range i + 1 {
			x := vector.Dot(row, t.residual[j*rank:])
			t.q[i*n+j], t.q[j*n+i] = x, x
		}
	}
}

// Column chooses the column to change.
func (t *Toggles) Column(a int) {
	n, c := t.cache.data.n, t.cache
	t.a, t.p, t.g = a, c.p[a*c.ld+a], c.g[a*c.ld+a]
	t.remove = c.LogRemove(a)
	clear(t.ha)
	clear(t.qa)
	t.members = t.z.Members(t.members[:0], a)
	for _, i := range t.members {
		vector.Axpy(t.ha, 1/c.r, t.h[i*n:(i+1)*n])
		vector.Axpy(t.qa, 1/c.r, t.q[i*n:(i+1)*n])
	}
	t.zh, t.zq = 0, 0
	for _, i := range t.members {
		t.zh += t.ha[i]
		t.zq += t.qa[i]
	}
}

// weigh computes y'h and y'q for the column y with the given entries flipped, and S
// and |e|² of its return to the others: S = r + y'Hy and e = R'y without column a.
func (t *Toggles) weigh(items []int) (yh, yq, s, e float64) {
	n := t.cache.data.n
	dh, dq, dHd, dQd := 0.0, 0.0, 0.0, 0.0
	for x, i := range items {
		h, q := t.h[i*n:(i+1)*n], t.q[i*n:(i+1)*n]
		si := 1.0
		if t.z.Has(i, t.a) {
			si = -1
		}
		dh += si * t.ha[i]
		dq += si * t.qa[i]
		dHd += h[i]
		dQd += q[i]
		for _, j := range items[:x] {
			both := 2 * si
			if t.z.Has(j, t.a) {
				both = -both
			}
			dHd += both * h[j]
			dQd += both * q[j]
		}
	}
	r := t.cache.r
	yh, yq = t.zh+dh, t.zq+dq
	s = r + r*t.zh + 2*r*dh + dHd + yh*yh/t.p
	e = r*t.zq + 2*r*dq + dQd + (2*yh*yq+yh*yh*t.g/t.p)/t.p
	return yh, yq, s, e
}

// LogToggle returns the change of the log likelihood if the entries of the given
// items, all different, in the column were flipped. The column must not become
// empty.
func (t *Toggles) LogToggle(items []int) float64 {
	c := t.cache
	_, _, s, e := t.weigh(items)
	x := c.noise
	return t.remove - c.data.half*math.Log(s/c.r) + e/(2*x*x*s)
}

// Toggle flips the entries of the given items in the column, in the allocation and in
// the cache too, in O(N² + K² + K·min(N, D)).
func (t *Toggles) Toggle(items []int) {
	yh, yq, s, e := t.weigh(items)
	t.cache.logLik += t.LogToggle(items)
	t.exchange(items, yh, yq, s, e)
	for _, i := range items {
		t.z.Flip(i, t.a)
	}
	t.members = t.z.Members(t.members[:0], t.a)
	t.cache.replace(t.z, t.a, t.members, s, e)
	t.Column(t.a)
}

// exchange takes the column out of H and RR' and puts the changed one in: H - hy hy'/S
// and RR' - (hy qy' + qy hy')/S + hy hy' |e|²/S².
func (t *Toggles) exchange(items []int, yh, yq, s, e float64) {
	n, r := t.cache.data.n, t.cache.r
	for i, h := range t.ha {
		t.hy[i] = h * (r + yh/t.p)
		t.qy[i] = t.qa[i]*(r+yh/t.p) + h*(yq+yh*t.g/t.p)/t.p
	}
	for _, i := range items {
		sign := 1.0
		if t.z.Has(i, t.a) {
			sign = -1
		}
		vector.Axpy(t.hy, sign, t.h[i*n:(i+1)*n])
		vector.Axpy(t.qy, sign, t.q[i*n:(i+1)*n])
	}
	for i := range n { // the squares split evenly
		t.u[i] = (t.qa[i] + t.ha[i]*t.g/(2*t.p)) / t.p
		t.v[i] = (t.hy[i]*e/(2*s) - t.qy[i]) / s
	}
	for i := range n {
		h, q := t.h[i*n:(i+1)*n], t.q[i*n:(i+1)*n]
		vector.Axpy(h, t.ha[i]/t.p, t.ha)
		vector.Axpy(h, -t.hy[i]/s, t.hy)
		vector.Axpy(q, t.ha[i], t.u)
		vector.Axpy(q, t.u[i], t.ha)
		vector.Axpy(q, t.hy[i], t.v)
		vector.Axpy(q, t.v[i], t.hy)
	}
}

// replace puts the given members into column a, which z has already. S and |e|² are
// those of LogAppend without the column.
func (c *Cache) replace(z *feature.Allocation, a int, members []int, s, e2 float64) {
	k, ld, row, w := c.k, c.ld, &c.row, &c.work
	// Overlaps of the new column with the others.
	w.counts = extend(w.counts, k)
	for b := range k {
		w.counts[b] = 0
		for _, i := range members {
			if b != a && z.Has(i, b) {
				w.counts[b]++
			}
		}
	}
	// Without column a, row a of P, G and B is zero: P - pa pa'/p, B - pa B_a/p.
	p, g := c.p[a*ld+a], c.g[a*ld+a]
	pa, ga, v, be := row.v[:k], row.bv[:k], row.u[:k], row.c[:k]
	for b := range k {
		pa[b], ga[b] = c.at(c.p, a, b), c.at(c.g, a, b)
	}
	// v = PZ'y without it; with e = R'y the new column then makes P + vv'/S, B - ve'/S,
	// and rows P_a = -v/S, B_a = e/S; be is Be.
	clear(v)
	for b, count := range w.counts {
		if count != 0 {
			vector.Axpy(v[:b+1], count, c.p[b*ld:])
			for d := b + 1; d < k; d++ {
				v[d] += count * c.p[d*ld+b]
			}
		}
	}
	vector.Axpy(v, -vector.Dot(w.counts, pa)/p, pa)
	v[a] = 0
	clear(be)
	for f := range c.data.rank {
		bf := c.b[f*ld : f*ld+k]
		vector.Axpy(bf, -bf[a]/p, pa)
		bf[a] = 0
		e := -vector.Dot(w.counts, bf)
		for _, i := range members {
			e += c.data.rows[i][f]
		}
		vector.Axpy(be, e, bf)
		vector.Axpy(bf, -e/s, v)
		bf[a] = e / s
	}
	out, in := row.a1[:k], row.a2[:k] // the squares split evenly
	for b := range k {
		out[b] = (pa[b]*g/(2*p) - ga[b]) / p
		in[b] = (v[b]*e2/(2*s) - be[b]) / s
	}
	for b := range k {
		pb, gb := c.p[b*ld:b*ld+b+1], c.g[b*ld:b*ld+b+1]
		vector.Axpy(pb, -pa[b]/p, pa)
		vector.Axpy(pb, v[b]/s, v)
		vector.Axpy(gb, pa[b], out)
		vector.Axpy(gb, out[b], pa)
		vector.Axpy(gb, v[b], in)
		vector.Axpy(gb, in[b], v)
	}
	for b := range k {
		at := max(a, b)*ld + min(a, b)
		c.p[at], c.g[at] = -v[b]/s, (be[b]-v[b]*e2/s)/s
	}
	c.p[a*ld+a], c.g[a*ld+a] = 1/s, e2/(s*s)
}
