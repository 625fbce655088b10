package collapsed

// Fuzzing of the likelihood at extreme scales against as many digits as it takes.

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
	"aibd/internal/oracle/choices"
	"aibd/internal/oracle/dense"
)

// promise is the error of a log likelihood, or of a change between two, relative to
// the larger of 1 and the log likelihoods; see the package comment.
func promise(data *Data, scales Scales) float64 {
	switch r, x := ratio(scales), data.noise(scales); {
	case x < 1e-8:
		return 1e-5
	case r < 1e-2:
		return 1e-7
	}
	return 1e-9
}

// FuzzLikelihood makes moves of a small Cache and compares every answer.
func FuzzLikelihood(f *testing.F) {
	choices.Seed(f, 9, 120)
	f.Fuzz(func(t *testing.T, b []byte) {
		s := (*choices.Source)(&b)
		n, d := 1+s.Below(8), s.Below(5)
		unit := s.Choose(1, 1e150, 1e-150, 1e8, 1e-8)
		scales := Scales{
			SigmaX: unit * s.Choose(1, 1e-9, 1e-8, 1e-6, 1e-4, 4e-3, 1e-2, 0.1, 1e4, 1e8, 1e60),
			SigmaA: unit * s.Choose(1, 1e-30, 1e-8, 1e-4, 1e-2, 0.1, 1e4, 1e8, 1e60),
		}
		z := feature.New(n)
		for range s.Below(12) {
			column := s.Byte()
			k := z.Append()
			for i := range n {
				if column>>i&1 != 0 || i == 0 && column<<(8-n) == 0 {
					z.Flip(i, k)
				}
			}
		}
		// Noise, rows without noise, or rows that are equal.
		x, kind := randomX(rand.New(rand.NewPCG(1, uint64(s.Byte()))), n, d), s.Below(4)
		loadings := randomX(rand.New(rand.NewPCG(2, uint64(s.Byte()))), z.K(), d)
		for i, row := range z.Rows() {
			for j := range x[i] {
				switch kind {
				case 0:
					x[i][j] = x[0][j]
				case 1:
					x[i][j] = 0
					for k, v := range row {
						x[i][j] += float64(v) * math.Round(16*loadings[k][j]) / 16
					}
				}
			}
		}
		for i := range x {
			for j := range x[i] {
				x[i][j] *= unit
			}
		}
		data := mustData(t, x)
		if data.Check(scales) != nil {
			if l := LogLik(data, z, scales); !math.IsNaN(l) {
				t.Fatalf("log likelihood %v at scales that the data refuse", l)
			}
			return
		}
		tol := promise(data, scales)
		exact := func(z *feature.Allocation) float64 {
			return dense.LogLikExact(x, z.Rows(), scales.SigmaX, scales.SigmaA)
		}
		near := func(what string, got, want, size float64) {
			t.Helper()
			if !(math.Abs(got-want) <= tol*math.Max(1, size)) {
				t.Fatalf("%s: %.17g, want %.17g (log likelihood of %.3g) at %+v and Z\n%v", what, got, want, size, scales, z)
			}
		}
		c := NewCache(data, z, scales)
		want := exact(z)
		near("log likelihood", c.LogLik(), want, math.Abs(want))
		for range 1 + s.Below(8) {
			i := s.Below(n)
			c.Open(z, i)
			for range s.Below(6) {
				if z.K() == 0 {
					break
				}
				k := s.Below(z.K())
				if !c.Shared(k) {
					continue
				}
				change := c.LogFlip(k)
				before := exact(current(c, z, i))
				c.Flip(k)
				after := exact(current(c, z, i))
				near("flip", change, after-before, math.Max(math.Abs(before), math.Abs(after)))
			}
			if z.K() < 30 {
				c.SetSingletons(s.Below(5))
			}
			c.Close()
			want = exact(z)
			near("closed", c.LogLik(), want, math.Abs(want))
		}
		var spectrum Spectrum
		spectrum.Reset(data, z)
		near("spectrum", spectrum.LogLik(scales), want, math.Abs(want))
		if z.K() > 0 {
			k := s.Below(z.K())
			smaller := z.Clone()
			smaller.Remove(k)
			after := exact(smaller)
			near("remove", c.LogRemove(k), after-want, math.Max(math.Abs(want), math.Abs(after)))
		}
		column := []uint64{1 + uint64(s.Byte())%(1<<n-1)}
		larger := z.Clone()
		larger.AppendColumn(column)
		after := exact(larger)
		near("append", c.LogAppend(z, column), after-want, math.Max(math.Abs(want), math.Abs(after)))
	})
}
