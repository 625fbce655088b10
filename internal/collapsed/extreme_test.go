package collapsed

// Scales, sizes and units at which doubles are in short supply, against the
// likelihood in as many digits as it takes.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
	"aibd/internal/oracle/dense"
)

// withoutNoise replaces x by ZA for loadings of few digits.
func withoutNoise(rng *rand.Rand, x [][]float64, z *feature.Allocation) {
	for i := range x {
		clear(x[i])
	}
	for k := range z.K() {
		for f := range x[0] {
			a := math.Round(16*rng.NormFloat64()) / 16
			for _, i := range z.Members(nil, k) {
				x[i][f] += a
			}
		}
	}
}

// Every answer keeps the promise of the package comment, from large noise to
// SigmaX/SigmaA = 1/310, for columns that depend on one another and data that they
// explain without rest too.
func TestExtremeScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, k := range []int{6, 14} {
		for _, sigmaX := range []float64{1e60, 1e8, 1, 0.1, 1e-2, 4e-3, 1. / 310} {
			for rep := range 4 {
				z, x, scales := randomZ(rng, 9, k, 0.3), randomX(rng, 9, 3), Scales{sigmaX, 1}
				for a := range 3 * (rep % 2) {
					z.AppendColumn(z.Column(a))
				}
				if rep >= 2 {
					withoutNoise(rng, x, z)
				}
				data := mustData(t, x)
				near := func(what string, got, before, after float64) {
					t.Helper()
					size := math.Max(math.Abs(before), math.Abs(after))
					if want := after - before; !(math.Abs(got-want) <= promise(data, scales)*math.Max(1, size)) {
						t.Errorf("%s: %.17g, want %.17g (log likelihood of %.3g) at %+v and Z\n%v", what, got, want, size, scales, z)
					}
				}
				exact := func(z *feature.Allocation) float64 {
					return dense.LogLikExact(x, z.Rows(), scales.SigmaX, scales.SigmaA)
				}
				c := NewCache(data, z, scales)
				near("log likelihood", c.LogLik(), 0, exact(z))
				for i := range 3 {
					c.Open(z, i)
					for a := range z.K() {
						if !c.Shared(a) || rng.IntN(4) > 0 {
							continue
						}
						change, before := c.LogFlip(a), exact(current(c, z, i))
						c.Flip(a)
						near("flip", change, before, exact(current(c, z, i)))
					}
					c.SetSingletons(rng.IntN(3))
					c.Close()
					near("closed", c.LogLik(), 0, exact(z))
				}
				var s Spectrum
				s.Reset(data, z)
				near("spectrum", s.LogLik(scales), 0, exact(z))
				if z.K() == 0 {
					continue
				}
				before, other := exact(z), z.Clone()
				other.Remove(0)
				near("remove", c.LogRemove(0), before, exact(other))
				other = z.Clone()
				other.AppendColumn(z.Column(0))
				near("append", c.LogAppend(z, z.Column(0)), before, exact(other))
			}
		}
	}
}

// X, SigmaX and SigmaA in other units, squares of which are beyond doubles: powers
// of two change the constant only.
func TestUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for _, size := range [][2]int{{8, 3}, {5, 20}} {
		n, d := size[0], size[1]
		x, z := randomX(rng, n, d), randomZ(rng, n, 4, 0.4)
		base := NewCache(mustData(t, x), z, Scales{0.3, 0.7}).LogLik()
		for _, unit := range []int{1000, -1000} {
			y := randomX(rng, n, d)
			for i := range y {
				for j := range y[i] {
					y[i][j] = math.Ldexp(x[i][j], unit)
				}
			}
			scales := Scales{math.Ldexp(0.3, unit), math.Ldexp(0.7, unit)}
			data := mustData(t, y)
			want := base - float64(n*d*unit)*math.Ln2
			mustNear(t, "cache", NewCache(data, z, scales).LogLik(), want, 1e-13)
			var s Spectrum
			s.Reset(data, z)
			mustNear(t, "spectrum", s.LogLik(scales), want, 1e-13)
		}
	}
}

// Beyond what doubles hold every answer is NaN, and Check says why.
func TestCheck(t *testing.T) {
	data := mustData(t, [][]float64{{1}, {3}})
	z := randomZ(rand.New(rand.NewPCG(3, 9)), 2, 2, 0.5)
	for _, tc := range []struct {
		scales Scales
		want   string
	}{
		{Scales{1e-11, 1}, "SigmaX: found 1e-11, expected at least 4e-10, below which rounding of X dominates the likelihood"},
		{Scales{1, 1e101}, "SigmaX 1 and SigmaA 1e+101: expected a ratio between 1/316 and 1e100"},
		{Scales{1, 317}, "SigmaX 1 and SigmaA 317: expected a ratio between 1/316 and 1e100"},
		{Scales{1, 1e-101}, "SigmaX 1 and SigmaA 1e-101: expected a ratio between 1/316 and 1e100"},
	} {
		if err := data.Check(tc.scales); err == nil || err.Error() != tc.want {
			t.Errorf("%v: error %v, want %q", tc.scales, err, tc.want)
		}
		c := NewCache(data, z, tc.scales)
		var s Spectrum
		s.Reset(data, z)
		answers := []float64{c.LogLik(), s.LogLik(tc.scales), c.LogRemove(0), c.LogAppend(z, []uint64{3})}
		c.Open(z, 0)
		for k := range z.K() {
			if c.Shared(k) {
				answers = append(answers, c.LogFlip(k))
				c.Flip(k)
			}
		}
		c.Close()
		for _, l := range append(answers, c.LogLik()) {
			if !math.IsNaN(l) {
				t.Errorf("%v: answers %v", tc.scales, answers)
				break
			}
		}
	}
	if err := data.Check(Scales{1e-9, 3.1e-7}); err != nil {
		t.Error(err)
	}
	none := mustData(t, [][]float64{{0}, {0}})
	if err := none.Check(Scales{1e-300, 1e-300}); err != nil {
		t.Error(err)
	}
}

// Sparse matrices of more than 32 and of more than 128 columns, whose Householder
// reflections end in zeros: the blocked routines of gonum 0.17 get 61 of 300 such
// matrices of 30 to 60 columns wrong.
func TestSparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	for _, size := range []struct{ n, k, times int }{{62, 45, 30}, {200, 150, 2}, {150, 200, 2}} {
		for range size.times {
			data := mustData(t, randomX(rng, size.n, 5))
			z := randomZ(rng, size.n, size.k, 0.01+0.05*rng.Float64())
			scales := Scales{0.5, 1}
			want := LogLik(data, z, scales)
			var s Spectrum
			s.Reset(data, z)
			mustNear(t, fmt.Sprintf("spectrum, %+v", size), s.LogLik(scales), want, 1e-11)
		}
	}
	// X of more columns than rows, with columns that only the last rows have.
	const n, d = 140, 300
	x := randomX(rng, n, d)
	for i := range x {
		for j := d * (i + 20) / n; j < d; j++ {
			x[i][j] = 0
		}
	}
	data := mustData(t, x)
	for i := range x {
		for j := range i {
			got, want := 0.0, 0.0
			for f := range n {
				got += data.rows[i][f] * data.rows[j][f]
			}
			for f := range d {
				want += x[i][f] * x[j][f]
			}
			mustNear(t, "product of rows", math.Ldexp(got, 2*data.unit), want, 1e-11)
		}
	}
}
