package verdict

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
)

// allocations returns draws of two features of six items: each item has each with
// probability 1/2, but in chain odd items 0 and 1 have both always.
func allocations(chains, length, odd int) [][]*draws.Draw {
	rng := rand.New(rand.NewPCG(1, 1))
	all := make([][]*draws.Draw, chains)
	for c := range all {
		for range length {
			z := feature.New(6)
			for range 2 {
				bits := rng.Uint64N(63) + 1
				if c == odd {
					bits |= 3
				}
				z.AppendColumn([]uint64{bits})
			}
			all[c] = append(all[c], &draws.Draw{SigmaX: 0.5, SigmaA: 1, Z: z})
		}
	}
	return all
}

var items = []string{"a", "b", "c", "d", "e", "f"}

func TestSharing(t *testing.T) {
	same := NewSharing(items, allocations(4, 2000, -1))
	if got := same.finding(); got.disagrees() || got.Entries != 15 {
		t.Errorf("found %+v, expected 15 pairs that agree", got)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 3} {
		runtime.GOMAXPROCS(cores)
		family := NewSharing(items, allocations(4, 2000, 2))
		got := family.finding()
		if !got.disagrees() || got.Worst[0] != "a - b" {
			t.Errorf("%d cores: found %+v, expected a - b to disagree most", cores, got)
		}
		v := Judge(Input{Families: []Family{family}, Run: testRun})
		text := strings.Join(v.Lines(), "\n")
		if v.Agreed || v.Pattern != Slow || !strings.Contains(text, "of 15 pairs of items, most on a - b") || !strings.Contains(text, "more draws may help") {
			t.Errorf("found %s", text)
		}
	}
}

// Of many items a sample of the pairs is judged, each pair of two items.
func TestPairs(t *testing.T) {
	if pairs, name := pairsOf(256); len(pairs) != 32_640 || name != "pairs of items" {
		t.Errorf("found %d %s, expected all", len(pairs), name)
	}
	pairs, name := pairsOf(20_000)
	if len(pairs) != maxPairs || name != "sampled pairs of items" {
		t.Errorf("found %d %s", len(pairs), name)
	}
	sum := 0.0
	for _, p := range pairs {
		if p[0] >= p[1] || p[1] >= 20_000 || p[0] < 0 {
			t.Fatalf("found the pair %v", p)
		}
		sum += float64(p[0]) / maxPairs
	}
	if sum < 6510 || sum > 6823 { // a third, six standard errors
		t.Errorf("found the mean %v of the first items, expected that of all pairs", sum)
	}
}

func TestFitted(t *testing.T) {
	x := [][]float64{{5, 0}, {5, 0}, {0, 1}, {0, 1}, {1, 1}, {0, 0}}
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	for odd, disagrees := range map[int]bool{-1: false, 2: true} {
		family, err := NewFitted(items, []string{"u", "v"}, data, allocations(4, 2000, odd))
		if err != nil {
			t.Fatal(err)
		}
		if got := family.finding(); got.disagrees() != disagrees || got.Entries != 12 {
			t.Errorf("chain %d apart: found %+v", odd, got)
		}
	}
	if _, err := NewFitted(items, []string{"u", "v"}, data, [][]*draws.Draw{{{SigmaX: 0, SigmaA: 1}}}); err == nil {
		t.Error("found no error for SigmaX 0")
	}
}

// With an intercept a column and its complement fit the same values.
func TestFittedIntercept(t *testing.T) {
	x := [][]float64{{1, 2}, {3, 1}, {0, 5}, {2, 2}}
	data, err := lglfm.NewData(x)
	if err == nil {
		data, err = data.WithIntercept()
	}
	if err != nil {
		t.Fatal(err)
	}
	means := func(rows [][]int) []float64 {
		z, err := feature.FromRows(rows)
		if err != nil {
			t.Fatal(err)
		}
		d := &draws.Draw{Z: z, SigmaX: 1, SigmaA: 1}
		family, err := NewFitted([]string{"a", "b", "c", "d"}, []string{"u", "v"}, data, [][]*draws.Draw{{d, d, d, d}})
		if err != nil {
			t.Fatal(err)
		}
		return family.mean[0]
	}
	got, expected := means([][]int{{1}, {0}, {0}, {0}}), means([][]int{{0}, {1}, {1}, {1}})
	for v := range got {
		if math.Abs(got[v]-expected[v]) > 1e-12 {
			t.Errorf("found fitted values %v, expected %v", got, expected)
		}
	}
}

// familyOf returns a family of entries with the given chains.
func familyOf(entries ...[][]float64) Family {
	half := len(entries[0][0]) / 2
	f := Family{n: half, Name: "entries", Label: func(int) string { return "e" }}
	for c := range entries[0] {
		for _, begin := range []int{0, half} {
			var means, variances []float64
			for _, chains := range entries {
				mean, variance := stat.MeanVariance(chains[c][begin:begin+half], nil)
				means, variances = append(means, mean), append(variances, variance)
			}
			f.mean, f.variance = append(f.mean, means), append(f.variance, variances)
		}
	}
	return f
}

// If only families disagree, they show the pattern. Slow chains are seldom said to drift.
func TestPatternsOfFamilies(t *testing.T) {
	const entries = 40
	pattern := func(seed uint64, draws int, correlation, up float64, means []float64) Pattern {
		var all [][][]float64
		for e := range uint64(entries) {
			chains := simulated(seed*entries+e, means, draws, correlation)
			for _, chain := range chains {
				for i := range draws / 2 {
					chain[i] += up
				}
			}
			all = append(all, chains)
		}
		return Judge(Input{Families: []Family{familyOf(all...)}, Run: testRun}).Pattern
	}
	if got := pattern(1, 1000, 0.5, 0, []float64{0, 0, 3, 3}); got != Places {
		t.Errorf("found %s, expected %s", got, Places)
	}
	if got := pattern(1, 1000, 0.5, 3, zeros); got != Short {
		t.Errorf("found %s, expected %s", got, Short)
	}
	for correlation, limit := range map[float64]int{0.95: 0, 0.99: 15} {
		places := 0
		for seed := range uint64(50) {
			switch got := pattern(seed, 1000, correlation, 0, zeros); got {
			case Places:
				places++
			case Short:
				t.Errorf("correlation %v, seed %d: found %s, expected %s", correlation, seed, got, Slow)
			}
		}
		if places > limit {
			t.Errorf("correlation %v: found chains in different places in %d of 50 runs, expected at most %d", correlation, places, limit)
		}
	}
}

// Differences far below what matters are no disagreement, though the chains are constant.
func TestNegligible(t *testing.T) {
	for difference, apart := range map[float64]int{0.001: 0, 0.5: 1} {
		f := Family{n: 500, Negligible: 0.1, Label: func(int) string { return "e" }, mean: [][]float64{{0}, {0}, {difference}, {difference}}, variance: [][]float64{{0}, {0}, {0}, {0}}}
		if got := f.finding(); got.Apart != apart {
			t.Errorf("difference %v: found %d entries apart, expected %d", difference, got.Apart, apart)
		}
	}
}
