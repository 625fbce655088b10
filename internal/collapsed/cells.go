package collapsed

import (
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/vector"
)

// Cells is the law of the unknown cells of data given the observed ones, Z and the scales.
// The columns of X are independent. With M and O the unknown and the observed items of a
// column x, and H = I - ZPZ', which is SigmaX^2 times the precision of a column,
//
//	x_M | x_O ~ N(-(H_MM)^{-1} H_MO x_O, SigmaX^2 (H_MM)^{-1})
//
// Columns with the same M share the factor of H_MM. H is not formed: with the unknown cells
// of x set to 0, -H_MO x_O = Z_M P Z'x. With an intercept Z stands for [1 Z], and P has no
// ridge for the ones: H belongs to the contrasts.
//
// If a column has more unknown cells than loadings, the law is computed from the law of its
// loadings given x_O, which is cheaper (see factorLoadings).
//
// If r is small or there are very many columns, the law is the law of Z_M A + E with the
// loadings A | x_O, by a span of the observed rows, and nothing cancels.
//
// The zero value is ready for Reset. A Cells belongs to one goroutine. It does not allocate
// once it has held the largest problem, except a span.
type Cells struct {
	data   *Data
	noise  float64 // SigmaX in units of the data
	r      float64
	k      int
	work   work
	p      []float64 // P, k x k
	whole  float64   // log det (Z'Z + rI)/2, the ridge except for an intercept
	fitted []float64 // ZP, n x k, once fits
	fits   bool
	spans  bool
	z      *feature.Allocation
	values []float64 // weights of the ones of Z; nil: 1
	masked []uint64  // Z without the unknown items
	kept   []float64 // their weights
	span   span
	sub    Data // the observed cells of the columns of a pattern, with zeros

	// Of one pattern with m items.
	pattern *pattern
	loads   bool      // the law is the law of Z_M A + E: see factorLoadings for factor and root
	factor  []float64 // H_MM, then its lower factor L; or the lower factor of the inverse
	root    []float64 // R with R R' = (H_MM)^{-1}, m x m
	white   []float64 // the inverse of R
	logDet  float64   // log det R
	mean    []float64 // of one column, m long
	sum     []float64 // Z'x, of one column
	fit     []float64 // the loadings
	image   []float64 // see loadingsGiven
	spread  []float64 // see variances
	left    []float64 // see leverages
	normal  []float64
}

// Reset takes the values of the data, Z and the scales, and reports false if Data.Check
// returns an error. The observed cells of the data count, not the values of unknown ones.
func (c *Cells) Reset(data *Data, z *feature.Allocation, scales Scales) bool {
	return c.ResetWeighted(data, z, nil, scales)
}

// ResetWeighted is Reset for weighted features. The weights are as in draws.Draw, with those of
// any ones: see WithOnesWeighted.
func (c *Cells) ResetWeighted(data *Data, z *feature.Allocation, weights []float64, scales Scales) bool {
	mustFit(data, z, weights)
	return data.Check(scales) == nil && c.reset(data, z, weights, scales)
}

// reset is ResetWeighted without the check.
func (c *Cells) reset(data *Data, z *feature.Allocation, weights []float64, scales Scales) bool {
	c.data, c.z, c.values, c.k = data, z, weights, z.K()
	c.noise, c.r = data.noise(scales), ratio(scales)
	c.work.setZ(z, weights, -1)
	if c.spans = c.r < minRatio || crowded(data.n, c.k); c.spans {
		return true
	}
	k := c.k
	c.p, c.fits = vector.Extend(c.p, k*k), false
	logDet, ok := c.work.invertGram(c.p, k, k, data.ones, c.r)
	if c.whole = logDet / 2; data.ones > 0 {
		c.whole += math.Log(float64(data.n)) / 2
	}
	return ok
}

// Draw draws the unknown cells of own, which must be the data of Reset or an Own copy of
// them.
func (c *Cells) Draw(rng *rand.Rand, own *Data) {
	u := own.unknown
	c.each(func(j int) {
		if c.loads {
			c.drawLoadings(rng, j)
		} else {
			m := len(c.pattern.items)
			c.normal = vector.Extend(c.normal, m)
			for b := range c.normal {
				c.normal[b] = c.noise * u.noise(j) * rng.NormFloat64()
			}
			vector.AddRows(c.mean, m, c.normal, 1, c.root, m)
		}
		c.put(u, j)
	})
	own.rotate()
}

// put sets the unknown cells of variable j to c.mean.
func (c *Cells) put(u *unknown, j int) {
	for a, i := range c.pattern.items {
		u.x[i*u.d+j] = c.mean[a]
	}
}

// Fill sets the unknown cells of own to their means, as Draw draws them.
func (c *Cells) Fill(own *Data) {
	c.fill(own.unknown)
	own.rotate()
}

func (c *Cells) fill(u *unknown) {
	c.each(func(j int) { c.put(u, j) })
}

// variances calls visit for each variable with unknown cells. It passes the variances of its
// loadings given the observed cells, after that of any intercept, in units of SigmaX^2, which
// are the diagonal of
//
//	P_O = (Z_O'Z_O + rI)^{-1} = P + P Z_M' (H_MM)^{-1} Z_M P
func (c *Cells) variances(visit func(j int, variances []float64)) {
	k, last := c.k, (*pattern)(nil)
	c.each(func(j int) {
		m := len(c.pattern.items)
		if c.pattern != last {
			last, c.spread = c.pattern, vector.Extend(c.spread, k)
			c.normal = vector.Extend(c.normal, m)
			for f := range k {
				switch {
				case c.spans && f < c.data.ones:
					c.spread[f] = c.span.interceptVariance(c.r)
					continue
				case c.spans:
					c.spread[f] = c.span.null(f)/c.r + c.span.within(f, c.r)
					continue
				case c.loads:
					row := c.root[f*k : (f+1)*k]
					c.spread[f] = vector.Dot(row, row)
					continue
				}
				c.spread[f] = c.p[f*k+f]
				for a, i := range c.pattern.items {
					c.normal[a] = c.fitted[i*k+f]
				}
				for b := range m {
					v := vector.Dot(c.root[b*m:b*m+m], c.normal)
					c.spread[f] += v * v
				}
			}
		}
		visit(j, c.spread)
	})
}

// addCovariances adds P_O, as for variances, of each variable with unknown cells to sum, k x k: entries
// below the diagonal, and those of any intercept only if there is no span.
func (c *Cells) addCovariances(sum []float64) {
	k, ones := c.k, c.data.ones
	c.each(func(j int) {
		m := len(c.pattern.items)
		if c.pattern.variables[0] != j {
			return // counted with the first variable of the pattern
		}
		count := float64(len(c.pattern.variables))
		switch {
		case c.spans:
			c.spread = vector.Extend(c.spread, k)
			for a := range k {
				c.spread[a] = c.span.null(a)
			}
			for a := ones; a < k; a++ {
				for b := ones; b <= a; b++ {
					sum[a*k+b] += count * c.span.ridged(a, b, c.spread[a], c.spread[b], c.r) / c.r
				}
			}
		case c.loads:
			for a := range k {
				for b := range a + 1 {
					sum[a*k+b] += count * vector.Dot(c.root[a*k:(a+1)*k], c.root[b*k:])
				}
			}
		default: // P and the products of Y = root Z_M P
			vector.Axpy(sum, count, c.p)
			c.spread = vector.Extend(c.spread, m*k)
			clear(c.spread)
			for b := range m {
				y := c.spread[b*k : (b+1)*k]
				for x, i := range c.pattern.items {
					vector.Axpy(y, c.root[b*m+x], c.fitted[i*k:])
				}
				for a := range k {
					vector.Axpy(sum[a*k:a*k+a+1], count*y[a], y)
				}
			}
		}
	})
}

// leverages calls visit for each variable with unknown cells. It passes 1 - z_i P_O z_i' by
// item, the diagonal of H_OO - H_OM (H_MM)^{-1} H_MO, NaN for unknown cells.
func (c *Cells) leverages(visit func(j int, left []float64)) {
	last := (*pattern)(nil)
	c.each(func(j int) {
		if c.pattern != last {
			last, c.left = c.pattern, vector.Extend(c.left, c.data.n)
			c.normal = vector.Extend(c.normal, len(c.pattern.items))
			for i := range c.left {
				c.left[i] = c.oneMinusLeverage(i)
			}
			for _, i := range c.pattern.items {
				c.left[i] = math.NaN()
			}
		}
		visit(j, c.left)
	})
}

// oneMinusLeverage returns 1 - z_i P_O z_i' of an observed item of the pattern.
func (c *Cells) oneMinusLeverage(i int) float64 {
	switch {
	case c.spans:
		return c.span.oneMinusLeverage(i, c.r)
	case c.loads:
		return 1 - c.leverage(i)
	}
	left, k, m := 1.0, c.k, len(c.pattern.items)
	for _, f := range c.work.features[i] {
		left -= f.weight * c.fitted[i*k+f.at]
	}
	for a, j := range c.pattern.items {
		c.normal[a] = 0
		for _, f := range c.work.features[i] {
			c.normal[a] += f.weight * c.fitted[j*k+f.at]
		}
	}
	for b := range m { // root is lower triangular
		v := vector.Dot(c.root[b*m:b*m+b+1], c.normal)
		left -= v * v
	}
	return left
}

// LogDensity returns the log density of the values of the unknown cells of own, as for
// Draw. With an intercept it is the ratio of the densities of orthonormal contrasts of all and
// of the observed cells of each column, which differs by sqrt(n/observed) for each.
func (c *Cells) LogDensity(own *Data) float64 {
	u, sum := own.unknown, 0.0
	c.each(func(j int) {
		m, noise := len(c.pattern.items), c.noise*u.noise(j)
		unit := math.Log(noise) + float64(u.unit)*math.Ln2
		for a, i := range c.pattern.items {
			c.mean[a] = u.x[i*u.d+j] - c.mean[a]
		}
		square := 0.0
		if c.loads {
			square = c.squareLoadings()
		} else {
			c.normal = vector.Extend(c.normal, m)
			clear(c.normal)
			vector.AddRows(c.normal, m, c.mean, 1, c.white, m)
			square = vector.Dot(c.normal, c.normal)
		}
		sum -= float64(m)*(math.Log(2*math.Pi)/2+unit) + c.logDet + square/(2*noise*noise)
		if c.data.ones > 0 {
			sum -= math.Log1p(-float64(m)/float64(c.data.n)) / 2
		}
	})
	return sum
}

// Moments calls visit for each unknown cell with its row, column, mean and standard
// deviation, in no particular order.
func (c *Cells) Moments(visit func(i, j int, mean, sd float64)) {
	unit := c.data.unknown.unit
	c.each(func(j int) {
		m := len(c.pattern.items)
		for a, i := range c.pattern.items {
			square := 0.0
			if c.loads {
				square = c.varianceLoadings(i)
			} else {
				for b := range m {
					v := c.root[b*m+a]
					square += v * v
				}
			}
			visit(i, j, math.Ldexp(c.mean[a], unit), math.Ldexp(c.noise*c.data.unknown.noise(j)*math.Sqrt(square), unit))
		}
	})
}

// each calls visit for each variable with missing cells, with their means in c.mean and the
// factors of its pattern. Root and white are stored transposed.
func (c *Cells) each(visit func(j int)) {
	for p := range c.data.unknown.patterns {
		c.pattern = &c.data.unknown.patterns[p]
		m := len(c.pattern.items)
		c.mean, c.loads = vector.Extend(c.mean, m), !c.spans && m > c.k
		c.decompose()
		for v, j := range c.pattern.variables {
			c.predict(v, j)
			visit(j)
		}
	}
}

// decompose factors the pattern.
func (c *Cells) decompose() {
	if c.loads {
		c.factorLoadings()
		return
	}
	size := len(c.pattern.items) * len(c.pattern.items)
	c.factor, c.root, c.white = vector.Extend(c.factor, size), vector.Extend(c.root, size), vector.Extend(c.white, size)
	if c.spans {
		c.solveSpan()
	} else {
		c.solve()
	}
}

// solve factors H_MM = L L'. Then R = L'^{-1}.
func (c *Cells) solve() {
	m, k := len(c.pattern.items), c.k
	if !c.fits {
		c.fits, c.fitted = true, vector.Extend(c.fitted, c.data.n*k)
		c.work.times(c.fitted, c.p, k)
	}
	for a, i := range c.pattern.items {
		fitted := c.fitted[i*k : (i+1)*k]
		for b, j := range c.pattern.items[:a+1] {
			sum := 0.0
			for _, f := range c.work.features[j] {
				sum -= f.weight * fitted[f.at]
			}
			if a == b {
				sum++
			}
			c.factor[a*m+b] = sum
		}
	}
	c.logDet = -cholesky(c.factor, m, 0)
	// Transposed, R is L^{-1} and its inverse is L.
	invert(c.root, c.factor, m)
	copy(c.white, c.factor)
}

// solveSpan factors I + Z_M P_O Z_M' = T T'. Then R = T.
func (c *Cells) solveSpan() {
	m := len(c.pattern.items)
	c.sub = c.data.part(c.pattern.variables)
	for _, i := range c.pattern.items {
		clear(c.sub.rows[i])
	}
	c.mask()
	s := &c.span
	s.set(&c.sub, c.masked, c.kept, c.k, -1)
	s.solve(c.r)
	// P_O = (I - VV')/r + V diag(1/(lambda + r)) V', and W = Z_M V. With an intercept the
	// mean of the observed rows is taken from Z_M, and the intercept adds 1/|O|.
	w := make([]float64, m*s.rank)
	outside := make([]float64, m)
	for a, i := range c.pattern.items {
		row := w[a*s.rank : (a+1)*s.rank]
		for _, f := range c.work.features[i] {
			vector.Axpy(row, f.weight, s.v[f.at*s.rank:])
		}
		if s.data.ones > 0 {
			vector.Axpy(row, -1, s.means)
		}
		size := c.product(i, i)
		outside[a] = s.clean(size-vector.Dot(row, row), size)
	}
	for a, i := range c.pattern.items {
		for b, j := range c.pattern.items[:a+1] {
			sum, wa, wb := 0.0, w[a*s.rank:(a+1)*s.rank], w[b*s.rank:(b+1)*s.rank]
			for l, lambda := range s.lambda {
				sum += wa[l] * wb[l] / (lambda + c.r)
			}
			switch {
			case a == b:
				sum += 1 + outside[a]/c.r
			case outside[a] > 0 && outside[b] > 0: // 0 where a row is within the span
				sum += (c.product(i, j) - vector.Dot(wa, wb)) / c.r
			}
			if s.data.ones > 0 {
				sum += 1 / float64(len(s.used))
			}
			c.factor[a*m+b] = sum
		}
	}
	c.logDet = cholesky(c.factor, m, 1) // T T' - I is positive semidefinite
	invert(c.white, c.factor, m)
	copy(c.root, c.factor)
	transpose(c.root, m)
	transpose(c.white, m)
}

// mask puts Z without the unknown items of the pattern into masked.
func (c *Cells) mask() {
	words, next := c.z.Words(), 0
	c.masked = c.z.AppendColumns(c.masked[:0])
	if c.values == nil {
		c.kept = nil
	} else {
		c.kept = vector.Extend(c.kept, len(c.values))[:0]
	}
	for k := range c.k {
		column := c.masked[k*words : (k+1)*words]
		for _, i := range c.pattern.items {
			column[i>>6] &^= 1 << (uint(i) & 63)
		}
		if c.values == nil {
			continue
		}
		for i := range feature.Items(c.z.Column(k)) {
			if feature.Contains(column, i) {
				c.kept = append(c.kept, c.values[next])
			}
			next++
		}
	}
}

// product returns the product of rows i and j of Z, with an intercept less the mean of the
// rows of the span.
func (c *Cells) product(i, j int) float64 {
	sum, mean, n := 0.0, 0.0, float64(len(c.span.used))
	left, right := c.work.features[i], c.work.features[j]
	var x, y float64
	for f := range c.k {
		x, left = take(left, f)
		y, right = take(right, f)
		if f < c.data.ones {
			continue
		}
		if c.data.ones > 0 {
			mean = c.span.sums[f] / n
		}
		sum += (x - mean) * (y - mean)
	}
	return sum
}

// take returns the entry in column f of a row whose entries before f are taken, and the rest.
func take(row []entry, f int) (float64, []entry) {
	if len(row) > 0 && row[0].at == f {
		return row[0].weight, row[1:]
	}
	return 0, row
}

// predict puts the means of the unknown cells of variable j, the pattern's variable v, into
// c.mean.
func (c *Cells) predict(v, j int) {
	m, k := len(c.pattern.items), c.k
	clear(c.mean)
	if c.spans {
		d := len(c.pattern.variables)
		for a, i := range c.pattern.items {
			for _, f := range c.work.features[i] {
				c.mean[a] += f.weight * c.span.b[f.at*d+v]
			}
		}
		return
	}
	shift := c.addObserved(j)
	if c.loads {
		c.loadingsGiven()
		c.meansOfLoadings(shift)
		return
	}
	c.normal = vector.Extend(c.normal, m)
	for a, i := range c.pattern.items {
		c.normal[a] = vector.Dot(c.fitted[i*k:(i+1)*k], c.sum)
	}
	// R R' times this, with R' = root.
	for b := range m {
		vector.Axpy(c.mean, vector.Dot(c.root[b*m:(b+1)*m], c.normal), c.root[b*m:])
	}
	if c.data.ones > 0 {
		for a := range m {
			c.mean[a] += shift
		}
	}
}

// addObserved puts Z_O'x_O of variable j into c.sum and returns the shift of x: with an intercept
// the mean of the observed cells is subtracted, and all follows it.
func (c *Cells) addObserved(j int) (shift float64) {
	u, next, m := c.data.unknown, 0, len(c.pattern.items)
	c.sum = vector.Extend(c.sum, c.k)
	clear(c.sum)
	if c.data.ones > 0 {
		shift = u.means[j]
	}
	for i, columns := range c.work.features {
		if next < m && c.pattern.items[next] == i {
			next++
			continue
		}
		x := u.x[i*u.d+j] - shift
		for _, f := range columns {
			c.sum[f.at] += f.weight * x
		}
	}
	return shift
}

// cholesky replaces the lower triangle of m x m by that of its factor, the rest by zeros,
// and returns the log of the determinant of the factor. Smaller squared pivots are set to minPivot.
func cholesky(a []float64, m int, minPivot float64) (logDet float64) {
	for i := range m {
		row := a[i*m : (i+1)*m]
		for j := range i {
			row[j] = (row[j] - vector.Dot(row[:j], a[j*m:])) / a[j*m+j]
		}
		square := max(row[i]-vector.Dot(row[:i], row), minPivot)
		row[i] = math.Sqrt(square)
		logDet += math.Log(square) / 2
		clear(row[i+1:])
	}
	return logDet
}

// invert puts the inverse of a lower triangular matrix of m x m into out.
func invert(out, a []float64, m int) {
	for i := range m {
		row := out[i*m : (i+1)*m]
		clear(row)
		vector.AddRows(row[:i], i, a[i*m:], 1, out, m)
		inverse := 1 / a[i*m+i]
		for j := range row[:i] {
			row[j] *= -inverse
		}
		row[i] = inverse
	}
}

// transpose transposes a matrix of m x m.
func transpose(a []float64, m int) {
	for i := range m {
		for j := range i {
			a[i*m+j], a[j*m+i] = a[j*m+i], a[i*m+j]
		}
	}
}
