package predict

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"aibd/draws"
	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// logBounded returns log p(observed cells, bounds | state) of a column with one cell with bounds.
func logBounded(t *testing.T, x [][]float64, b lglfm.Bound, d *draws.Draw) float64 {
	data := mustData(t, x)
	conditional, sum := lglfm.NewCells(data), lglfm.LogLik(data, d.Z, lglfm.ScalesOf(d))
	if err := conditional.Reset(d.Z, lglfm.ScalesOf(d)); err != nil {
		t.Fatal(err)
	}
	conditional.Each(func(i, _ int, mean, sd float64) {
		if i == b.Item {
			sum += collapsed.LogInterval((b.Lower-mean)/sd, (b.Upper-mean)/sd)
		}
	})
	return sum
}

// TestCellLogLikOfBounds: draws from a posterior over a few states and the value of a cell
// between bounds give the exact predictive density of each observed cell, and the
// exact predictive probability of the bounds.
func TestCellLogLikOfBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 15))
	const n, states, size = 4, 6, 40_000
	x := randomX(rng, n, 1)
	x[2][0] = math.NaN()
	b := lglfm.Bound{Item: 2, Lower: 0.4, Upper: math.Inf(1)}
	data, err := lglfm.NewBounded(x, []lglfm.Bound{b})
	if err != nil {
		t.Fatal(err)
	}
	free := mustData(t, x)
	var state []*draws.Draw
	joint := make([]float64, states)
	for s := range states {
		state = append(state, randomDraw(t, rng, n, 3))
		joint[s] = logBounded(t, x, b, state[s])
	}
	total := floats.LogSumExp(joint)
	var ds []*draws.Draw
	conditional := lglfm.NewCells(free)
	for range size {
		u, s := rng.Float64(), 0
		for ; s < states-1; s++ {
			if u -= math.Exp(joint[s] - total); u < 0 {
				break
			}
		}
		d := *state[s]
		if err := conditional.Reset(d.Z, lglfm.ScalesOf(&d)); err != nil {
			t.Fatal(err)
		}
		conditional.Each(func(_, _ int, mean, sd float64) {
			v := math.Inf(-1)
			for v < b.Lower {
				v = mean + sd*rng.NormFloat64()
			}
			d.Cells = []float64{v}
		})
		ds = append(ds, &d)
	}
	logs, err := CellLogLik(data, ds)
	if err != nil {
		t.Fatal(err)
	}
	for item := range n {
		inverse := make([]float64, size)
		for s, row := range logs {
			inverse[s] = -row[item]
		}
		got := -logMean(inverse)
		without := make([]float64, states)
		for s := range without {
			if item == b.Item {
				without[s] = lglfm.LogLik(free, state[s].Z, lglfm.ScalesOf(state[s]))
				continue
			}
			remaining := make([][]float64, n)
			for i := range x {
				remaining[i] = []float64{x[i][0]}
			}
			remaining[item][0] = math.NaN()
			without[s] = logBounded(t, remaining, b, state[s])
		}
		want := total - floats.LogSumExp(without)
		if !(math.Abs(got-want) <= 0.03) {
			t.Errorf("item %d: %v, want %v", item, got, want)
		}
	}
}
