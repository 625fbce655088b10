package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/oracle/fixture"
	"aibd/lglfm"
)

var nan = math.NaN()

// threeWithGaps is three items with unknown cells: one of a column, one of the other, and
// an item of which nothing is observed.
var threeWithGaps = func() []enumerated {
	one, two := threeItems, threeItems
	one.x = [][]float64{{1.1, -0.3}, {nan, 0.4}, {-0.8, nan}}
	two.x = [][]float64{{1.1, -1.3}, {nan, nan}, {-0.8, 1.3}}
	three := one
	three.intercept = true
	three.x = [][]float64{{3.1, -0.3}, {nan, 1.4}, {1.2, nan}}
	return []enumerated{one, two, three}
}()

// withColumns is a scan of a kernel of cells with births and deaths of columns, which take the cells
// as they are: the rows redraw them.
func withColumns(k kernel) *cycle {
	return newCycle(append([]kernel{k}, slices.Repeat([]kernel{new(columns)}, 6)...)...)
}

// TestExactPosteriorCells compares chains with enumeration, by the rules of
// TestExactPosterior. The exact posterior integrates the unknown cells out.
func TestExactPosteriorCells(t *testing.T) {
	for i, c := range threeWithGaps {
		if z := c.worst(t, fmt.Sprint("cells ", i), length(scans/10), withColumns(cells), nil); !(z < limit) {
			t.Errorf("data %d: |z| = %.2f, want below %v", i+1, z, limit)
		}
	}
	// The rows redraw the missing cells of each item: no other kernel is needed.
	for i, c := range threeWithGaps {
		if z := c.worst(t, fmt.Sprint("rows ", i), length(scans/10), newCycle(exactRows(), new(columns)), nil); !(z < limit) {
			t.Errorf("rows, data %d: |z| = %.2f, want below %v", i+1, z, limit)
		}
		if !*fixture.Long && i != 1 {
			continue // TestExactPosteriorBlocksTogether has blocks with cells and an intercept
		}
		if z := c.worst(t, fmt.Sprint("blocks ", i), length(scans/10), newCycle(&blocks{size: 3}, exactRows()), nil); !(z < limit) {
			t.Errorf("blocks, data %d: |z| = %.2f, want below %v", i+1, z, limit)
		}
	}
}

// TestCellsTwins shows that the test above rejects kernels with one fault.
func TestCellsTwins(t *testing.T) {
	c := threeWithGaps[0]
	for name, twin := range map[string]struct {
		kernel
		scans int
	}{
		"means":    {plugIn(), scans / 80},
		"all rows": {cellsCopy{allRows: true}, scans / 20},
		"no noise": {cellsCopy{noise: true}, scans / 40},
	} {
		z := c.worst(t, "cells "+name, length(twin.scans), withColumns(twin.kernel), nil)
		t.Logf("%s: |z| = %.1f", name, z)
		if z < limit {
			t.Errorf("%s passes with |z| = %.2f", name, z)
		}
	}
	for name, k := range map[string]kernel{
		"old cells":   &gapsCopy{old: true},
		"means":       &gapsCopy{means: true},
		"interchange": &gapsCopy{swapped: true},
	} {
		if !*fixture.Long && name != "old cells" {
			continue
		}
		z := c.worst(t, "rows "+name, length(scans/20), newCycle(k, new(columns)), nil)
		t.Logf("rows, %s: |z| = %.1f", name, z)
		if z < limit {
			t.Errorf("rows with %s pass with |z| = %.2f", name, z)
		}
	}
	c = threeWithGaps[2]
	without := c
	without.intercept = false
	z := c.worst(t, "cells without the intercept", length(scans/20), withColumns(forgetful{cells, without.posterior(t).Data}), nil)
	t.Logf("cells without the intercept: |z| = %.1f", z)
	if z < limit {
		t.Errorf("cells without the intercept pass with |z| = %.2f", z)
	}
}

// TestExactCells compares means and squares of the unknown cells over a chain with those of
// the mixture over all allocations.
func TestExactCells(t *testing.T) {
	for _, c := range threeWithGaps {
		post, probs := c.posterior(t), c.exact(t)
		var conditional collapsed.Cells
		want := map[[2]int][2]float64{}
		feature.Enumerate(3, c.maxK, func(z *feature.Allocation) bool {
			y := z
			if c.intercept {
				y = collapsed.WithOnes(z)
			}
			conditional.Reset(collapsed.Unwrap(post.Data), y, c.scales)
			conditional.Moments(func(i, j int, mean, sd float64) {
				p, w := probs[code(z)], want[[2]int{i, j}]
				want[[2]int{i, j}] = [2]float64{w[0] + p*mean, w[1] + p*(mean*mean+sd*sd)}
			})
			return true
		})
		var exact []float64
		for _, cell := range collapsed.Unwrap(post.Data).UnknownCells() {
			exact = append(exact, want[cell][0], want[cell][1])
		}
		c.compareMeans(t, "unknown cells", newCycle(cells, exactRows()), exact, func(s *target, values []float64) {
			for cell, v := range s.Unknowns().Cells {
				values[2*cell], values[2*cell+1] = v, v*v
			}
		}, "moments of cells, quantity")
	}
}

// gapped is a posterior of n items and d variables, of which a share of the cells is
// unknown, with everything random.
func gapped(t testing.TB, n, d int, share float64) *Posterior {
	a := twin(n, d)
	rng := rand.New(rand.NewPCG(1, 10))
	for _, row := range a.x {
		for j := range row {
			if rng.Float64() < share {
				row[j] = nan
			}
		}
	}
	return a.posterior(t)
}

// rated is gapped with every third column ordinal, of 4 categories.
func rated(t testing.TB, n, d int, share float64) *Posterior {
	post := gapped(t, n, d, share)
	x := collapsed.Unwrap(post.Data).Completed()
	var all []lglfm.Ordinal
	for j := 0; j < d; j += 3 {
		o := lglfm.Ordinal{Variable: j, Levels: 4}
		for _, row := range x {
			o.Level = append(o.Level, btoi(row[j] > -0.5)+btoi(row[j] > 0)+btoi(row[j] > 0.4))
			row[j] = nan
		}
		all = append(all, o)
	}
	for _, cell := range post.Data.UnknownCells() {
		if x[cell[0]][cell[1]] = nan; cell[1]%3 == 0 {
			all[cell[1]/3].Level[cell[0]] = -1
		}
	}
	post.Data = must(lglfm.NewBounded(x, nil, all...))
	return post
}

// TestCellsResume: a chain that is resumed, during annealing or after, makes the draws of
// one that was not stopped.
func TestCellsResume(t *testing.T) {
	for number, post := range []*Posterior{gapped(t, 12, 6, 0.2), gapped(t, 6, 12, 0.2), rated(t, 12, 6, 0.2)} {
		o, cfg := DefaultOptions(), Config{Warmup: 25, Draws: 10, Thin: 1}
		o.Anneal = 20
		chain := func() *Chain {
			c, err := NewChain(post, Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}}, o, cfg, NewStream(7, "chain-1"))
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		var whole tape
		if err := chain().Run(t.Context(), &whole); err != nil {
			t.Fatal(err)
		}
		for _, stop := range []int{13, 30} {
			var pieces tape
			c := chain()
			for c.Done() < stop {
				c.step()
				if kept := c.Done() + 1 - cfg.Warmup; kept > 0 {
					if err := pieces.Record(c.record(kept - 1)); err != nil {
						t.Fatal(err)
					}
				}
				c.count()
			}
			p, err := c.Checkpoint()
			if err != nil {
				t.Fatal(err)
			}
			before := c.target.Unknowns()
			if c, err = Resume(post, o, cfg, p); err != nil {
				t.Fatal(err)
			}
			if u := c.target.Unknowns(); !reflect.DeepEqual(u.Cells, before.Cells) || !reflect.DeepEqual(u.Cutpoints, before.Cutpoints) {
				t.Error("the cells or the cutpoints of the checkpoint were lost")
			}
			if err := c.Run(t.Context(), &pieces); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(pieces.lines, whole.lines) {
				t.Errorf("posterior %d, stopped after %d scans: other draws", number, stop)
			}
			if changed := p; post.Data.FreeCutpoints() > 0 {
				changed.Cutpoints = changed.Cutpoints[1:]
				if _, err := Resume(post, o, cfg, changed); err == nil {
					t.Error("a checkpoint with too few cutpoints is accepted")
				}
				changed.Cutpoints = slices.Clone(p.Cutpoints)
				changed.Cutpoints[0] = -1
				if _, err := Resume(post, o, cfg, changed); err == nil {
					t.Error("a checkpoint with a cutpoint below the first is accepted")
				}
			}
			p.Cells = p.Cells[1:]
			if _, err := Resume(post, o, cfg, p); err == nil {
				t.Error("a checkpoint with too few cells is accepted")
			}
		}
	}
}

// BenchmarkCells measures a scan of data of the size of the application, complete and with
// a tenth of the cells unknown.
func BenchmarkCells(b *testing.B) {
	for _, size := range [][2]int{{124, 100}, {62, 224}} {
		for _, share := range []float64{0, 0.1} {
			b.Run(fmt.Sprintf("%dx%d,%g", size[0], size[1], share), func(b *testing.B) {
				post := gapped(b, size[0], size[1], share)
				top := lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}
				c, err := NewChain(post, Start{Scales: top}, DefaultOptions(), Config{Warmup: 1 << 30, Draws: 1, Thin: 1}, NewStream(1, "benchmark"))
				if err != nil {
					b.Fatal(err)
				}
				for range 200 {
					c.step()
					c.count()
				}
				b.ResetTimer()
				began := cpu()
				for b.Loop() {
					c.step()
				}
				b.ReportMetric((cpu()-began)/1e6/float64(b.N), "cpu-ms/op")
				b.ReportMetric(float64(c.target.K()), "features")
			})
		}
	}
}
