package collapsed

// The cost of a sweep: time, and no memory.

import (
	"math/rand/v2"
	"testing"

	"aibd/feature"
)

// sweep weighs the flip of every entry in a shared column, row by row, makes one in
// 16 of them and gives the row a singleton more. Then it takes both back, so that
// the allocation is the same in the end, columns in the same order. It opens 2N
// rows.
func sweep(c *Cache, z *feature.Allocation) {
	for i := range z.N() {
		c.Open(z, i)
		for k := range z.K() {
			if c.Shared(k) {
				c.LogFlip(k)
				if (i+k)%16 == 0 {
					c.Flip(k)
				}
			}
		}
		singletons := c.Singletons()
		c.SetSingletons(singletons + 1)
		edit := c.Close()

		c.Open(z, i)
		for _, k := range edit.Flipped {
			c.Flip(k)
		}
		c.SetSingletons(singletons)
		c.Close()
	}
}

// application has the size of the paper's: 62 items, 224 variables, which the
// rotation makes 62, and 74 features of 4.6 items.
func application(t testing.TB) (*Cache, *feature.Allocation) {
	rng := rand.New(rand.NewPCG(8, 2))
	z := randomZ(rng, 62, 74, 4.6/62)
	return NewCache(mustData(t, randomX(rng, 62, 224)), z, Scales{0.52, 0.35}), z
}

func TestSweepDoesNotAllocate(t *testing.T) {
	c, z := application(t)
	before := z.String()
	// AllocsPerRun sweeps once before it counts, and rounds the average down: so one
	// run to count.
	if allocs := testing.AllocsPerRun(1, func() { sweep(c, z) }); allocs != 0 {
		t.Errorf("%v allocations in a sweep", allocs)
	}
	if z.String() != before {
		t.Error("the sweep did not end where it began")
	}
	mustNear(t, "after two sweeps", c.LogLik(), LogLik(c.data, z, c.Scales()), 1e-9)
}

func TestSpectrumDoesNotAllocate(t *testing.T) {
	c, z := application(t)
	var s Spectrum
	proposals := func() {
		s.Reset(c.data, z)
		for _, x := range []float64{0.4, 0.5, 0.6} {
			s.LogLik(Scales{x, 0.35})
		}
	}
	if allocs := testing.AllocsPerRun(1, proposals); allocs != 0 {
		t.Errorf("%v allocations in a Reset and three proposals", allocs)
	}
}

// TestReset: a cache that is reset to other data is one that is made for them, to the last
// bit.
func TestReset(t *testing.T) {
	c, z := application(t)
	half, scales := c.data.Power(0.5), c.Scales()
	c.Reset(half, z, scales)
	want := NewCache(half, z, scales)
	sweep(c, z)
	if sweep(want, z); c.LogLik() != want.LogLik() {
		t.Errorf("log likelihood %v after a sweep, expected %v", c.LogLik(), want.LogLik())
	}

	// Of another size.
	small, y := moveCase(t, rand.New(rand.NewPCG(7, 8)), 9, 3)
	if c.Reset(small, y, moveScales); c.LogLik() != NewCache(small, y, moveScales).LogLik() {
		t.Errorf("log likelihood %v of other data, expected %v", c.LogLik(), NewCache(small, y, moveScales).LogLik())
	}
}

func BenchmarkSweep(b *testing.B) {
	c, z := application(b)
	for b.Loop() {
		sweep(c, z)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*2*z.N()), "ns/row")
	b.ReportMetric(float64(z.K()), "features")
}

func BenchmarkRefresh(b *testing.B) {
	c, z := application(b)
	for b.Loop() {
		c.Refresh(z, c.Scales())
	}
}
