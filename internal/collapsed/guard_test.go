package collapsed

// The drift guard of Close: a P that is wrong by 1e-6 is noticed and everything
// computed afresh. Without the guard the same move leaves an error that the
// comparison with a fresh state sees.
//
// The guard compares z'Pz with s/(1+s). In a row whose columns are all shared the
// two are equal whatever symmetric matrix P is, except rounding, so that only
// rows that have a column of their own beside shared ones betray an old error.

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/internal/vector"

	"aibd/feature"
)

// corrupt makes every entry of P wrong by 1e-6, relatively.
func corrupt(c *Cache) {
	for a := range c.k {
		for b := range a + 1 {
			c.p[a*c.ld+b] *= 1 + 1e-6
		}
	}
}

// commit is Close without the guard, for an open row of which only entries in
// shared columns changed.
func commit(c *Cache) {
	w := &c.row
	w.open = false
	w.eps = vector.Extend(w.eps, c.data.rank)
	for f, x := range c.data.rows[w.i] {
		for _, a := range w.old {
			x -= c.b[f*c.ld+a]
		}
		w.eps[f] = x / w.d
	}
	for a := range c.k {
		if c.Shared(a) && w.on[a] != w.z.Has(w.i, a) {
			w.z.Flip(w.i, a)
		}
	}
	c.exchange()
}

// wrong returns the larger of the relative errors of the log likelihood and of P.
func wrong(c *Cache, z *feature.Allocation) float64 {
	fresh := NewCache(c.data, z, c.scales)
	worst := math.Abs(c.logLik-fresh.logLik) / math.Abs(fresh.logLik)
	for a := range c.k {
		for b := range a + 1 {
			got, want := c.p[a*c.ld+b], fresh.p[a*fresh.ld+b]
			worst = max(worst, math.Abs(got-want)/fresh.p[a*fresh.ld+a])
		}
	}
	return worst
}

func TestGuardRestoresAgreement(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	const n = 12
	data, scales := mustData(t, randomX(rng, n, 6)), Scales{0.5, 1}
	for i := range n {
		z := randomZ(rng, n, 8, 0.3)
		if !z.Has(i, 0) {
			z.Flip(i, 0)
		}
		z.Flip(i, z.Append())
		for _, tc := range []struct {
			name    string
			corrupt bool
			close   func(*Cache)
			right   bool
		}{
			{"with the guard", true, func(c *Cache) { c.Close() }, true},
			{"without the guard", true, commit, false},
			{"without the guard and without the error", false, commit, true},
		} {
			z := z.Clone()
			c := NewCache(data, z, scales)
			if tc.corrupt {
				corrupt(c)
			}
			c.Open(z, i)
			flips := 0
			for k := range z.K() {
				if c.Shared(k) && flips < 3 {
					c.Flip(k)
					flips++
				}
			}
			tc.close(c)
			if e := wrong(c, z); (e <= 1e-9) != tc.right {
				t.Errorf("row %d, %s: relative error %.2g", i, tc.name, e)
			}
		}
	}
}

// A P that cannot be one, since z'Mz is negative, is replaced when the row is opened.
func TestImpossibleRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	const n, k = 10, 6
	data, scales := mustData(t, randomX(rng, n, 4)), Scales{0.5, 1}
	for i := range n {
		z := randomZ(rng, n, k, 0.5)
		if !z.Has(i, 0) {
			z.Flip(i, 0)
		}
		c := NewCache(data, z, scales)
		for index := range c.p {
			c.p[index] *= -1
		}
		before := c.LogLik()
		c.Open(z, i)
		change := c.LogFlip(0)
		c.Flip(0)
		c.Close()
		want := LogLik(data, z, scales)
		mustNear(t, "flip", before+change, want, 1e-9)
		mustNear(t, "log likelihood", c.LogLik(), want, 1e-9)
		if e := wrong(c, z); e > 1e-9 {
			t.Errorf("row %d: relative error %.2g", i, e)
		}
	}
}

// A row of weight 1 - z'Pz below minDivisor is taken out by computing everything
// without it.
func TestHeavyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	const n, k = 10, 6
	data, scales := mustData(t, randomX(rng, n, 20)), Scales{5e-3, 1}
	z := randomZ(rng, n, k, 0.3)
	c := NewCache(data, z, scales)
	heavy := 0
	for range 200 {
		move(rng, c, z, 2*k)
		if c.row.fresh {
			heavy++
		}
		mustNear(t, "log likelihood", c.LogLik(), LogLik(data, z, scales), 1e-9)
	}
	if heavy < 20 {
		t.Errorf("only %d of 200 rows were heavy", heavy)
	}
}
