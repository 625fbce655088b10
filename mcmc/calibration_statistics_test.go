package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// compositions calls f with all ways to put n ranks into the cells, and their
// probability under uniformity.
func compositions(n, cells int, f func(counts []int, prob float64)) {
	fact := logFactorials(n)
	counts := make([]int, cells)
	var fill func(cell, remaining int, log float64)
	fill = func(cell, remaining int, log float64) {
		if cell == cells-1 {
			counts[cell] = remaining
			f(counts, math.Exp(log-fact[remaining]+fact[n]-float64(n)*math.Log(float64(cells))))
			return
		}
		for c := range remaining + 1 {
			counts[cell] = c
			fill(cell+1, remaining-c, log-fact[c])
		}
	}
	fill(0, n, 0)
}

// The p value is the probability of its own value or less, by enumeration of all
// outcomes: nothing here is random.
func TestPIsExact(t *testing.T) {
	for _, size := range [][2]int{{1, 4}, {7, 2}, {6, 4}, {12, 3}, {9, 5}} {
		n, cells := size[0], size[1]
		table := tables(n, cells)
		type outcome struct{ least, p, prob float64 }
		var all []outcome
		total := 0.0
		compositions(n, cells, func(counts []int, prob float64) {
			r := &Ranks{n: n, counts: [][]int{counts}}
			p, _ := r.P()
			all = append(all, outcome{leastTail(counts, table), p, prob})
			total += prob
		})
		if math.Abs(total-1) > 1e-12 {
			t.Fatalf("%d ranks in %d cells: probabilities add to %v", n, cells, total)
		}
		for _, o := range all {
			want := 0.0
			for _, other := range all {
				if other.least <= o.least*(1+1e-9) {
					want += other.prob
				}
			}
			if math.Abs(o.p-want) > 1e-11 {
				t.Errorf("%d ranks in %d cells: p = %v, want %v", n, cells, o.p, want)
			}
		}
	}
}

// Below 1e-8 the p value is the sum over the cells, no less than the truth; both
// ways agree where they meet.
func TestSmallP(t *testing.T) {
	for _, n := range []int{50, 1000, 8000} {
		table := tables(n, 16)
		for _, least := range []float64{1e-3, 1e-6, 1e-8} {
			p := tailProb(n, table, least)
			if bound := 15 * least; !(p <= bound && p > bound/30) {
				t.Errorf("n = %d: p = %g of a smallest tail of %g, expected at most %g and not much less", n, p, least, bound)
			}
		}
	}
	far := make([]int, 16)
	far[3] = 5000
	if p, _ := (&Ranks{n: 5000, counts: [][]int{far}}).P(); !(p >= 0 && p < 1e-300) {
		t.Errorf("all ranks alike: p = %g", p)
	}
}

func TestEnvelope(t *testing.T) {
	for _, n := range []int{20, 500} {
		low, high := Envelope(n, 16, 0.05)
		if leave := 1 - inside(n, low, high); !(leave <= 0.05 && leave > 0.02) {
			t.Errorf("n = %d: uniform ranks leave the band with probability %g, want at most 0.05 and little less", n, leave)
		}
		for j := range low {
			if m := float64(n*(j+1)) / 16; !(float64(low[j]) <= m && m <= float64(high[j])) {
				t.Errorf("n = %d: the band from %d to %d at %d is not around %g", n, low[j], high[j], j, m)
			}
		}
	}
}

// Each rank of an exchangeable sample is as probable as the others, ties and NaN
// included: over all orders of a sample, with the random ties counted out.
func TestRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, sample := range [][]float64{{1, 2, 3, 4}, {1, 1, 2, 2}, {0, 0, 0, 0}, {math.NaN(), 1, math.NaN(), math.Inf(-1)}} {
		expected := make([]float64, 4)
		for i, x := range sample {
			references := slices.Delete(slices.Clone(sample), i, i+1)
			seen := map[int]bool{}
			for range 200 { // each of at most 4 ranks is missed with probability 1e-25
				seen[Rank(rng, x, references)] = true
			}
			for rank := range seen {
				expected[rank] += 1 / float64(len(seen))
			}
		}
		for rank, e := range expected {
			if math.Abs(e-1) > 1e-12 {
				t.Errorf("%v: rank %d is expected %v times in 4", sample, rank, e)
			}
		}
	}
}

// probabilityOfAlarm returns the probability that a test raises the alarm if its p values
// are uniform, from its thresholds.
func probabilityOfAlarm(alarm []float64, goOn float64) float64 {
	rate, remaining := 0.0, 1.0
	for _, a := range alarm {
		rate += remaining * a
		remaining *= math.Max(0, goOn-a)
	}
	return rate
}

func TestSequentialFalseAlarms(t *testing.T) {
	for _, stages := range []int{1, 2, 4, 7} {
		for _, alpha := range []float64{1e-6, 1e-5, 0.01, 0.2} {
			s := Sequential{Alpha: alpha, Stages: stages, First: 10, Later: 40}
			alarm, goOn := s.Thresholds()
			rate := probabilityOfAlarm(alarm, goOn)
			// Those that raise the alarm do not go on: a little less than the bound.
			if !(rate <= alpha*(1+1e-12) && rate > alpha*0.4) {
				t.Errorf("%+v: false alarms %g", s, rate)
			}
			if alarm[stages-1] != goOn {
				t.Errorf("%+v: undecided at the end", s)
			}
			// The broken twin looks as often without asking for more each time.
			twin := slices.Repeat([]float64{alpha}, stages)
			if stages > 1 && alpha < 0.1 && !(probabilityOfAlarm(twin, 1) > alpha*1.5) {
				t.Errorf("%+v: the twin without correction has rate %g", s, probabilityOfAlarm(twin, 1))
			}
		}
	}
}

// The procedure itself, run on p values of uniform ranks, has the rate of its
// thresholds. The number of alarms in 20,000 tests of rate at most 0.05 exceeds
// 1,200 with probability below 1e-9 (its standard deviation is at most 31). Its
// twin, whose ranks are of a sampler that is a little off, exceeds it.
func TestSequentialRuns(t *testing.T) {
	s := Sequential{Alpha: 0.05, Stages: 3, First: 20, Later: 60}
	rng := rand.New(rand.NewPCG(3, 4))
	alarms := func(cells int) int {
		count, ranks := 0, make([]int, 3)
		for range 20_000 {
			v := s.Test(func(_, n int) (float64, int) {
				r := NewRanks(3, 4)
				for range n {
					for q := range ranks {
						ranks[q] = min(rng.IntN(cells), 3)
					}
					r.Add(ranks)
				}
				return r.P()
			})
			if v.Alarm {
				count++
			}
		}
		return count
	}
	if n := alarms(4); n > 1200 {
		t.Errorf("%d alarms in 20,000 tests of uniform ranks, expected at most 1,000 in the mean", n)
	}
	if n := alarms(5); n < 1200 {
		t.Errorf("%d alarms in 20,000 tests of ranks that are not uniform", n)
	}
}

func TestSequentialStages(t *testing.T) {
	s := Sequential{Alpha: 1e-5, Stages: 4, First: 10, Later: 40}
	run := func(ps ...float64) Verdict {
		return s.Test(func(stage, _ int) (float64, int) { return ps[stage], 7 })
	}
	for _, test := range []struct {
		ps   []float64
		want Verdict
	}{
		{[]float64{0.5}, Verdict{false, 1, 10, 0.5, 7}},
		{[]float64{1e-9}, Verdict{true, 1, 10, 1e-9, 7}},
		{[]float64{0.01, 0.3}, Verdict{false, 2, 50, 0.3, 7}},
		{[]float64{0.01, 1e-6}, Verdict{true, 2, 50, 1e-6, 7}},
		{[]float64{0.01, 0.01, 0.01, 0.03}, Verdict{true, 4, 130, 0.03, 7}},
		{[]float64{0.01, 0.01, 0.01, 0.05}, Verdict{false, 4, 130, 0.05, 7}},
	} {
		if got := run(test.ps...); got != test.want {
			t.Errorf("p values %v: %+v, want %+v", test.ps, got, test.want)
		}
	}
	for _, bad := range []Sequential{{}, {Alpha: 0.1, Stages: 1, First: 1}, {Alpha: 1, Stages: 1, First: 1, Later: 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v: no panic", bad)
				}
			}()
			bad.Test(func(int, int) (float64, int) { return 1, 0 })
		}()
	}
}

func TestDetect(t *testing.T) {
	sizes := []int{10, 20, 40, 80}
	for _, test := range []struct {
		ps   []float64
		want Verdict
	}{
		{[]float64{0.0025}, Verdict{true, 1, 10, 0.0025, 3}},
		{[]float64{0.9, 0.0026, 0.001}, Verdict{true, 3, 40, 0.001, 3}},
		{[]float64{0.9, 0.0026, 0.5, 0.0026}, Verdict{false, 4, 80, 0.0026, 3}},
	} {
		got := Detect(0.01, sizes, func(stage, n int) (float64, int) {
			if n != sizes[stage] {
				t.Errorf("stage %d of size %d", stage, n)
			}
			return test.ps[stage], 3
		})
		if got != test.want {
			t.Errorf("p values %v: %+v, want %+v", test.ps, got, test.want)
		}
	}
}
