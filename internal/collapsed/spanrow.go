package collapsed

import (
	"math"

	"aibd/internal/vector"
)

// spanRow is an open row of a Cache that uses a span of the other rows. With a =
// V'z over the columns that other items have,
//
//	s = sum of a^2/(lambda + r) + (|z|^2 - |a|^2)/r,  E = |x_i - B'z|^2
//
// A flip is weighed in O(rank + min(N, D)). The second term of s is the part of z
// outside the row space of Z, times 1/r: it is 0 or well away from 0, and rounding is
// taken for 0. With an intercept z stands for z less the mean of the other rows, and s has
// 1 over their number more.
type spanRow struct {
	on     []bool
	mean   []float64 // of the other rows with an intercept, else 0
	base   float64   // part of s of the intercept
	a      []float64 // V'z
	e      []float64 // x_i - B'z
	count  float64   // |z|^2
	square float64   // E
}

// refreshSpan computes the log likelihood of the columns kept.
func (c *Cache) refreshSpan() {
	c.span.set(c.data, c.columns, nil, c.k, -1)
	c.logLik, c.slack = c.span.logLik(c.scales, c.noise), 0
}

// openSpan prepares the open row.
func (c *Cache) openSpan() {
	w, o, s := &c.row, &c.spanRow, &c.span
	s.set(c.data, c.columns, nil, c.k, w.i)
	s.solve(c.r)
	o.on, o.a, o.e = vector.Extend(o.on, c.k), vector.Extend(o.a, s.rank), vector.Extend(o.e, c.data.rank)
	clear(o.on)
	clear(o.a)
	copy(o.e, c.data.rows[w.i])
	o.count, o.base = 0, 0
	o.mean = vector.Extend(o.mean, c.k)
	clear(o.mean)
	if c.data.ones > 0 {
		o.base = 1 / float64(len(s.used))
		for a, sum := range s.sums {
			o.mean[a] = sum * o.base
			o.count += o.mean[a] * o.mean[a]
			vector.Axpy(o.a, -o.mean[a], s.v[a*s.rank:])
		}
	}
	for a := range c.k {
		if !w.z.Has(w.i, a) {
			continue
		}
		if w.z.Size(a) == 1 {
			w.single = append(w.single, a)
		} else {
			c.turnSpan(a)
		}
	}
	w.j = len(w.single)
	c.settleSpan()
	w.pred = c.logPred(c.data.half, w.s+float64(w.j)/c.r, c.energy())
}

// turnSpan turns the entry of column k on or off.
func (c *Cache) turnSpan(k int) {
	o, s, d := &c.spanRow, &c.span, c.data.rank
	o.on[k] = !o.on[k]
	sign := 1.0
	if !o.on[k] {
		sign = -1
	}
	o.count += sign * (1 - 2*o.mean[k])
	vector.Axpy(o.a, sign, s.v[k*s.rank:])
	vector.Axpy(o.e, -sign, s.b[k*d:])
}

// settleSpan computes s and E.
func (c *Cache) settleSpan() {
	o := &c.spanRow
	inside, outside := 0.0, o.count
	for j, a := range o.a {
		inside += a * a / (c.span.lambda[j] + c.r)
		outside -= a * a
	}
	c.row.s = o.base + inside + c.span.clean(outside, o.count+o.base)/c.r
	o.square = vector.Dot(o.e, o.e)
}

// flipSpan returns s, without singletons, and E after a flip of column k by delta.
func (c *Cache) flipSpan(k int, delta float64) (s, e float64) {
	o, p := &c.spanRow, &c.span
	count := o.count + delta*(1-2*o.mean[k])
	inside, outside := 0.0, count
	for j, v := range p.v[k*p.rank : (k+1)*p.rank] {
		a := o.a[j] + delta*v
		inside += a * a / (p.lambda[j] + c.r)
		outside -= a * a
	}
	for f, b := range p.b[k*c.data.rank : (k+1)*c.data.rank] {
		x := o.e[f] - delta*b
		e += x * x
	}
	return o.base + inside + p.clean(outside, count+o.base)/c.r, e
}

// closeSpan is Close for a row opened by openSpan, its flips already listed.
func (c *Cache) closeSpan(kept int) {
	w := &c.row
	total := w.s + float64(w.j)/c.r
	change := c.logPred(c.data.half, total, c.energy()) - w.pred
	c.slack += math.Abs(c.logLik) + math.Abs(change)
	c.logLik += change
	c.amend(kept)
	c.columns = w.z.AppendColumns(c.columns[:0])
	if !(c.slack <= maxSlack*math.Max(1, math.Abs(c.logLik))) {
		c.refreshSpan()
	}
}

// maxSlack bounds the numbers added to the log likelihood, relative to it: their relative
// errors are about 1e-11.
const maxSlack = 20

// logRemoveSpan is LogRemove.
func (c *Cache) logRemoveSpan(k int) float64 {
	words := len(c.columns) / c.k
	c.trial = append(c.trial[:0], c.columns...)
	copy(c.trial[k*words:(k+1)*words], c.trial[(c.k-1)*words:])
	return c.changeSpan(c.k - 1)
}

// logAppendSpan is LogAppend.
func (c *Cache) logAppendSpan(column []uint64) float64 {
	c.trial = append(append(c.trial[:0], c.columns...), column...)
	return c.changeSpan(c.k + 1)
}

// changeSpan returns the change of the log likelihood to the k columns of trial.
func (c *Cache) changeSpan(k int) float64 {
	c.span.set(c.data, c.columns, nil, c.k, -1)
	before := c.span.logLik(c.scales, c.noise)
	c.span.set(c.data, c.trial, nil, k, -1)
	return c.span.logLik(c.scales, c.noise) - before
}
