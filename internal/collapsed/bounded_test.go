package collapsed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// truncatedMoments integrates mean and variance of a standard normal between a and b, relative to the end
// that is nearer to 0, and its log probability.
func truncatedMoments(a, b float64) (mean, variance, log float64) {
	low, high := max(a, -40), min(b, 40)
	if a > 0 {
		high = min(b, a+40/(a+1)+1)
	}
	if b < 0 {
		low = max(a, b-40/(1-b)-1)
	}
	origin := min(max(0, low), high)
	over := func(f func(x float64) float64) float64 {
		sum, step := 0.0, (high-low)/64
		for s := range 64 {
			sum += quad.Fixed(f, low+float64(s)*step, low+float64(s+1)*step, 20, quad.Legendre{}, 0)
		}
		return sum
	}
	density := func(x float64) float64 { return math.Exp(-(x - origin) * (x + origin) / 2) }
	total := over(density)
	mean = over(func(x float64) float64 { return x * density(x) }) / total
	variance = over(func(x float64) float64 { return (x - mean) * (x - mean) * density(x) }) / total
	return mean, variance, math.Log(total) - origin*origin/2 - math.Log(2*math.Pi)/2
}

// TestTruncated: draws between bounds anywhere have the moments of their distribution. A twin that
// accepts all proposals does not.
func TestTruncated(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	inf := math.Inf(1)
	for _, interval := range [][2]float64{
		{0, inf}, {-inf, 0}, {-1.5, inf}, {2, inf}, {-inf, -7}, {40, inf}, {1e4, inf}, {3e8, inf}, {0, 1}, {-0.3, 0.4}, {-4, 0.1},
		{0.5, 0.6}, {5, 5.01}, {5, 9}, {-30, -29.9}, {-1e9, -1e9 + 1e-3}, {2e8, 2e8 + 1e-9}, {1, 1.8},
	} {
		const draws = 20_000
		x := make([]float64, draws)
		for i := range x {
			if x[i] = Truncated(rng, interval[0], interval[1]); !(x[i] >= interval[0] && x[i] <= interval[1]) {
				t.Fatalf("%v: found %v", interval, x[i])
			}
		}
		near := 0.0 // the end nearer to 0, in units of the scale there
		if interval[0] > 0 {
			near = interval[0]
		} else if interval[1] < 0 {
			near = interval[1]
		}
		if math.Abs(near) > 1e3 {
			// Exponential of rate |near| to within 1e-6, cut off at the width.
			width := (interval[1] - interval[0]) * math.Abs(near)
			want := 1.0
			if !math.IsInf(width, 1) {
				want = 1 - width/math.Expm1(width)
			}
			mean := 0.0
			for _, v := range x {
				mean += math.Abs(v-near) * math.Abs(near) / draws
			}
			if math.Abs(near) < 1e8 && math.Abs(mean-want) > 5*want/math.Sqrt(draws) { // beyond, the grid of doubles is coarse
				t.Errorf("%v: scaled mean %v, want %v", interval, mean, want)
			}
			continue
		}
		mean, variance, _ := truncatedMoments(interval[0], interval[1])
		m, v := stat.MeanVariance(x, nil)
		if math.Abs(m-mean) > 5*math.Sqrt(variance/draws) || math.Abs(v/variance-1) > 5*math.Sqrt(8.0/draws) {
			t.Errorf("%v: mean and variance %v, %v, want %v, %v", interval, m, v, mean, variance)
		}
	}
}

func TestLogInterval(t *testing.T) {
	inf := math.Inf(1)
	for _, interval := range [][2]float64{{0, inf}, {-inf, 0}, {-1.5, inf}, {2, inf}, {9.99, inf}, {10.01, inf}, {-inf, -37}, {0, 1}, {-0.3, 0.4}, {-4, 0.1}, {5, 5.01}, {11, 11.5}, {-30, -29.9}} {
		_, _, want := truncatedMoments(interval[0], interval[1])
		if got := LogInterval(interval[0], interval[1]); !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
			t.Errorf("%v: %.15g, want %.15g", interval, got, want)
		}
	}
}

func TestBoundErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := [][]float64{{1, nan}, {nan, 2}}
	for want, bounds := range map[string][]Bound{
		"no such cell":            {{2, 0, 0, 1}},
		"found the value 1":       {{0, 0, 0, 1}},
		"found twice":             {{0, 1, 0, 1}, {0, 1, 0, 2}},
		"found 1 to 0, expected":  {{0, 1, 1, 0}},
		"found NaN to 0":          {{0, 1, nan, 0}},
		"found +Inf to +Inf":      {{0, 1, inf, inf}},
		"found -Inf to -Inf, exp": {{0, 1, -inf, -inf}},
	} {
		if _, err := NewBounded(x, bounds); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", bounds, err, want)
		}
	}
	data, err := NewBounded(x, []Bound{{0, 1, 3, inf}})
	if err != nil {
		t.Fatal(err)
	}
	if above, err := NewBounded([][]float64{{1, nan}, {2, nan}}, []Bound{{0, 1, 3, inf}, {1, 1, 3, inf}}); err != nil {
		t.Fatal(err)
	} else if _, err := above.WithIntercept(); err == nil {
		t.Error("an intercept of cells that are all above bounds is accepted")
	}
	current := data.Detach()
	if v := current.Values(nil); !(v[0] > 3) || current.Bounded() != 1 {
		t.Errorf("cells start at %v", v)
	}
	if err := current.SetValues([]float64{2.9, 0}); err == nil {
		t.Error("a value beyond its bound is accepted")
	}
}

// TestBoundsDraw: one bounded cell of a column, beside a missing one at its current value, has the
// truncated distribution of a dense conditional, with and without an intercept.
func TestBoundsDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 2))
	for trial := range 8 {
		sigmaX, intercept := []float64{0.6, 4e-3}[trial%2], trial/2%2 == 1
		n, d := 6, 2
		z, x := RandomZ(rng, n, 4, 0.4), RandomX(rng, n, d)
		x[3][0], x[1][0], x[2][1] = math.NaN(), math.NaN(), math.NaN()
		var b Bounds
		scales := Scales{sigmaX, 1}
		covariance := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				covariance.SetSym(i, j, float64(z.Shared(i, j)))
			}
			covariance.SetSym(i, i, float64(z.RowSum(i))+sigmaX*sigmaX)
		}
		var precision mat.Dense
		if err := precision.Inverse(covariance); err != nil {
			t.Fatal(err)
		}
		y := z
		if intercept {
			y = WithOnes(z)
			ones := mat.NewVecDense(n, slices.Repeat([]float64{1}, n))
			var sums mat.VecDense
			sums.MulVec(&precision, ones)
			precision.RankOne(&precision, -1/mat.Sum(&sums), &sums, &sums)
		}
		missing := rng.NormFloat64()
		conditional := func(i, j int) (mean, sd float64) {
			info, p := 0.0, precision.At(i, i)
			for k := range n {
				v := x[k][j]
				if math.IsNaN(v) {
					v = missing
				}
				if k != i {
					info -= precision.At(i, k) * v
				}
			}
			return info / p, 1 / math.Sqrt(p)
		}
		m0, s0 := conditional(3, 0)
		m1, s1 := conditional(2, 1)
		bounds := []Bound{{3, 0, m0 + 0.5*s0, math.Inf(1)}, {2, 1, m1 - 2*s1, m1 + 0.3*s1}}
		data, err := NewBounded(x, bounds)
		if err == nil && intercept {
			data, err = data.WithIntercept()
		}
		if err != nil {
			t.Fatal(err)
		}
		current := data.Detach()
		const draws = 5000
		got := [2][]float64{}
		for range draws {
			values := current.Values(nil) // (1,0) (2,1) (3,0)
			values[0] = missing
			if err := current.SetValues(values); err != nil {
				t.Fatal(err)
			}
			b.Draw(rng, current, y, scales)
			values = current.Values(nil)
			got[0], got[1] = append(got[0], (values[2]-m0)/s0), append(got[1], (values[1]-m1)/s1)
		}
		for c, ends := range [][2]float64{{0.5, math.Inf(1)}, {-2, 0.3}} {
			mean, variance, _ := truncatedMoments(ends[0], ends[1])
			m, v := stat.MeanVariance(got[c], nil)
			if math.Abs(m-mean) > 5*math.Sqrt(variance/draws) || math.Abs(v/variance-1) > 5*math.Sqrt(8.0/draws) {
				t.Errorf("%s: cell %d: mean and variance %v, %v, want %v, %v", fmt.Sprint(sigmaX, intercept), c, m, v, mean, variance)
			}
		}
	}
}
