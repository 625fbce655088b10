package collapsed

import (
	"math"

	"aibd/feature"
	"aibd/internal/vector"
)

// Cache is the state of the collapsed likelihood at one allocation, kept current
// through changes of rows. With P = (Z'Z + rI)^{-1} and B = P Z'X, the posterior
// mean of the loadings, it holds P, B and G = B B'.
//
// With an intercept Z stands for [1 Z] here, and the ridge rI for diag(0, r, ..., r), which
// is the limit of a flat prior of the intercept. The determinant of Z'Z + rI is then N times
// that of the contrasts of Z.
//
// A row is changed in three steps: Open takes the row out, LogFlip and Flip compute
// and make changes of its entries one at a time, Close puts it back. Columns whose only
// member is the row, its singletons, are only counted in between (SetSingletons).
//
// A Cache belongs to one chain and is not safe for concurrent use. It does not
// allocate once it has held the largest number of columns.
type Cache struct {
	data   *Data
	scales Scales
	r      float64
	noise  float64 // SigmaX in units of the data, NaN if nothing can be computed
	weight float64 // 1/(2 noise^2)
	k      int
	ld     int       // room for columns, the leading dimension of p, g and b
	p      []float64 // P, the lower triangle of k x k in ld x ld; the rest is scratch
	g      []float64 // G, likewise
	b      []float64 // B', rank x ld: b[c*ld+k] is B_kc
	logLik float64
	row    row
	work   work
}

// NewCache returns the state at z, which it copies. LogLik is NaN if Refresh would return
// false.
func NewCache(data *Data, z *feature.Allocation, scales Scales) *Cache {
	c := new(Cache)
	c.Reset(data, z, scales)
	return c
}

// Reset is NewCache in the memory of c. No row may be open.
func (c *Cache) Reset(data *Data, z *feature.Allocation, scales Scales) {
	if c.data != nil && (data.n != c.data.n || data.rank != c.data.rank) {
		*c = Cache{}
	}
	c.data = data
	c.Refresh(z, scales)
}

// Scales returns the current standard deviations.
func (c *Cache) Scales() Scales { return c.scales }

// LogLik returns log p(X | Z, scales) at the allocation after the last Close.
func (c *Cache) LogLik() float64 { return c.logLik }

// reserve makes room for k columns, keeping what is there.
func (c *Cache) reserve(k int) {
	if k <= c.ld {
		return
	}
	ld := (k + k/2 + 7) &^ 7
	p, g, b := make([]float64, ld*ld), make([]float64, ld*ld), make([]float64, c.data.rank*ld)
	for a := range c.k {
		copy(p[a*ld:], c.p[a*c.ld:a*c.ld+c.k])
		copy(g[a*ld:], c.g[a*c.ld:a*c.ld+c.k])
	}
	for a := range c.data.rank {
		copy(b[a*ld:], c.b[a*c.ld:a*c.ld+c.k])
	}
	c.p, c.g, c.b, c.ld = p, g, b, ld
	c.row.reserve(ld)
}

// Refresh computes everything from z and scales. If Data.Check returns an error, it
// returns false, and LogLik and every other result is NaN. It panics if z has another
// number of items than the data.
func (c *Cache) Refresh(z *feature.Allocation, scales Scales) bool {
	mustFit(c.data, z, nil)
	c.scales, c.r, c.noise = scales, ratio(scales), c.data.noise(scales)
	if c.data.Check(scales) != nil {
		c.noise = math.NaN()
	}
	c.weight = 1 / (2 * c.noise * c.noise)
	return c.refresh(z, -1) && !math.IsNaN(c.noise)
}

// refresh computes P, B, G and the log likelihood from z without the row skip
// (-1 for none; then the log likelihood is left alone).
func (c *Cache) refresh(z *feature.Allocation, skip int) bool {
	c.k = 0 // reserve keeps nothing
	c.reserve(z.K())
	c.k = z.K()
	k, ld, rank := c.k, c.ld, c.data.rank
	w := &c.work
	w.setZ(z, nil, skip)
	logDet, ok := w.invertGram(c.p, k, ld, c.data.ones, c.r)
	if !ok {
		// Every result is NaN.
		c.logLik = math.NaN()
		for a := range k {
			c.p[a*ld+a] = math.NaN()
		}
		return false
	}
	// Of B = P Z'X, B' is kept, then G = B B'.
	w.regress(c.data, c.p, k, ld)
	for f := range rank {
		for a := range k {
			c.b[f*ld+a] = w.loadings[a*rank+f]
		}
	}
	for a := range k {
		out := c.g[a*ld : a*ld+a+1]
		clear(out)
		if rank > 0 {
			vector.AddRows(out, rank, c.b[a:], ld, c.b, ld)
		}
	}
	if skip < 0 {
		c.logLik = c.data.constant(k-c.data.ones, c.scales) - c.data.half*logDet - w.penalized(c.data, c.r)/(2*c.noise*c.noise)
	}
	return true
}

// addRow adds a factor times row a of a symmetric k x k matrix, given by its lower triangle
// with leading dimension ld, to out, which is k long.
func addRow(out []float64, factor float64, m []float64, a, ld int) {
	vector.Axpy(out[:a+1], factor, m[a*ld:])
	for b := a + 1; b < len(out); b++ {
		out[b] += factor * m[b*ld+a]
	}
}
