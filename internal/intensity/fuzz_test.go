package intensity_test

// Fuzzing of the laws at extreme but legal distances and temperatures.

import (
	"math"
	"math/bits"
	"testing"

	"aibd/feature"
	"aibd/internal/intensity"
	"aibd/internal/oracle/choices"
	"aibd/prior"
	"aibd/similarity"
)

func extremeTemperature(s *choices.Source) float64 {
	return s.Choose(1, 0, 1e-300, 1e-6, 0.3, 30, 1e3, 1e6)
}

// extremeDistance builds a distance and its decay.
func extremeDistance(t *testing.T, s *choices.Source, n int) (*similarity.Matrix, similarity.Decay) {
	rows := make([][]float64, n)
	given := s.Below(5) == 0
	symmetric := s.Below(2) == 0
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			rows[i][j] = s.Choose(1, 0, 1e-300, 1e-3, 0.7, 5, 1e3, 1e150, 1e300, math.Inf(1))
			if given {
				rows[i][j] = min(rows[i][j], 1e6)
			}
			if symmetric && j < i {
				rows[i][j] = rows[j][i]
			}
		}
	}
	dist, err := similarity.NewMatrix(rows)
	if err != nil {
		t.Fatal(err)
	}
	decays := []similarity.Decay{
		similarity.Exponential{}, similarity.Reciprocal{Shift: 1}, similarity.Window{}, similarity.Constant{}, similarity.Reciprocal{},
	}
	decay := decays[s.Below(len(decays))]
	if given {
		decay = similarity.Given{}
	}
	return dist, decay
}

// extremeLaw builds a law of one or several distances, nil where the constructor refuses.
func extremeLaw(t *testing.T, s *choices.Source, n, distances int) prior.Law {
	var several similarity.Several
	var decays []similarity.Decay
	var tail []float64
	for range distances {
		dist, decay := extremeDistance(t, s, n)
		several, decays = append(several, dist), append(decays, decay)
	}
	affinity, mass := prior.NewAffinity(several, decays...), s.Choose(1, 1e-300, 1e-8, 30, 1e8)
	temperature, perm := extremeTemperature(s), s.Permutation(n)
	var law prior.Law
	var err error
	switch s.Below(4) {
	case 0:
		law, err = prior.NewIBP(n, mass)
	case 1:
		law, err = prior.NewAIBD(affinity, mass, temperature, perm)
	case 2:
		law, err = prior.NewSequentialDDIBP(affinity, mass, temperature, perm)
	default:
		law, err = prior.NewDDIBP(affinity, mass, temperature)
	}
	if err != nil {
		return nil // the dd-IBP has no reciprocal decay without shift
	}
	for range distances - 1 {
		tail = append(tail, extremeTemperature(s))
	}
	if a, ok := law.(prior.Attraction); ok {
		return a.WithFurtherTemperatures(tail)
	}
	return law
}

// isNear reports whether got is within tol of want, relatively beyond 1; infinite
// values must be equal.
func isNear(got, want, tol float64) bool {
	return got == want || math.Abs(got-want) <= tol*max(1, math.Abs(want))
}

// FuzzLaws holds a law to what its pmf has to be, and its tracker to its pmf.
func FuzzLaws(f *testing.F) {
	fuzzLaws(f, 10, 120, 1)
}

// FuzzLawsOfTwoDistances does so with two distances, each with its decay.
func FuzzLawsOfTwoDistances(f *testing.F) { fuzzLaws(f, 11, 200, 2) }

func fuzzLaws(f *testing.F, stream uint64, bytes, distances int) {
	choices.Seed(f, stream, bytes)
	f.Fuzz(func(t *testing.T, b []byte) {
		s := (*choices.Source)(&b)
		n := 1 + s.Below(6)
		law := extremeLaw(t, s, n, distances)
		if law == nil {
			return
		}
		h := law.TotalIntensity()
		if !(h > 0) || math.IsInf(h, 1) {
			t.Fatalf("%v: total intensity %v", law, h)
		}
		sum := 0.0
		for c := uint64(1); c < 1<<n; c++ {
			nu := law.LogIntensity([]uint64{c})
			if math.IsNaN(nu) || nu > math.Log(h)+1e-9 {
				t.Fatalf("%v: log nu(%b) = %v, H = %v", law, c, nu, h)
			}
			sum += math.Exp(nu)
		}
		if !isNear(sum, h, 1e-9) {
			t.Fatalf("%v: the sum of nu is %v, H %v", law, sum, h)
		}
		z := feature.New(n)
		for range s.Below(6) {
			z.AppendColumn([]uint64{1 + uint64(s.Byte())%(1<<n-1)})
		}
		if lp := prior.LogProb(law, z); math.IsNaN(lp) || math.IsInf(lp, 1) {
			t.Fatalf("%v: log probability %v", law, lp)
		}
		for i, row := range law.ExpectedSharing() {
			for j, x := range row {
				if limit := law.Mass() * (1 + 1e-9); !(x >= 0 && (x <= limit || i == j && x <= limit*float64(n))) {
					t.Fatalf("%v: items %d and %d share %v", law, i, j, x)
				}
			}
		}
		checkTracker(t, s, law, z)
	})
}

// TestFarOneWay: item 2 hardly ever links to item 1, which does link to it. Logs of
// the order of 1e144 must not cancel.
func TestFarOneWay(t *testing.T) {
	dist, err := similarity.NewMatrix([][]float64{{0, 1}, {1e150, 0}})
	if err != nil {
		t.Fatal(err)
	}
	law, err := prior.NewDDIBP(prior.NewAffinity(dist, similarity.Exponential{}), 1, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if nu, want := law.LogIntensity([]uint64{3}), -math.Log1p(math.Exp(1e-6)); !isNear(nu, want, 1e-12) {
		t.Errorf("log nu of both is %v, want %v", nu, want)
	}
}

// checkTracker makes moves of z and compares every answer of the tracker with the
// law.
func checkTracker(t *testing.T, s *choices.Source, law prior.Law, z *feature.Allocation) {
	tr, n := intensity.Unwrap(law).Tracker(), law.N()
	tr.Reset(z)
	sums := func(what string) {
		t.Helper()
		want := 0.0
		for k := range z.K() {
			want += law.LogIntensity(z.Column(k))
		}
		if got := tr.SumLogIntensity(); !isNear(got, want, 1e-9) {
			t.Fatalf("%v, %s: sum of log nu %v, want %v, at Z\n%v", law, what, got, want, z)
		}
		if got := tr.TotalIntensity(); !isNear(got, law.TotalIntensity(), 1e-12) {
			t.Fatalf("%v, %s: total intensity %v, want %v", law, what, got, law.TotalIntensity())
		}
	}
	sums("reset")
	for i := range n {
		if got, want := tr.LogSingleton(i), law.LogIntensity([]uint64{1 << i}); !isNear(got, want, 1e-9) {
			t.Fatalf("%v: log nu of the singleton %d is %v, want %v", law, i, got, want)
		}
	}
	bounds := func() {
		t.Helper()
		for c := uint64(1); c < 1<<n; c++ {
			column := []uint64{c}
			want := law.LogIntensity(column)
			for _, enough := range []float64{-1e300, want - 1, want + 1, math.NaN(), math.Inf(1)} {
				if bound := tr.IntensityBound(column, enough); !(bound >= want) {
					t.Fatalf("%v: log nu of %0*b is %v, above its bound %v", law, n, bits.Reverse64(c)>>(64-n), want, bound)
				}
			}
		}
	}
	bounds()
	for range s.Below(12) {
		i := s.Below(n)
		switch s.Below(8) {
		case 0:
			z.Flip(i, z.Append())
			tr.Append(i)
		case 1:
			if z.K() > 0 {
				k := s.Below(z.K())
				z.Remove(k)
				tr.Remove(k)
			}
		case 2:
			a, ok := law.(prior.Attraction)
			if !ok {
				break
			}
			temperature, perm := extremeTemperature(s), s.Permutation(n)
			law = a.With(temperature, perm)
			tr.Propose(intensity.Temperatures{First: temperature, Tail: a.FurtherTemperatures()}, perm)
			tr.Accept()
			bounds()
		case 3:
			checkInsertions(t, law, tr, z, i)
		default:
			if z.K() == 0 {
				break
			}
			k := s.Below(z.K())
			if z.Size(k) == 1 && z.Has(i, k) {
				break
			}
			c := z.Column(k)[0]
			now, then := law.LogIntensity([]uint64{c}), law.LogIntensity([]uint64{c ^ 1<<i})
			if math.IsInf(now, -1) {
				break // no ratio from where nu is 0
			}
			got := tr.LogFlip(i, k)
			if !isNear(got, then-now, 1e-9*(1+math.Abs(now))) && !isNear(got, then-now, 1e-9) {
				t.Fatalf("%v: flip of %d in %0*b changes log nu by %v, want %v", law, i, n, bits.Reverse64(c)>>(64-n), got, then-now)
			}
			bounds := make([]float64, z.K())
			tr.FlipBounds(i, bounds)
			for _, bound := range []float64{tr.FlipBound(i, k), math.Log(bounds[k])} {
				if !(bound >= got) {
					t.Fatalf("%v: the flip of %d in column %d, %v, is above its bound %v", law, i, k, got, bound)
				}
			}
			if !math.IsInf(then, -1) {
				z.Flip(i, k)
				tr.Flip(i, k)
			}
		}
		sums("on the way")
	}
	sums("in the end")
}

// checkInsertions compares the weights of all positions of an item with the law.
func checkInsertions(t *testing.T, law prior.Law, tr intensity.Tracker, z *feature.Allocation, i int) {
	ins, ok := tr.(intensity.Inserter)
	if !ok {
		return
	}
	a := law.(prior.Attraction)
	n := law.N()
	weights := make([]float64, n)
	ins.Insertions(i, weights)
	var perm []int
	for _, j := range a.Permutation() {
		if j != i {
			perm = append(perm, j)
		}
	}
	top := math.Inf(-1)
	want := make([]float64, n)
	for p := range want {
		with := append(append(append([]int(nil), perm[:p]...), i), perm[p:]...)
		want[p] = intensity.Unwrap(a.With(a.Temperature(), with)).SumLogIntensity(z)
		top = max(top, want[p])
	}
	if math.IsInf(top, -1) {
		return
	}
	shift := math.Inf(-1)
	for p, w := range weights {
		if want[p] == top { // far below it the difference has few digits
			shift = want[p] - w
			break
		}
	}
	for p, w := range weights {
		if !isNear(w+shift, want[p], 1e-9) {
			t.Fatalf("%v: item %d at position %d weighs %v, want %v, at Z\n%v", law, i, p, w+shift, want[p], z)
		}
	}
}
