package collapsed

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"aibd/feature"
)

// moveCase is an allocation of n items to a few columns, with data.
func moveCase(t *testing.T, rng *rand.Rand, n, d int) (*Data, *feature.Allocation) {
	t.Helper()
	z := feature.New(n)
	for range 2 + rng.IntN(6) {
		k := z.Append()
		for i := range n {
			if rng.IntN(3) == 0 {
				z.Flip(i, k)
			}
		}
		if z.Size(k) == 0 {
			z.Flip(rng.IntN(n), k)
		}
	}
	return mustData(t, randomX(rng, n, d)), z
}

// differ returns the largest difference of two caches.
func differ(got, want *Cache) float64 {
	largest := math.Abs(got.logLik - want.logLik)
	for a := range want.k {
		for b := range a + 1 {
			largest = max(largest, math.Abs(got.p[a*got.ld+b]-want.p[a*want.ld+b]), math.Abs(got.g[a*got.ld+b]-want.g[a*want.ld+b]))
		}
		for f := range want.data.rank {
			largest = max(largest, math.Abs(got.b[f*got.ld+a]-want.b[f*want.ld+a]))
		}
	}
	return largest
}

var moveScales = Scales{SigmaX: 0.6, SigmaA: 0.8}

// TestCombine compares sums and differences of columns with caches computed afresh.
func TestCombine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := [3]int{}
	for range 200 {
		data, z := moveCase(t, rng, 9, 2+rng.IntN(12))
		for a := range z.K() {
			for b := range z.K() {
				x, y := z.Column(a)[0], z.Column(b)[0]
				sign, turned, kind := 1.0, false, 0
				switch {
				case a == b || x == y:
					continue
				case x&y == y:
					sign, kind = -1, 1
				case x&y == x:
					sign, turned, kind = -1, true, 2
				case x&y != 0:
					continue
				}
				kinds[kind]++
				next := z.Clone()
				next.AppendColumn([]uint64{x ^ y})
				next.Remove(a)
				got, want := NewCache(data, z, moveScales), NewCache(data, next, moveScales)
				if change := got.LogCombine(a, []Term{{b, sign}}); math.Abs(change-(want.logLik-got.logLik)) > 1e-10 {
					t.Fatalf("columns %b and %b: change %v, want %v", x, y, change, want.logLik-got.logLik)
				}
				got.Combine(a, []Term{{b, sign}}, turned)
				if d := differ(got, want); d > 1e-10 {
					t.Fatalf("columns %b and %b: off by %g", x, y, d)
				}
			}
		}
	}
	if min(kinds[0], kinds[1], kinds[2]) < 100 {
		t.Errorf("%v pairs of each kind", kinds)
	}
}

// TestCombineSeveral does so for sums of several columns that make a set, or its
// negative.
func TestCombineSeveral(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	kinds := map[[2]int]int{}
	for range 20_000 {
		data, z := moveCase(t, rng, 5, 2+rng.IntN(8))
		order := rng.Perm(z.K())
		if len(order) < 3 {
			continue
		}
		a, v := order[0], []Term(nil)
		for _, b := range order[1 : 3+rng.IntN(min(2, len(order)-2))] {
			v = append(v, Term{b, float64(1 - 2*rng.IntN(2))})
		}
		var column uint64
		low, high := 0.0, 0.0
		for i := range 5 {
			x := float64(z.Column(a)[0] >> i & 1)
			for _, u := range v {
				x += u.Sign * float64(z.Column(u.Column)[0]>>i&1)
			}
			low, high = min(low, x), max(high, x)
			if x != 0 {
				column |= 1 << i
			}
		}
		turned := high == 0
		if column == 0 || low < -1 || high > 1 || low < 0 && high > 0 {
			continue
		}
		next := z.Clone()
		next.AppendColumn([]uint64{column})
		next.Remove(a)
		got, want := NewCache(data, z, moveScales), NewCache(data, next, moveScales)
		if change := got.LogCombine(a, v); math.Abs(change-(want.logLik-got.logLik)) > 1e-9 {
			t.Fatalf("column %d and %v: change %v, want %v", a, v, change, want.logLik-got.logLik)
		}
		got.Combine(a, v, turned)
		if d := differ(got, want); d > 1e-9 {
			t.Fatalf("column %d and %v: off by %g", a, v, d)
		}
		kind := [2]int{len(v), 0}
		if turned {
			kind[1] = 1
		}
		kinds[kind]++
	}
	for terms := 2; terms <= 3; terms++ {
		for turned := range 2 {
			if kinds[[2]int{terms, turned}] < 50 {
				t.Errorf("%v sums by terms and kind, too few to see anything", kinds)
			}
		}
	}
}

// TestToggles compares changes of several entries with caches computed afresh.
func TestToggles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for step := range 200 {
		n := 9
		if step%8 == 0 {
			n = 70 // many items of a node in a column
		}
		data, z := moveCase(t, rng, n, 2+rng.IntN(12))
		c := NewCache(data, z, moveScales)
		tree := data.Linkage()
		var toggles Toggles
		toggles.Reset(c, z, tree)
		for range 10 {
			a, v := rng.IntN(z.K()), rng.IntN(tree.Nodes())
			next := z.Clone()
			for i := range feature.Items(tree.Node(v)) {
				next.Flip(i, a)
			}
			if next.Size(a) == 0 {
				continue
			}
			want := NewCache(data, next, moveScales)
			toggles.Column(a)
			if change := toggles.LogToggle(v); math.Abs(change-(want.logLik-c.logLik)) > 1e-10 {
				t.Fatalf("change %v, want %v", change, want.logLik-c.logLik)
			}
			if change, bound := toggles.LogToggle(v), toggles.LogToggleBound(v); !(bound >= change && bound <= change+0.1) {
				t.Fatalf("change %v and its bound %v", change, bound)
			}
			toggles.Toggle(v)
			if !z.Equal(next) {
				t.Fatal("another allocation")
			}
			if d := differ(c, want); d > 1e-10 {
				t.Fatalf("off by %g", d)
			}
		}
	}
}

// TestLinkageOfMany: trees of parts that hold all items, with pairs of equal rows joined first.
func TestLinkageOfMany(t *testing.T) {
	const n = 2048 // halved four times
	rng := rand.New(rand.NewPCG(9, 10))
	x := randomX(rng, n/2, 3)
	for i := range n / 2 {
		x = append(x, x[i])
	}
	tree := mustData(t, x).Linkage()
	if tree.Nodes() != n-16 {
		t.Fatalf("%d nodes, want %d", tree.Nodes(), n-16)
	}
	seen := map[int]int{} // the latest node of an item
	pairs := 0
	for v := range tree.Nodes() {
		items := feature.Members(nil, tree.Node(v))
		joined := 0
		for _, a := range tree.parts[v] {
			if joined++; a >= n {
				joined += feature.Ones(tree.Node(a-n)) - 1
			}
		}
		if len(items) != joined || len(items) > n/16 {
			t.Fatalf("node %d of %d items, %d in its parts", v, len(items), joined)
		}
		if len(items) == 2 && items[1] == items[0]+n/2 {
			pairs++
		}
		for _, i := range items {
			seen[i] = len(items)
		}
	}
	for i := range n {
		if seen[i] != n/16 {
			t.Fatalf("item %d is in a tree of %d items", i, seen[i])
		}
	}
	if pairs != n/2 {
		t.Errorf("%d pairs, want %d", pairs, n/2)
	}
}

// TestMovesDrift makes a thousand changes at the smallest r at which they are made.
func TestMovesDrift(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	data, z := moveCase(t, rng, 40, 10)
	for z.K() < 50 { // more than items
		i, j := rng.IntN(40), rng.IntN(40)
		z.AppendColumn([]uint64{1<<i | 1<<j})
	}
	c := NewCache(data, z, Scales{SigmaX: 0.032, SigmaA: 1})
	if !c.Steady() || NewCache(data, z, Scales{SigmaX: 0.031, SigmaA: 1}).Steady() {
		t.Fatal("not at the smallest r")
	}
	tree := data.Linkage()
	var toggles Toggles
	toggles.Reset(c, z, tree)
	for done := 0; done < 1000; {
		toggles.Column(rng.IntN(z.K()))
		v := rng.IntN(tree.Nodes())
		size := 0
		for w, x := range tree.Node(v) {
			size += bits.OnesCount64(x ^ z.Column(toggles.a)[w])
		}
		if size > 0 && size < 20 {
			toggles.Toggle(v)
			done++
		}
	}
	if want := LogLik(data, z, c.scales); math.Abs(c.logLik-want) > 1e-5*math.Abs(want) {
		t.Errorf("after 1000 changes %v, want %v", c.logLik, want)
	}
}

// TestPower: the log likelihood under Power is that power times that of the data, and
// powers multiply.
func TestPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, d := range []int{3, 20} {
		data, z := moveCase(t, rng, 9, d)
		want := LogLik(data, z, moveScales)
		for _, power := range []float64{1e-3, 0.3, 0.85, 1, 1.7} {
			twice := data.Power(power).Power(0.5)
			if twice.Linkage() != data.Linkage() {
				t.Errorf("half the power %v has a tree of its own", power)
			}
			if got := LogLik(data.Power(power), z, moveScales) / power; math.Abs(got-want) > 1e-10*math.Abs(want) {
				t.Errorf("power %v: %v, want %v", power, got, want)
			}
			if got := LogLik(twice, z, moveScales) / (power / 2); math.Abs(got-want) > 1e-10*math.Abs(want) {
				t.Errorf("half the power %v: %v, want %v", power, got, want)
			}
		}
	}
}
