package mcmc

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/internal/oracle/fixture"
)

// passages returns how often each column, and each pair of columns, changes in runs of a
// passage through the row of item i.
func passages(s *target, i, runs int, run func()) []float64 {
	k := s.K()
	counts := make([]float64, k*k)
	before := make([]bool, k)
	for b := range before {
		before[b] = s.Z().Has(i, b)
	}
	for range runs {
		s.Open(i)
		run()
		s.Close(nil)
		var changed []int
		for b, on := range before {
			if s.Z().Has(i, b) != on {
				changed = append(changed, b)
			}
		}
		for _, b := range changed {
			for _, c := range changed {
				counts[b*k+c]++
			}
		}
		s.Open(i)
		for _, b := range changed {
			s.Flip(b)
		}
		s.Close(nil)
	}
	return counts
}

// passageTail is the probability of a false alarm of TestPassage.
const passageTail = 1e-4

// TestPassage: rows come out of a passage as often with each column, and with each pair
// of columns changed, as out of a scan in random order that weighs every entry; of a
// passage with a fault they do not. The noise is taken for more than it is, so that
// entries flip often and bounds are below 1 all the same; and some columns are there
// twice, so that much depends on what has flipped before. The probability of a false
// alarm is at most passageTail by Bonferroni's bound, for a control without a fault too;
// the seed is fixed.
func TestPassage(t *testing.T) {
	a := twin(30, 40)
	_, s, stream := warm(t, a.posterior(t), start, 60)
	wide := s.Scales()
	wide.SigmaX *= 3
	s.SetScales(wide)
	for k := range s.K() {
		if s.Z().Size(k) > 3 {
			s.Append(slices.Clone(s.Column(k)))
		}
	}
	plain := &rowsCopy{}
	const runs = 4000
	items := []int{3, 11, 20, 28}
	var want [][]float64
	for _, i := range items {
		s.Refresh()
		want = append(want, passages(s, i, runs, func() { plain.pass(stream.Rand, s, i) }))
	}
	// tail returns the p value of the largest difference.
	tail := func(run func(i int)) float64 {
		worst, tests := 0.0, 0
		for x, i := range items {
			s.Refresh()
			for b, n := range passages(s, i, runs, func() { run(i) }) {
				if m := want[x][b]; n+m > 20 && n+m < 2*runs-20 {
					tests++
					mean := (n + m) / 2
					worst = max(worst, math.Abs(n-m)/math.Sqrt(2*mean*(1-mean/runs)))
				}
			}
		}
		if tests < 100 {
			t.Fatalf("%d tests, too few", tests)
		}
		return float64(tests) * math.Erfc(worst/math.Sqrt2)
	}
	var p passage
	if x := tail(func(i int) { p.run(stream.Rand, s, i) }); x < passageTail {
		t.Errorf("p = %.2g", x)
	}
	for _, fault := range passageFaults {
		if !*fixture.Long && fault.joint {
			continue // TestCalibration in the long form catches it too
		}
		p := fault.passageCopy
		x := tail(func(i int) { p.run(stream.Rand, s, i) })
		t.Logf("%s: p = %.2g", fault.wrong, x)
		if x >= passageTail {
			t.Errorf("%s: not caught, p = %.2g", fault.wrong, x)
		}
	}
}

// TestPassageBounds: at every flip the bounds of all ratios equal those of the row as it then
// is; bounds kept after a flip are not. It compares, so that it raises no false alarm.
func TestPassageBounds(t *testing.T) {
	a := twin(30, 40)
	_, s, stream := warm(t, a.posterior(t), start, 60)
	wide := s.Scales()
	wide.SigmaX *= 3
	s.SetScales(wide)
	// low returns how many bounds are below their ratio.
	low := func(p *passage, flip func(i int) bool) (count int) {
		for range 20 {
			for i := range s.N() {
				s.Open(i)
				p.begin(s, i)
				s.FlipBounds(p.bounds, p.prior)
				for ok := true; ok; {
					columns, ratios := slices.Clone(p.columns), make([]float64, s.K())
					for _, a := range columns {
						ratios[a] = math.Exp(s.LogFlip(a) + s.Law().LogFlip(i, a))
					}
					ok = flip(i)
					for _, a := range columns {
						if p.bounds[a] < ratios[a] {
							count++
						}
					}
				}
				s.Close(nil)
			}
		}
		return count
	}
	right, twin := new(passage), &passageCopy{keepBounds: true}
	if n := low(right, func(i int) bool { return right.flip(stream.Rand, s, i) }); n > 0 {
		t.Errorf("%d bounds are too low", n)
	}
	n := low(&twin.passage, func(i int) bool { return twin.flip(stream.Rand, s, i) })
	t.Logf("%d kept bounds are too low", n)
	if n == 0 {
		t.Error("bounds kept after a flip go unnoticed")
	}
}

// TestPassageCopy: rows with the copy without a fault are rows, draw by draw. It compares,
// so that it raises no false alarm.
func TestPassageCopy(t *testing.T) {
	run := func(k kernel) *target {
		s := must(newState(twin(30, 40).posterior(t), start))
		rng := NewStream(1, "copy").Rand
		for range 40 {
			k.Step(rng, s)
		}
		return s
	}
	if want := run(exactRows()).Z(); !run(rowsWithPassage(passageCopy{})()).Z().Clone().Equal(want.Clone()) {
		t.Error("the copy makes other draws")
	}
}

// TestOnes: the bits of ones are 1 with the given probability. A false alarm has
// probability 1e-6.
func TestOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range []float64{0, 1e-300, 0.001, 0.25, 1. / 3, 0.7, 1 - 0x1p-53} {
		const words = 2000
		count := 0
		for range words {
			count += bits.OnesCount64(ones(rng, p))
		}
		n := float64(64 * words)
		if math.Abs(float64(count)-n*p) > 5.4*math.Sqrt(n*p*(1-p))+1e-3 {
			t.Errorf("%d of %v bits are 1, of probability %v", count, n, p)
		}
	}
}
