package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// both runs f with and without AVX2 and compares the results to the last bit.
func both(t *testing.T, what string, f func() []float64) {
	t.Helper()
	defer func(was bool) { avx2 = was }(avx2)
	avx2 = false
	want := f()
	avx2 = true
	got := f()
	for i := range want {
		if math.IsNaN(got[i]) && math.IsNaN(want[i]) {
			continue
		}
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: entry %d is %v in AVX2 and %v in Go", what, i, got[i], want[i])
		}
	}
}

// numbers returns n random numbers at a random address, followed by a sentinel in the
// capacity; if odd, some are large, tiny, infinite or NaN.
func numbers(rng *rand.Rand, n int, odd bool) []float64 {
	x := make([]float64, 4+n+1)[rng.IntN(4):]
	for i := range x {
		x[i] = rng.NormFloat64()
		if odd && rng.IntN(8) == 0 {
			x[i] = []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), 1e300, 5e-324}[rng.IntN(7)]
		}
	}
	x[n] = sentinel
	return x[: n : n+1]
}

const sentinel = 12345.678

// intact panics if a kernel wrote beyond the end.
func intact(x []float64) []float64 {
	if x[:len(x)+1][len(x)] != sentinel {
		panic("written beyond the end")
	}
	return x
}

// TestSameBits compares the two paths at all lengths up to 67, at odd addresses and
// with infinite and NaN entries.
func TestSameBits(t *testing.T) {
	if Kernels() != "avx2" {
		t.Skip("no AVX2 here: there is one path only")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	copyOf := func(x []float64) []float64 { return slices.Clone(x[:len(x)+1])[: len(x) : len(x)+1] }
	for n := range 68 {
		for _, odd := range []bool{false, true} {
			x, y, z, u, v, w := numbers(rng, n, odd), numbers(rng, n, odd), numbers(rng, n, odd), numbers(rng, n, odd), numbers(rng, n, odd), numbers(rng, n, odd)
			a, b, c, d := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
			what := fmt.Sprintf("n = %d, odd numbers %v", n, odd)
			both(t, "Axpy "+what, func() []float64 {
				y := copyOf(y)
				Axpy(y, a, x)
				return intact(y)
			})
			both(t, "Exchange "+what, func() []float64 {
				p, g := copyOf(x), copyOf(y)
				Exchange(p, g, z, u, v, w, a, b, c, d)
				return append(intact(p), intact(g)...)
			})
			both(t, "Forward "+what, func() []float64 {
				w := copyOf(w)
				sum := Forward(w, a, y)
				return append(intact(w), sum)
			})
			both(t, "Dot "+what, func() []float64 { return []float64{Dot(x, y)} })
			both(t, "OneMinus "+what, func() []float64 { return []float64{OneMinus(x, y)} })
			both(t, "FlipProducts "+what, func() []float64 {
				num, den := FlipProducts(x, y, z, 1)
				num2, den2 := FlipProducts(x, y, z, -1)
				return []float64{num, den, num2, den2}
			})
			both(t, "SwapProducts "+what, func() []float64 {
				num, den := SwapProducts(x, y, a, b, c, d)
				return []float64{num, den}
			})
			both(t, "FlipBounds "+what, func() []float64 {
				out := copyOf(x)
				FlipBounds(out, w, x, y, z, u, v, w, a, b, c, d, 7)
				return intact(out)
			})
			both(t, "Shrink "+what, func() []float64 {
				y := copyOf(y)
				any := 0.0
				if Shrink(y, x, 1e-3) {
					any = 1
				}
				return append(intact(y), any)
			})
			both(t, "Exp "+what, func() []float64 {
				out := copyOf(y)
				Exp(out, x, math.Abs(a), -300*math.Abs(b))
				return intact(out)
			})
			rows, ld, inc := rng.IntN(9), n+rng.IntN(5), 1+rng.IntN(3)
			m, weights := numbers(rng, rows*ld, odd), numbers(rng, rows*inc, odd)
			both(t, fmt.Sprintf("AddRows %s, rows %d", what, rows), func() []float64 {
				y := copyOf(y)
				AddRows(y, rows, weights, inc, m, ld)
				return intact(y)
			})
			both(t, fmt.Sprintf("SubRows %s, rows %d", what, rows), func() []float64 {
				y := copyOf(y)
				SubRows(y, rows, weights, inc, m, ld)
				return intact(y)
			})
			both(t, fmt.Sprintf("AddOuter %s, rows %d", what, rows), func() []float64 {
				m := copyOf(m)
				AddOuter(m, ld, rows, a, weights, inc, y)
				return intact(m)
			})
			both(t, fmt.Sprintf("AddOuter2 %s, rows %d", what, rows), func() []float64 {
				m := copyOf(m)
				AddOuter2(m, ld, a, weights[:rows], y, b, weights[rows*(inc-1):], z)
				return intact(m)
			})
			starts, size := Starts(n)
			upper := numbers(rng, size, odd)
			var members []int
			for q := range n {
				clear(upper[starts[q]+q-q%columns : starts[q]+q+1])
				if rng.IntN(4) == 0 {
					members = append(members, q)
				}
			}
			both(t, fmt.Sprintf("Triangle %s, members %v", what, members), func() []float64 {
				y := copyOf(y)
				Triangle(y, members, upper, starts)
				return intact(y)
			})
		}
	}
}

// TestStarts: a triangle takes half of a square and half a block of columns a row, no
// two entries the same number.
func TestStarts(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 33, 100, 1000} {
		starts, size := Starts(n)
		if most := n*(n+1)/2 + n*columns/2; size > most {
			t.Errorf("%d columns take %d numbers, more than %d", n, size, most)
		}
		taken := make([]bool, size)
		for q := range n {
			for p := q - q%columns; p < n; p++ {
				if taken[starts[q]+p] {
					t.Fatalf("%d columns: entry (%d, %d) overlaps another entry", n, q, p)
				}
				taken[starts[q]+p] = true
			}
		}
	}
}

// TestShrinkSees: Shrink reports an element that loses nearly all, at any index.
func TestShrinkSees(t *testing.T) {
	for n := range 20 {
		for at := range n {
			y, x := make([]float64, n), make([]float64, n)
			for i := range y {
				y[i] = 1
			}
			if Shrink(y, x, 1e-3) {
				t.Fatalf("of %d equal elements: seen", n)
			}
			x[at] = 0.9999
			if !Shrink(y, x, 1e-3) {
				t.Fatalf("element %d of %d: not seen", at, n)
			}
		}
	}
}

// TestExp compares Exp with math.Exp, which is good to one unit of the last place.
func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, out := make([]float64, 100000), make([]float64, 100000)
	for i := range x {
		x[i] = -700 * math.Pow(rng.Float64(), 4)
	}
	x[0], x[1], x[2] = 0, -709, -1e300
	Exp(out, x, 0, 1)
	worst := 0.0
	for i, v := range x {
		want := math.Exp(max(v, -708))
		worst = max(worst, math.Abs(out[i]-want)/want)
	}
	if worst > 3*0x1p-52 {
		t.Errorf("relative error %.3g, want at most three units of the last place", worst)
	}
	t.Logf("largest difference %.3g units of 2^-52", worst*0x1p52)
	if out[0] != 1 {
		t.Errorf("exp(0) = %v", out[0])
	}
}

// TestByHand compares the functions with values computed by hand.
func TestByHand(t *testing.T) {
	y := []float64{1, 2}
	Axpy(y, 2, []float64{10, 20})
	if y[0] != 21 || y[1] != 42 {
		t.Error("Axpy:", y)
	}
	p, g := []float64{1}, []float64{1}
	Exchange(p, g, []float64{2}, []float64{3}, []float64{5}, []float64{7}, 10, 100, 1000, 10000)
	if p[0] != 1+20-300 || g[0] != 1+50+2000+700+30000 {
		t.Error("Exchange:", p, g)
	}
	y = []float64{1, 2}
	AddRows(y, 2, []float64{2, 0, 3}, 2, []float64{1, 10, 0, 100, 1000}, 3)
	if y[0] != 1+2+300 || y[1] != 2+20+3000 {
		t.Error("AddRows:", y)
	}
	SubRows(y, 2, []float64{2, 0, 3}, 2, []float64{1, 10, 0, 100, 1000}, 3)
	if y[0] != 1 || y[1] != 2 {
		t.Error("SubRows:", y)
	}
	m := []float64{1, 2, -1, 3, 4}
	AddOuter(m, 3, 2, 10, []float64{1, 2}, 1, []float64{5, 6})
	if !slices.Equal(m, []float64{51, 62, -1, 103, 124}) {
		t.Error("AddOuter:", m)
	}
	AddOuter2(m, 3, 1, []float64{1, 0}, []float64{5, 6}, 2, []float64{0, 1}, []float64{7, 8})
	if !slices.Equal(m, []float64{56, 68, -1, 117, 140}) {
		t.Error("AddOuter2:", m)
	}
	if x := Dot([]float64{1, 2, 3}, []float64{4, 5, 6}); x != 32 {
		t.Error("Dot:", x)
	}
	y = make([]float64, 3)
	Triangle(y, []int{0, 1}, []float64{0, 1, 2, 0, 0, 5, 0, 0, 0}, []int{0, 3, 6})
	if y[0] != 0 || y[1] != 1 || y[2] != 7 {
		t.Error("Triangle:", y)
	}
	w := []float64{1, 2}
	if sum := Forward(w, 3, []float64{4, 8}); sum != 5 || w[0] != 1 || w[1] != 2 {
		t.Error("Forward:", w, sum)
	}
	if x := OneMinus([]float64{0.25, 1}, []float64{2, 0.5}); x != 0.25 {
		t.Error("OneMinus:", x)
	}
	if num, den := FlipProducts([]float64{0.25}, []float64{0.125}, []float64{2}, 1); num != 0.25 || den != 0.5 {
		t.Error("FlipProducts:", num, den)
	}
	bounds := make([]float64, 2)
	FlipBounds(bounds, []float64{3, 3}, []float64{2, -2}, []float64{0.5, 3}, []float64{1, 1}, []float64{5, 5}, []float64{4, 4}, []float64{6, 6}, 2, 10, 30, 8, 12)
	// one1 = 4 and e1 = 14: t = -1/2.
	want := 3 * math.Pow(1-(30-8*14./4+12*(-0.5-0.125-0.125/3))/64, -64)
	if math.Abs(bounds[0]-want) > 1e-12*want || !math.IsNaN(bounds[1]) {
		t.Error("FlipBounds:", bounds, want)
	}
	if num, den := SwapProducts([]float64{2}, []float64{3}, 10, 20, 30, 40); num != 19*59 || den != 59*119 {
		t.Error("SwapProducts:", num, den)
	}
}

// TestPortable: UsePortable turns the kernels off.
func TestPortable(t *testing.T) {
	defer func(was bool) { avx2 = was }(avx2)
	UsePortable()
	if Kernels() != "portable" {
		t.Error("after UsePortable:", Kernels())
	}
}
