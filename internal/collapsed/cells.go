package collapsed

import (
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/vector"
)

// Cells is the distribution of the unknown cells of data given the observed ones, Z and the scales.
// The columns of X are independent. With M and O the unknown and the observed items of a
// column x, and the k loadings A of the column,
//
//	A | x_O ~ N(S Z_O'x_O, SigmaX^2 S),   S = (Z_O'Z_O + rI)^{-1}
//	x_M | A ~ N(Z_M A, SigmaX^2)
//
// Columns with the same M, a pattern, share the factor of S. Z_O'Z_O is Z'Z less the overlaps of
// unknown items, which are whole numbers unless features are weighted. With an intercept Z stands for
// [1 Z], and S has no ridge for the ones.
//
// The zero value is ready for Reset. A Cells belongs to one goroutine. It does not allocate
// once it has held the largest problem.
type Cells struct {
	data   *Data
	scales Scales
	noise  float64 // SigmaX in units of the data
	k      int
	work   work

	// Of one pattern with m items.
	pattern *pattern
	factor  []float64 // L with S^{-1} = L L', k x k
	root    []float64 // the inverse of L
	logDet  float64   // log det L, of the contrasts with an intercept
	image   []float64 // L' times the loadings of one column
	fit     []float64 // the loadings
	mean    []float64 // of the unknown cells of one column, m long
	square  []float64 // of the distribution of the unknown cells, m x m
	out     []float64 // what visit gets
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
	if data.Check(scales) != nil {
		return false
	}
	c.reset(data, z, weights, scales)
	return true
}

// reset is ResetWeighted without the check.
func (c *Cells) reset(data *Data, z *feature.Allocation, weights []float64, scales Scales) {
	c.data, c.scales, c.noise, c.k = data, scales, data.noise(scales), z.K()
	c.work.setZ(z, weights, -1)
}

// Draw draws the unknown cells of current, which must be the data of Reset or an Own copy of
// them.
func (c *Cells) Draw(rng *rand.Rand, current *Data) {
	u := current.unknown
	c.each(func(j int) {
		if noise := c.noise * u.noise(j); len(c.pattern.items) > c.k {
			c.drawLoadings(rng, noise, c.shift(j))
		} else {
			c.drawCells(rng, noise)
		}
		c.put(u, j)
	})
	current.rotate()
}

// drawLoadings draws the loadings of a column, then its unknown cells into c.mean.
func (c *Cells) drawLoadings(rng *rand.Rand, noise, shift float64) {
	for f := range c.image {
		c.image[f] += noise * rng.NormFloat64()
	}
	c.means(shift)
	for a := range c.mean {
		c.mean[a] += noise * rng.NormFloat64()
	}
}

// drawCells draws the unknown cells of a column into c.mean, in O(m^3): their covariance is
// SigmaX^2 (I + Z_M S Z_M'), here in the reverse order of the items.
func (c *Cells) drawCells(rng *rand.Rand, noise float64) {
	m, k := len(c.pattern.items), c.k
	c.square, c.out = vector.Extend(c.square, m*m), vector.Extend(c.out, m*k)
	for a, i := range c.pattern.items {
		c.lift(c.out[a*k:(a+1)*k], i)
	}
	for a := range m {
		for b := range a + 1 {
			c.square[a*m+b] = vector.Dot(c.out[(m-1-a)*k:(m-a)*k], c.out[(m-1-b)*k:])
		}
		c.square[a*m+a]++
	}
	vector.Cholesky(c.square, m, m)
	for b := range m {
		e := noise * rng.NormFloat64()
		for a := range b + 1 {
			c.mean[a] += c.square[(m-1-a)*m+m-1-b] * e
		}
	}
}

// put sets the unknown cells of variable j to c.mean.
func (c *Cells) put(u *unknown, j int) {
	for a, i := range c.pattern.items {
		u.x[i*u.d+j] = c.mean[a]
	}
}

// Fill sets the unknown cells of current to their means, as Draw draws them.
func (c *Cells) Fill(current *Data) {
	c.fill(current.unknown)
	current.rotate()
}

func (c *Cells) fill(u *unknown) {
	c.each(func(j int) { c.put(u, j) })
}

// variances calls visit for each variable with unknown cells. It passes the variances of its
// loadings given the observed cells, after that of any intercept, in units of SigmaX^2: the diagonal
// of S.
func (c *Cells) variances(visit func(j int, variances []float64)) {
	k := c.k
	c.each(func(j int) {
		if c.first(j) {
			c.out = vector.Extend(c.out, k)
			clear(c.out)
			for a := range k {
				for f, v := range c.root[a*k : a*k+a+1] {
					c.out[f] += v * v
				}
			}
		}
		visit(j, c.out)
	})
}

// addCovariances adds S of each variable with unknown cells to sum, k x k: entries on and below the
// diagonal.
func (c *Cells) addCovariances(sum []float64) {
	k := c.k
	c.each(func(j int) {
		if !c.first(j) {
			return
		}
		count := float64(len(c.pattern.variables))
		for f := range k {
			row := c.root[f*k : f*k+f+1]
			for a, v := range row {
				vector.Axpy(sum[a*k:a*k+a+1], count*v, row)
			}
		}
	})
}

// leverages calls visit for each variable with unknown cells. It passes 1 - z_i S z_i' by item, NaN
// for unknown cells.
func (c *Cells) leverages(visit func(j int, complements []float64)) {
	c.each(func(j int) {
		if c.first(j) {
			c.out = vector.Extend(c.out, c.data.n)
			for i := range c.out {
				c.out[i] = 1 - c.leverage(i)
			}
			for _, i := range c.pattern.items {
				c.out[i] = math.NaN()
			}
		}
		visit(j, c.out)
	})
}

// first reports whether variable j is the first one of its pattern.
func (c *Cells) first(j int) bool { return c.pattern.variables[0] == j }

// lift puts the inverse of L times z_i' into out.
func (c *Cells) lift(out []float64, i int) {
	for a := range out {
		row := c.root[a*c.k:]
		out[a] = 0
		for _, f := range c.work.features[i] {
			out[a] += f.weight * row[f.index]
		}
	}
}

// leverage returns z_i S z_i'.
func (c *Cells) leverage(i int) float64 {
	c.fit = vector.Extend(c.fit, c.k)
	c.lift(c.fit, i)
	return vector.Dot(c.fit, c.fit)
}

// logLik returns the log likelihood of the observed cells.
func (c *Cells) logLik() (sum float64) {
	u, k := c.data.unknown, float64(c.k-c.data.ones)
	column := func(j int) {
		noise := c.noise * u.noise(j)
		ridged := c.fit[c.data.ones:]
		penalized := ratio(c.scales) * vector.Dot(ridged, ridged)
		c.observed(func(i int) {
			e := u.x[i*u.d+j] - c.shift(j) - c.fitted(i)
			penalized += e * e
		})
		rows := float64(c.data.n - c.data.ones - len(c.pattern.items))
		sum -= rows*(math.Log(2*math.Pi)/2+math.Log(c.scales.SigmaX*u.noise(j))) + c.logDet + penalized/(2*noise*noise)
		sum += k * math.Log(ratio(c.scales)) / 2
	}
	c.each(column)
	c.eachOf(&pattern{variables: u.complete}, column)
	return sum
}

// Moments calls visit for each unknown cell with its row, column, mean and standard
// deviation, in no particular order.
func (c *Cells) Moments(visit func(i, j int, mean, sd float64)) {
	u := c.data.unknown
	c.each(func(j int) {
		for a, i := range c.pattern.items {
			sd := c.noise * u.noise(j) * math.Sqrt(1+c.leverage(i))
			visit(i, j, math.Ldexp(c.mean[a], u.unit), math.Ldexp(sd, u.unit))
		}
	})
}

// each calls visit for each variable with missing cells, with their means in c.mean, its loadings in c.fit and the
// factors of its pattern.
func (c *Cells) each(visit func(j int)) {
	for p := range c.data.unknown.patterns {
		c.eachOf(&c.data.unknown.patterns[p], visit)
	}
}

// eachOf is each for the variables of a pattern.
func (c *Cells) eachOf(p *pattern, visit func(j int)) {
	c.pattern, c.mean = p, vector.Extend(c.mean, len(p.items))
	c.decompose()
	for _, j := range p.variables {
		c.predict(j)
		visit(j)
	}
}

// decompose factors S^{-1} = L L' of the pattern.
func (c *Cells) decompose() {
	k, ones := c.k, c.data.ones
	c.factor, c.root = vector.Extend(c.factor, k*k), vector.Extend(c.root, k*k)
	copy(c.factor, c.work.overlap)
	for _, i := range c.pattern.items {
		columns := c.work.features[i]
		for x, f := range columns { // they ascend
			for _, g := range columns[:x+1] {
				c.factor[f.index*k+g.index] -= f.weight * g.weight
			}
		}
	}
	for f := ones; f < k; f++ {
		c.factor[f*k+f] += ratio(c.scales)
	}
	c.logDet = vector.Cholesky(c.factor, k, k)
	if ones > 0 {
		c.logDet -= math.Log(c.factor[0])
	}
	invert(c.root, c.factor, k, k)
}

// predict puts the means of the loadings of variable j into c.fit, and those of its unknown cells into
// c.mean.
func (c *Cells) predict(j int) {
	u, k, shift := c.data.unknown, c.k, c.shift(j)
	c.fit, c.image = vector.Extend(c.fit, k), vector.Extend(c.image, k)
	clear(c.fit)
	c.observed(func(i int) {
		x := u.x[i*u.d+j] - shift
		for _, f := range c.work.features[i] {
			c.fit[f.index] += f.weight * x
		}
	})
	for a := range c.image {
		c.image[a] = vector.Dot(c.root[a*k:a*k+a+1], c.fit)
	}
	c.means(shift)
}

// means puts the loadings with the image c.image into c.fit, and the means of the unknown cells given
// them into c.mean.
func (c *Cells) means(shift float64) {
	clear(c.fit)
	vector.AddRows(c.fit, c.k, c.image, 1, c.root, c.k)
	for a, i := range c.pattern.items {
		c.mean[a] = shift + c.fitted(i)
	}
}

// fitted returns z_i A.
func (c *Cells) fitted(i int) (sum float64) {
	for _, f := range c.work.features[i] {
		sum += f.weight * c.fit[f.index]
	}
	return sum
}

// observed calls visit for each item that the pattern leaves observed.
func (c *Cells) observed(visit func(i int)) {
	next := 0
	for i := range c.data.n {
		if next < len(c.pattern.items) && c.pattern.items[next] == i {
			next++
		} else {
			visit(i)
		}
	}
}

// shift returns what is subtracted from variable j: with an intercept the mean of the observed
// cells, which all follows.
func (c *Cells) shift(j int) float64 {
	if c.data.ones > 0 {
		return c.data.unknown.means[j]
	}
	return 0
}

// invert puts the inverse of a lower triangular matrix, k x k with leading dimension ld, into out, k x k.
func invert(out, a []float64, k, ld int) {
	for i := range k {
		row := out[i*k : (i+1)*k]
		clear(row)
		for begin := 0; begin < i; begin += strip {
			// It is 0 above the diagonal: rows from the strip's first column on.
			end := min(begin+strip, i)
			vector.SubRows(row[begin:end], i-begin, a[i*ld+begin:], 1, out[begin*k+begin:], k)
		}
		row[i] = 1
		inverse := 1 / a[i*ld+i]
		for j := range row[:i+1] {
			row[j] *= inverse
		}
	}
}

// strip is the number of columns of a triangular matrix taken together.
const strip = 32
