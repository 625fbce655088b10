package collapsed

// What an open row says of changes not yet made, against the difference of two log
// likelihoods computed afresh.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
)

// current returns the allocation z as the open row i of c now has it: the row's
// singletons first taken out, then as many put at the end as are counted.
func current(c *Cache, z *feature.Allocation, i int) *feature.Allocation {
	now := feature.New(z.N())
	for k := range z.K() {
		if c.Shared(k) {
			now.AppendColumn(z.Column(k))
			if c.On(k) != z.Has(i, k) {
				now.Flip(i, now.K()-1)
			}
		}
	}
	for range c.Singletons() {
		now.Flip(i, now.Append())
	}
	return now
}

// rowCases are as cases, with SigmaX/SigmaA = 0.001, at which rows with singletons
// are so heavy that opening one computes everything without it.
var rowCases = []struct {
	n, d, k int
	scales  Scales
}{
	{9, 4, 6, Scales{0.5, 1}},
	{7, 30, 11, Scales{1, 0.6}},
	{70, 5, 12, Scales{0.3, 1}},
	{10, 6, 8, Scales{0.01, 1}},
	{10, 6, 8, Scales{4e-3, 1}},
	{6, 0, 4, Scales{1, 1}},
	{1, 3, 2, Scales{0.5, 1}},
	{4, 3, 0, Scales{0.5, 1}},
}

// forEachRow opens each row of random problems and calls check twice: with the row
// as it was, and after flips and another number of singletons. Putting all back
// must leave no change.
func forEachRow(t *testing.T, seed uint64, check func(t *testing.T, c *Cache, now func() float64)) {
	for _, tc := range rowCases {
		t.Run(fmt.Sprintf("%+v", tc), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 3))
			data := mustData(t, randomX(rng, tc.n, tc.d))
			z := randomZ(rng, tc.n, tc.k, 0.3)
			c := NewCache(data, z, tc.scales)
			for i := range tc.n {
				c.Open(z, i)
				now := func() float64 { return LogLik(data, current(c, z, i), tc.scales) }
				check(t, c, now)
				var flipped []int
				for k := range z.K() {
					if c.Shared(k) && rng.IntN(3) == 0 {
						c.Flip(k)
						flipped = append(flipped, k)
					}
				}
				singletons := c.Singletons()
				c.SetSingletons((singletons + 1 + rng.IntN(2)) % 4)
				check(t, c, now)
				for _, k := range flipped {
					c.Flip(k)
				}
				c.SetSingletons(singletons)
				before := z.String()
				if e := c.Close(); e.Changed() || z.String() != before {
					t.Fatalf("row %d put back as it was: %+v", i, e)
				}
			}
			mustNear(t, "in the end", c.LogLik(), LogLik(data, z, tc.scales), 1e-9)
		})
	}
}

// Every entry in a shared column, on and off, to 1e-9 of the log likelihood.
func TestLogFlip(t *testing.T) {
	forEachRow(t, 1, func(t *testing.T, c *Cache, now func() float64) {
		before := now()
		for k := range c.k {
			if !c.Shared(k) {
				continue
			}
			change := c.LogFlip(k)
			bounds, factors := make([]float64, c.k), make([]float64, c.k)
			factors[k] = 2
			if c.FlipBounds(bounds, factors); math.Log(bounds[k]/2) < change {
				t.Errorf("row %d, column %d: change %v above its bound %v", c.row.i, k, change, math.Log(bounds[k]/2))
			}
			c.Flip(k)
			mustNear(t, fmt.Sprintf("row %d, column %d, on %v", c.row.i, k, c.On(k)), before+change, now(), 1e-9)
			c.Flip(k)
		}
	})
}

// Any number j of singletons: LogPredictive at s + j/r.
func TestPredictive(t *testing.T) {
	forEachRow(t, 2, func(t *testing.T, c *Cache, now func() float64) {
		was := c.Singletons()
		s, e, r := c.Predictive()
		c.SetSingletons(0)
		none := now()
		for j := range 7 {
			c.SetSingletons(j)
			change := c.LogPredictive(s+float64(j)/r, e) - c.LogPredictive(s, e)
			mustNear(t, fmt.Sprintf("row %d, %d singletons", c.row.i, j), none+change, now(), 1e-9)
		}
		c.SetSingletons(was)
	})
}
