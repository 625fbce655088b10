package collapsed

import (
	"math"
	"math/bits"

	"aibd/feature"
	"aibd/internal/vector"
)

// Toggles flips several entries of one column at once, those of the items of a node of a
// tree: Reset takes the state of a cache, Column chooses the column, LogToggle and
// LogToggleBound return the change of the log likelihood, Toggle makes the change.
//
// With H = I - ZPZ' and the residual R = X - ZB let z be the column, p = P_aa, g =
// G_aa and b = B_a'. Since HZ = r ZP and Z'R = r B, without the column
//
//	H + hh'/p  and  R + hb'/p,  h = ZP_a
//
// replace H and R. The column z + d, with d -1 or 1 at the items of the node and 0
// elsewhere, is then added as in Cache.LogAppend, with
//
//	S = r + r z'h + 2r d'h + d'Hd + y²/p  and  e = R'd + (r + y/p) b
//
// for y = (z + d)'h and z'h = 1 - rp; only |e|² enters. The sums of R, of ZP and of H
// over the items of each node are stored, so that only the members of the column among
// them, where d is -1, are visited.
//
// The zero value is ready for Reset. A Toggles belongs to one chain; it does not
// allocate once it has held the largest problem.
type Toggles struct {
	cache *Cache
	z     *feature.Allocation
	tree  *Tree

	// Of the items, and then of the nodes: sums over their items.
	residual []float64 // rows of R
	fitted   []float64 // rows of ZP
	square   []float64 // squared norm of that of R
	hold     []float64 // 1'H1 over the items of a node
	loadings []float64 // B, K x rank
	features []int     // columns of each item
	ends     []int     // where those of an item end

	a       int // the column
	p, g    float64
	inverse float64   // 1/p
	row     []float64 // b
	zh      float64   // z'h
	remove  float64   // change of the log likelihood without the column, and (D/2) log r

	members []int
	inside  []int     // members of the column in a node
	sum     []float64 // R'd
	part    []float64 // sum of the rows of ZP of inside
}

// Reset takes the state of the cache, which must be at z and Steady, for the nodes of a
// tree over its items. Until the next Reset only Toggle may change the cache and z.
func (t *Toggles) Reset(c *Cache, z *feature.Allocation, tree *Tree) {
	n, k, rank := c.data.n, c.k, c.data.rank
	t.cache, t.z, t.tree = c, z, tree
	all := n + tree.Nodes()
	t.residual, t.fitted = vector.Extend(t.residual, all*rank), vector.Extend(t.fitted, all*k)
	t.square, t.hold = vector.Extend(t.square, all), vector.Extend(t.hold, all)
	t.loadings = vector.Extend(t.loadings, k*rank)
	t.sum, t.part = vector.Extend(t.sum, rank), vector.Extend(t.part, k)
	for f := range rank {
		for a, x := range c.b[f*c.ld : f*c.ld+k] {
			t.loadings[a*rank+f] = x
		}
	}
	for a := range k { // the other half of P
		for b, x := range c.p[a*c.ld : a*c.ld+a] {
			c.p[b*c.ld+a] = x
		}
	}
	t.list()
	for i := range n {
		residual, fitted := t.residual[i*rank:(i+1)*rank], t.fitted[i*k:(i+1)*k]
		copy(residual, c.data.rows[i])
		clear(fitted)
		for _, a := range t.columns(i) {
			vector.Axpy(residual, -1, t.loadings[a*rank:])
			vector.Axpy(fitted, 1, c.p[a*c.ld:])
		}
		t.square[i], t.hold[i] = vector.Dot(residual, residual), 1-t.pick(i, fitted)
	}
	for v := range tree.Nodes() {
		t.join(v)
	}
}

// list lists the columns of each item.
func (t *Toggles) list() {
	t.features, t.ends = vector.Extend(t.features, t.z.Ones()), vector.Extend(t.ends, t.z.N())
	clear(t.ends)
	for a := range t.z.K() {
		for i := range feature.Items(t.z.Column(a)) {
			t.ends[i]++
		}
	}
	before := 0
	for i, count := range t.ends {
		t.ends[i] = before
		before += count
	}
	for a := range t.z.K() {
		for i := range feature.Items(t.z.Column(a)) {
			t.features[t.ends[i]] = a
			t.ends[i]++
		}
	}
}

// columns returns the columns of item i.
func (t *Toggles) columns(i int) []int {
	begin := 0
	if i > 0 {
		begin = t.ends[i-1]
	}
	return t.features[begin:t.ends[i]]
}

// pick returns the sum of x over the columns of item i.
func (t *Toggles) pick(i int, x []float64) float64 {
	sum := 0.0
	for _, a := range t.columns(i) {
		sum += x[a]
	}
	return sum
}

// join makes the sums of node v from those of its parts.
func (t *Toggles) join(v int) {
	n, k, rank := t.cache.data.n, t.cache.k, t.cache.data.rank
	x, a, b := n+v, t.tree.parts[v][0], t.tree.parts[v][1]
	residual, fitted := t.residual[x*rank:(x+1)*rank], t.fitted[x*k:(x+1)*k]
	copy(residual, t.residual[a*rank:])
	vector.Axpy(residual, 1, t.residual[b*rank:])
	other := t.fitted[b*k : (b+1)*k]
	copy(fitted, t.fitted[a*k:])
	vector.Axpy(fitted, 1, other)
	t.square[x] = vector.Dot(residual, residual)
	across := 0.0 // 1'H1 between the parts, except its sign
	if a < n {
		across = t.pick(a, other)
	} else {
		t.tree.each(a-n, func(i int) { across += t.pick(i, other) })
	}
	t.hold[x] = t.hold[a] + t.hold[b] - 2*across
}

// Column chooses the column to change.
func (t *Toggles) Column(a int) {
	c, rank := t.cache, t.cache.data.rank
	t.a, t.p, t.g = a, c.p[a*c.ld+a], c.g[a*c.ld+a]
	t.row = t.loadings[a*rank : (a+1)*rank]
	t.inverse, t.zh = 1/t.p, 1-c.r*t.p
	t.remove = c.LogRemove(a) + c.data.half*math.Log(c.r)
}

// weigh returns S and |e|² of the column if the entries of node v are flipped.
func (t *Toggles) weigh(v int) (s, e float64) {
	c, n, k, rank := t.cache, t.cache.data.n, t.cache.k, t.cache.data.rank
	x := n + v
	t.inside = t.inside[:0]
	column, node := t.z.Column(t.a), t.tree.nodes[v]
	for e, w := range node.places {
		for word := column[w] & node.words[e]; word != 0; word &= word - 1 {
			t.inside = append(t.inside, int(w)<<6+bits.TrailingZeros64(word))
		}
	}
	fitted, residual := t.fitted[x*k:(x+1)*k], t.residual[x*rank:(x+1)*rank]
	dh, hold, square := fitted[t.a], t.hold[x], t.square[x]
	if len(t.inside) > 0 {
		copy(t.sum, residual)
		residual = t.sum
		for _, i := range t.inside {
			vector.Axpy(residual, -2, t.residual[i*rank:])
			dh -= 2 * t.fitted[i*k+t.a]
			hold += 4 * t.pick(i, fitted)
		}
		square = vector.Dot(residual, residual)
		hold -= 4 * t.overlap()
	}
	y := t.zh + dh
	w := y * t.inverse
	s = c.r*(1+t.zh+2*dh) + hold + y*w
	l := c.r + w
	return s, square + l*(2*vector.Dot(residual, t.row)+l*t.g)
}

// overlap returns c'Pc for the sum c of the rows of Z of the items inside.
func (t *Toggles) overlap() float64 {
	k, sum := t.cache.k, 0.0
	if len(t.inside) > maxPairs {
		clear(t.part)
		for _, i := range t.inside {
			vector.Axpy(t.part, 1, t.fitted[i*k:])
		}
		for _, i := range t.inside {
			sum += t.pick(i, t.part)
		}
		return sum
	}
	for x, i := range t.inside {
		sum += 1 - t.hold[i]
		for _, j := range t.inside[:x] {
			sum += 2 * t.pick(j, t.fitted[i*k:])
		}
	}
	return sum
}

// maxPairs is the max number of items that overlap takes in pairs.
const maxPairs = 8

// LogToggle returns the change of the log likelihood if the entries of node v in the
// column are flipped. The column must not become empty.
func (t *Toggles) LogToggle(v int) float64 {
	s, e := t.weigh(v)
	return t.remove + t.cache.weight*(e/s) - t.cache.data.half*math.Log(s)
}

// LogToggleBound returns an upper bound of LogToggle(v), rounding errors included, that is
// cheaper.
func (t *Toggles) LogToggleBound(v int) float64 {
	s, e := t.weigh(v)
	remainder := t.remove + t.cache.weight*(e/s)
	return remainder + 1e-9*(1+math.Abs(remainder)) - t.cache.data.half*logBelow(s)
}

// logBelow returns a lower bound of log x that is within 0.002 of it, -Inf unless x is
// normal and positive.
func logBelow(x float64) float64 {
	bits := math.Float64bits(x)
	exponent := int(bits>>52) - 1023
	if uint(exponent+1022) > 2045 {
		return math.Inf(-1)
	}
	// log m = 2 artanh u >= 2 (u + u^3/3) for m >= 1.
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	u := (m - 1) / (m + 1)
	return float64(exponent)*math.Ln2 + 2*u*(1+u*u/3) - 1e-13
}

// Toggle flips the entries of node v in the column, in the allocation and in the
// cache too, in O(K² + K·min(N, D)), and takes their state, in as much and O(min(N,
// D) + K) for each item and each one of the allocation.
func (t *Toggles) Toggle(v int) {
	s, e := t.weigh(v)
	c := t.cache
	c.logLik += t.LogToggle(v)
	t.tree.each(v, func(i int) { t.z.Flip(i, t.a) })
	t.members = t.z.Members(t.members[:0], t.a)
	c.replace(t.z, t.a, t.members, s, e)
	t.Reset(c, t.z, t.tree)
	t.Column(t.a)
}

// replace puts the given members into column a, which z has already. S and |e|² are
// those of LogAppend without the column.
func (c *Cache) replace(z *feature.Allocation, a int, members []int, s, e2 float64) {
	k, ld, row, w := c.k, c.ld, &c.row, &c.work
	// Overlaps of the new column with the others.
	w.counts = vector.Extend(w.counts, k)
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
		pa[b], ga[b] = c.element(c.p, a, b), c.element(c.g, a, b)
	}
	// v = PZ'y without it; with e = R'y the new column then makes P + vv'/S, B - ve'/S,
	// and rows P_a = -v/S, B_a = e/S; be is Be.
	clear(v)
	for b, count := range w.counts {
		if count != 0 {
			addRow(v, count, c.p, b, ld)
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
		index := max(a, b)*ld + min(a, b)
		c.p[index], c.g[index] = -v[b]/s, (be[b]-v[b]*e2/s)/s
	}
	c.p[a*ld+a], c.g[a*ld+a] = 1/s, e2/(s*s)
}
