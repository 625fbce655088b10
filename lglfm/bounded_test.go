package lglfm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
)

// TestBoundedDraw: at the values of a draw, data with bounds have the loadings and the missing
// cells of complete data with these values, in any block of columns. Values of another
// draw are noticed.
func TestBoundedDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	const n, d = 7, 3
	x := make([][]float64, n)
	for i := range x {
		for range d {
			x[i] = append(x[i], rng.NormFloat64())
		}
	}
	complete := make([][]float64, n)
	var bounds []lglfm.Bound
	var values []float64
	for i := range x {
		complete[i] = append([]float64(nil), x[i]...)
		for j := range d {
			switch {
			case i == 3 && j != 1: // missing
				x[i][j], complete[i][j] = math.NaN(), math.NaN()
			case j == 1 || i == 5: // a binary column, and limits
				b := lglfm.Bound{Item: i, Variable: j, Lower: 0, Upper: math.Inf(1)}
				if x[i][j] < 0 {
					b.Lower, b.Upper = math.Inf(-1), 0
				}
				bounds, values, x[i][j] = append(bounds, b), append(values, x[i][j]), math.NaN()
			}
		}
	}
	z, err := feature.FromRows([][]int{{1, 0}, {1, 1}, {0, 1}, {1, 0}, {0, 0}, {1, 1}, {0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	var weights []float64
	withValues := func(values []float64) *draws.Draw {
		return &draws.Draw{Z: z, Weights: weights, SigmaX: 0.6, SigmaA: 1.1, Cells: values}
	}
	for trial := range 4 {
		intercept := trial%2 == 1
		if weights = nil; trial >= 2 {
			for range z.Ones() {
				weights = append(weights, rng.NormFloat64())
			}
		}
		must := func(data *lglfm.Data, err error) *lglfm.Data {
			if err == nil && intercept {
				data, err = data.WithIntercept()
			}
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		bounded, completed := must(lglfm.NewBounded(x, bounds)), must(lglfm.NewData(complete))
		if bounded.Bounded() != len(bounds) || len(bounded.MissingCells()) != 2 {
			t.Fatalf("%d cells with bounds, %d missing", bounded.Bounded(), len(bounded.MissingCells()))
		}
		same := func(draw *draws.Draw) bool {
			const first = 1
			var right [][]float64
			for i := range x {
				right = append(right, x[i][first:])
			}
			l, want := lglfm.NewLoadingsFrom(bounded, right, first), lglfm.NewLoadingsFrom(completed, complete, 0)
			if err := l.ResetDraw(draw); err != nil {
				t.Fatal(err)
			}
			if err := want.ResetWeighted(z, weights, lglfm.ScalesOf(draw)); err != nil {
				t.Fatal(err)
			}
			off := 0.0
			add := func(got, want float64) { off = max(off, math.Abs(got-want)) }
			for k := range z.K() {
				for v := range d - first {
					add(l.Mean(k)[v], want.Mean(k)[first+v])
					add(l.Variance(k, v), want.Variance(k, first+v))
				}
			}
			count := map[[2]int][2]float64{}
			cells, wantCells := lglfm.NewCells(bounded), lglfm.NewCells(completed)
			if err := cells.ResetDraw(draw); err != nil {
				t.Fatal(err)
			}
			if err := wantCells.ResetWeighted(z, weights, lglfm.ScalesOf(draw)); err != nil {
				t.Fatal(err)
			}
			cells.Each(func(i, j int, mean, sd float64) { count[[2]int{i, j}] = [2]float64{mean, sd} })
			wantCells.Each(func(i, j int, mean, sd float64) {
				add(count[[2]int{i, j}][0], mean)
				add(count[[2]int{i, j}][1], sd)
			})
			return off < 1e-10 && len(count) == 2
		}
		if !same(withValues(values)) {
			t.Errorf("intercept %v, weights %v: not the distributions given these values", intercept, weights)
		}
		other := append([]float64(nil), values...)
		other[1] *= 2
		if same(withValues(other)) {
			t.Errorf("intercept %v, weights %v: another value goes unnoticed", intercept, weights)
		}
		if err := lglfm.NewLoadings(bounded).ResetDraw(withValues(values[1:])); err == nil {
			t.Error("a draw with too few cells is accepted")
		}
	}
}
