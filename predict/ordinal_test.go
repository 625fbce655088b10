package predict

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"aibd/draws"
	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// rated is X of an ordinal column with a missing cell, one with limits and one of numbers, a draw
// given these, and the bounds of all cells that have any at its cutpoints.
func rated(t *testing.T, rng *rand.Rand) (x [][]float64, limits []lglfm.Bound, o lglfm.Ordinal, d *draws.Draw, bounds []lglfm.Bound) {
	const n = 6
	inf := math.Inf(1)
	x, d = randomX(rng, n, 3), randomDraw(t, rng, n, 3)
	o = lglfm.Ordinal{Variable: 0, Levels: 4, Level: []int{2, 0, -1, 3, 1, 1}}
	d.Cutpoints = []float64{0.4, 1.1}
	ends := []float64{-inf, 0, 0.4, 1.1, inf}
	for i, level := range o.Level {
		x[i][0] = math.NaN()
		if level >= 0 {
			bounds = append(bounds, lglfm.Bound{Item: i, Variable: 0, Lower: ends[level], Upper: ends[level+1]})
			d.Cells = append(d.Cells, []float64{-0.3, 0.2, 0.7, 1.5}[level])
		}
		x[i][1] = max(-0.5, x[i][1])
		if i == 4 {
			x[i][1] = math.NaN()
			limits = append(limits, lglfm.Bound{Item: i, Variable: 1, Lower: -inf, Upper: -0.5})
			d.Cells = append(d.Cells, -0.9)
		}
	}
	return x, limits, o, d, append(bounds, limits...)
}

// TestOrdinalIsBounded: given a draw, an ordinal column is one with bounds at its cutpoints.
func TestOrdinalIsBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 14))
	x, limits, o, d, bounds := rated(t, rng)
	data, err := lglfm.NewBounded(x, limits, o)
	if err != nil {
		t.Fatal(err)
	}
	bounded, err := lglfm.NewBounded(x, bounds)
	if err != nil {
		t.Fatal(err)
	}
	plain := *d
	plain.Cutpoints = nil
	got, err := CellLogLik(data, []*draws.Draw{d})
	if err != nil {
		t.Fatal(err)
	}
	want, err := CellLogLik(bounded, []*draws.Draw{&plain})
	if err != nil {
		t.Fatal(err)
	}
	for c, v := range got[0] {
		if v != want[0][c] && !(math.IsNaN(v) && c == 6) {
			t.Errorf("cell %d: log density %v, want %v", c, v, want[0][c])
		}
	}
	// The missing cell.
	cells, err := NewCells(data, [][]*draws.Draw{{d}})
	if err != nil {
		t.Fatal(err)
	}
	conditional := lglfm.NewCells(bounded)
	if err := conditional.ResetDraw(&plain); err != nil {
		t.Fatal(err)
	}
	conditional.Each(func(_, _ int, mean, sd float64) {
		sum := 0.0
		for level, p := range cells.Categories(0) {
			ends := []float64{math.Inf(-1), 0, 0.4, 1.1, math.Inf(1)}
			if want := math.Exp(collapsed.LogInterval((ends[level]-mean)/sd, (ends[level+1]-mean)/sd)); math.Abs(p-want) > 1e-12 {
				t.Errorf("category %d: probability %v, want %v", level, p, want)
			}
			sum += p
		}
		if len(cells.Places) != 1 || math.Abs(sum-1) > 1e-12 {
			t.Errorf("%d missing cells, the probabilities of one add to %v", len(cells.Places), sum)
		}
	})
	d.Cutpoints = d.Cutpoints[1:]
	if _, err := NewCells(data, [][]*draws.Draw{{d}}); err == nil {
		t.Error("a draw with too few cutpoints is accepted")
	}
}

// TestReplicateOfLatent: given the latent values of a draw, replicates equal replicates of X with these
// values, and observed as categories and up to the limits.
func TestReplicateOfLatent(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 15))
	x, limits, o, d, _ := rated(t, rng)
	data, err := lglfm.NewBounded(x, limits, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReplicator(data)
	if err != nil {
		t.Fatal(err)
	}
	complete := data.Complete(d)
	full, err := NewReplicator(mustData(t, complete))
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int, 4)
	for seed := range uint64(50) {
		y, err := r.Draw(d, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		want, err := full.Draw(d, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(y.Signal, want.Signal) {
			t.Fatalf("signal %v, want %v", y.Signal, want.Signal)
		}
		for i, row := range y.X {
			latent := want.X[i]
			if o.Level[i] >= 0 {
				level := 0
				for _, cut := range []float64{0, 0.4, 1.1} {
					if latent[0] > cut {
						level++
					}
				}
				counts[level]++
				if row[0] != float64(level) {
					t.Errorf("category %v of the value %v", row[0], latent[0])
				}
			} else if !math.IsNaN(row[0]) {
				t.Errorf("category %v of a missing cell", row[0])
			}
			if row[1] != max(latent[1], -0.5) || row[2] != latent[2] {
				t.Errorf("found %v, want %v with the limit -0.5", row[1:], latent[1:])
			}
		}
	}
	for level, count := range counts {
		if count == 0 {
			t.Errorf("no replicate has category %d", level)
		}
	}
	observed := r.Observed(d)
	for i, level := range o.Level {
		if level >= 0 && observed[i][0] != float64(level) || i == 4 && observed[i][1] != -0.5 {
			t.Errorf("item %d is observed as %v", i, observed[i])
		}
	}
	// Without a common limit only the cell itself has one.
	x[0][1] = -3
	if data, err = lglfm.NewBounded(x, limits, o); err != nil {
		t.Fatal(err)
	}
	if r, err = NewReplicator(data); err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(r.below[0][1], -1) || r.below[4][1] != -0.5 || !math.IsInf(r.above[4][1], 1) {
		t.Errorf("limits %v, %v", r.below, r.above)
	}
	// Checks take categories and limits.
	r, err = NewReplicator(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range mustCheck(t, r, []*draws.Draw{d, d, d}, rng)[0].Checks {
		if c.Indices[0] == 0 && math.Abs(c.Observed-7.0/5) > 1e-12 {
			t.Errorf("the mean category is %v, want 7/5", c.Observed)
		}
	}
}
