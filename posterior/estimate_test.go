package posterior

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"aibd/feature"
	"aibd/internal/lists"
)

// expected is the mean FARO loss, by its definition.
func expected(draws []*feature.Allocation, est *feature.Allocation, a float64) float64 {
	sum := 0.0
	for _, z := range draws {
		sum += FARO(z, est, a)
	}
	return sum / float64(len(draws))
}

// noisy returns draws around a truth, with features dropped and added.
func noisy(rng *rand.Rand, truth *feature.Allocation, draws int, flip float64) []*feature.Allocation {
	var all []*feature.Allocation
	for range draws {
		rows := truth.Rows()
		for i := range rows {
			for k := range rows[i] {
				if rng.Float64() < flip {
					rows[i][k] = 1 - rows[i][k]
				}
			}
			extra := 0
			if rng.IntN(10) == 0 {
				extra = 1
			}
			rows[i] = append(rows[i], extra)
		}
		// In another order of the features.
		perm := rng.Perm(len(rows[0]))
		z := feature.New(truth.N())
		for _, k := range perm {
			a := -1
			for i := range rows {
				if rows[i][k] == 1 {
					if a < 0 {
						a = z.Append()
					}
					z.Flip(i, a)
				}
			}
		}
		all = append(all, z)
	}
	return all
}

// The estimate has the loss that it says, no draw and no single flip has less, and
// the result does not depend on the number of cores.
func TestEstimateZ(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, a := range []float64{1, 0.6, 1.5} {
		truth := randomZ(rng, 9, 4, 0.4)
		draws := noisy(rng, truth, 40, 0.25)
		e, err := EstimateZ(rand.New(rand.NewPCG(1, 1)), draws, EstimateOptions{A: a, Starts: 5})
		if err != nil {
			t.Fatal(err)
		}
		cores := runtime.GOMAXPROCS(3)
		other, err := EstimateZ(rand.New(rand.NewPCG(1, 1)), draws, EstimateOptions{A: a, Starts: 5})
		runtime.GOMAXPROCS(cores)
		if err != nil || !other.Z.Equal(e.Z) || other.Loss != e.Loss {
			t.Errorf("three cores find %v, %d %v, %v", other.Z, cores, e.Z, err)
		}
		if want := expected(draws, e.Z, a); math.Abs(e.Loss-want) > 1e-10 {
			t.Errorf("loss %v, expected %v", e.Loss, want)
		}
		for _, z := range draws {
			if l := expected(draws, z, a); l < e.Loss-1e-9 {
				t.Errorf("a draw has loss %v, the estimate %v", l, e.Loss)
			}
		}
		for i := range e.Z.N() {
			for k := range e.Z.K() + 1 {
				z := e.Z.Clone()
				if k == z.K() {
					z.Append()
				}
				z.Flip(i, k)
				if z.Size(k) == 0 {
					z.Remove(k)
				}
				if l := expected(draws, z, a); l < e.Loss-1e-6 {
					t.Errorf("the flip of item %d in feature %d has loss %v, the estimate %v", i, k, l, e.Loss)
				}
			}
		}
		for k, share := range e.Share {
			for i, p := range share {
				if member := p > 0.5; a == 1 && member != e.Z.Has(i, k) && math.Abs(p-0.5) > 0.2 {
					t.Errorf("item %d has feature %d in %v of the draws, in the estimate %v", i, k, p, e.Z.Has(i, k))
				}
			}
		}
	}
}

// From draws that differ little from the truth, the estimate is the truth.
func TestEstimateFindsTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	truth := randomZ(rng, 30, 8, 0.3)
	e, err := EstimateZ(rng, noisy(rng, truth, 200, 0.05), EstimateOptions{A: 1, Starts: 3})
	if err != nil {
		t.Fatal(err)
	}
	if l := FARO(truth, e.Z, 1); l != 0 {
		t.Errorf("the estimate is %v from the truth:\n%v", l, e.Z)
	}
}

// allOf calls f for all allocations of the given number of items with at most k features.
func allOf(items, k int, f func(z *feature.Allocation)) {
	var extend func(z *feature.Allocation, limit uint64)
	extend = func(z *feature.Allocation, limit uint64) {
		f(z)
		for column := uint64(1); column <= limit && z.K() < k; column++ {
			longer := z.Clone()
			longer.AppendColumn([]uint64{column})
			extend(longer, column)
		}
	}
	extend(feature.New(items), 1<<items-1)
}

// In tiny problems the estimate has the least loss of all allocations, also of those with more
// features than any draw.
func TestEstimateIsTheLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for problem := range 42 {
		items, k, a := 3+problem%2, 1+problem/2%2, []float64{1, 0.6, 1.5}[problem%3]
		if a > 1 {
			k = 1
		}
		var draws []*feature.Allocation
		for range 5 + rng.IntN(8) {
			draws = append(draws, randomZ(rng, items, k, 0.2+0.5*rng.Float64()))
		}
		o := EstimateOptions{A: a, Starts: 4}
		e, err := EstimateZ(rng, draws, o)
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		allOf(items, 4, func(z *feature.Allocation) { least = min(least, expected(draws, z, a)) })
		if e.Loss > least+1e-9 {
			t.Errorf("%d items, weight %v: found %v, the best of all is %v", items, a, e.Loss, least)
		}
	}
}

// Three features, of which each draw has two: the estimate has all three.
func TestEstimateHasMoreFeaturesThanDraws(t *testing.T) {
	for _, items := range []int{6, 90} {
		var draws []*feature.Allocation
		for count := range 3 {
			z := feature.New(items)
			for k := range 3 {
				if k == count {
					continue
				}
				a := z.Append()
				for i := k; i < items; i += 3 {
					z.Flip(i, a)
				}
			}
			draws = append(draws, z)
		}
		e, err := EstimateZ(rand.New(rand.NewPCG(1, 1)), draws, EstimateOptions{A: 1, Starts: 3})
		if err != nil || e.Z.K() != 3 || e.Loss != float64(items)/3 {
			t.Errorf("%d items: %d features with loss %v, %v, want 3 with %v", items, e.Z.K(), e.Loss, err, float64(items)/3)
		}
	}
}

// More starts never end worse.
func TestEstimateOfMoreStarts(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 3))
		draws := noisy(rng, randomZ(rng, 10, 4, 0.4), 80, 0.3)
		before := math.Inf(1)
		for starts := 1; starts <= 16; starts++ {
			e, err := EstimateZ(rand.New(rand.NewPCG(seed, 1)), draws, EstimateOptions{A: 1, Starts: starts})
			if err != nil {
				t.Fatal(err)
			}
			if e.Loss > before {
				t.Errorf("problem %d: %d starts end at %v, one less at %v", seed, starts, e.Loss, before)
			}
			before = e.Loss
		}
	}
}

func TestEstimateWithoutFeatures(t *testing.T) {
	if _, err := EstimateZ(rand.New(rand.NewPCG(1, 1)), nil, EstimateOptions{A: 1, Starts: 1}); err == nil {
		t.Error("no draws are no error")
	}
	e, err := EstimateZ(rand.New(rand.NewPCG(1, 1)), []*feature.Allocation{feature.New(4)}, EstimateOptions{A: 1, Starts: 1})
	if err != nil || e.Z.K() != 0 || e.Loss != 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

// Of the size of the paper's application: 74 features of 62 items.
func BenchmarkEstimateZ(b *testing.B) {
	rng := rand.New(rand.NewPCG(9, 1))
	draws := noisy(rng, randomZ(rng, 62, 74, 0.075), 200, 0.02)
	for b.Loop() {
		if _, err := EstimateZ(rng, draws, EstimateOptions{A: 1, Starts: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

// In each draw, what a new matching gains by a flip is the length of a path less that of the pair as it is, and at least its
// bound, which is 0 where there is none. What is kept of a matching is as computed again, also after flips.
func TestGains(t *testing.T) {
	const items, n = 9, 7
	rng := rand.New(rand.NewPCG(3, 1))
	random := func() *feature.Allocation {
		z := feature.New(items)
		for range n - 1 {
			k := z.Append()
			for i := range items {
				if rng.IntN(3) == 0 {
					z.Flip(i, k)
				}
			}
		}
		return z
	}
	for _, a := range []float64{1, 0.6} {
		var draws []*feature.Allocation
		for range 20 {
			draws = append(draws, random())
		}
		c := newCandidate(draws, random(), n, a)
		gained := 0
		for range 3 {
			for k := range n {
				gains := make([]gainBound, items)
				c.bound(k, gains)
				for i := range items {
					c.flip(i, k)
					for _, m := range c.draws {
						bound := 0.0
						if d := slices.Index(gains[i].draws, m); d >= 0 {
							bound = gains[i].parts[d]
						}
						c.follow(i, k, m)
						now := c.faro.loss(m)
						again := &matched{newAssignment(n), m.columns, m.sizes, make([]int32, n*n), m.out}
						c.matchAll(again, newSearch(n))
						gain := c.faro.loss(again) - now
						length := c.path(k, m, math.Inf(1)) - (c.cost(k, m.col[k], m) - m.v[m.col[k]])
						if math.Abs(length-gain) > 1e-9 || bound > gain+1e-9 {
							t.Fatalf("a %g, feature %d, item %d: found a gain of %g at least %g, expected %g", a, k, i, length, bound, gain)
						}
						if gain < -1e-9 {
							gained++
						}
						c.flip(i, k)
						c.follow(i, k, m)
						c.flip(i, k)
					}
					c.flip(i, k)
				}
			}
			c.flips(nil)
			for _, m := range c.draws {
				for r, out := range m.out {
					if again := c.leastOf(m, func(index int) (int, int) { return r, index }, m.col[r]); !math.IsNaN(out) && math.Abs(out-again) > 1e-9 {
						t.Errorf("found the least reduced cost %g of feature %d, expected %g", out, r, again)
					}
				}
			}
			c.vote()
			c.flip(rng.IntN(items), rng.IntN(n))
			c.match(lists.Make(n, func(k int) int { return k })...)
		}
		if gained < 20 {
			t.Errorf("found %d gains, expected more", gained)
		}
	}
}
