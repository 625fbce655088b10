package lglfm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
)

// randomZ returns an allocation of about k columns.
func randomZ(rng *rand.Rand, n, k int, density float64) *feature.Allocation {
	z := feature.New(n)
	for range k {
		a := z.Append()
		for i := range n {
			if rng.Float64() < density {
				z.Flip(i, a)
			}
		}
		if z.Size(a) == 0 {
			z.Flip(rng.IntN(n), a)
		}
	}
	return z
}

func randomX(rng *rand.Rand, n, d int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, d)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64()
		}
	}
	return x
}

// walk makes random moves of rows: flips, singletons more or fewer, nothing.
func walk(t *testing.T, rng *rand.Rand, c *Cache, z *feature.Allocation, moves int, check func(what string)) {
	for range moves {
		i := rng.IntN(z.N())
		c.Open(z, i)
		for range rng.IntN(4) {
			if z.K() == 0 {
				break
			}
			k := rng.IntN(z.K())
			if !c.Shared(k) {
				continue
			}
			before := c.row
			_ = before
			c.LogFlip(k)
			c.Flip(k)
		}
		if rng.IntN(2) == 0 {
			c.SetSingletons(rng.IntN(3))
		}
		c.Close()
		check(fmt.Sprintf("row %d", i))
	}
}

func TestCacheAgainstFresh(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, tc := range []struct {
		n, d, k int
		sx, sa  float64
	}{{8, 3, 5, .5, 1}, {6, 20, 9, 1, .7}, {12, 6, 10, .01, 1}, {70, 5, 20, .3, 1}, {5, 0, 3, 1, 1}, {20, 30, 30, 0.01, 1}} {
		x := randomX(rng, tc.n, tc.d)
		data, err := NewData(x)
		if err != nil {
			t.Fatal(err)
		}
		sc := Scales{tc.sx, tc.sa}
		z := randomZ(rng, tc.n, tc.k, .3)
		c := NewCache(data, z, sc)
		var sp Spectrum
		worst := 0.0
		walk(t, rng, c, z, 1000, func(what string) {
			want := LogLik(data, z, sc)
			rel := math.Abs(c.LogLik()-want) / math.Max(1, math.Abs(want))
			worst = math.Max(worst, rel)
			sp.Reset(data, z)
			if got := sp.LogLik(sc); math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
				t.Fatalf("spectrum %v, want %v", got, want)
			}
		})
		t.Logf("%+v worst %g K %d", tc, worst, z.K())
		if worst > 1e-9 {
			t.Errorf("%+v: worst relative error %g", tc, worst)
		}
	}
}
