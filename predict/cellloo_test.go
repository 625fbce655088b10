package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/floats"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/oracle/dense"
	"aibd/lglfm"
)

func randomX(rng *rand.Rand, n, d int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		for range d {
			x[i] = append(x[i], rng.NormFloat64())
		}
	}
	return x
}

func randomDraw(t *testing.T, rng *rand.Rand, n, k int) *draws.Draw {
	rows := make([][]int, n)
	for i := range rows {
		for range k {
			rows[i] = append(rows[i], rng.IntN(2))
		}
	}
	for a := range k {
		rows[rng.IntN(n)][a] = 1
	}
	z, err := feature.FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	return &draws.Draw{Z: z, SigmaX: 0.3 + rng.Float64(), SigmaA: 0.3 + rng.Float64()}
}

// weigh gives the features of a draw random weights.
func weigh(rng *rand.Rand, d *draws.Draw) {
	for range d.Z.Ones() {
		d.Weights = append(d.Weights, rng.NormFloat64())
	}
}

// rowsOf returns the rows of the matrix that takes the place of Z in a draw.
func rowsOf(d *draws.Draw) (rows [][]float64) {
	g := d.Z.Weighted(nil, d.Weights)
	for i := range d.Z.N() {
		rows = append(rows, g[i*d.Z.K():(i+1)*d.Z.K()])
	}
	return rows
}

func mustData(t *testing.T, x [][]float64) *lglfm.Data {
	t.Helper()
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustIntercept(t *testing.T, data *lglfm.Data) *lglfm.Data {
	t.Helper()
	data, err := data.WithIntercept()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// With equal draws the estimate is the density of each entry given the others of its
// column: the density of the column over that of the column without the entry. With a flat
// intercept these densities are densities of contrasts, divided by root N and root N - 1.
func TestCellLOOOfOneState(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	for c := range 32 {
		const n, d = 5, 3
		k, intercept, gaps := []int{0, 1, 3, 7}[c%4], c/4%2 == 1, c/8%2 == 1
		x, draw := randomX(rng, n, d), randomDraw(t, rng, n, k)
		if c >= 16 {
			weigh(rng, draw)
		}
		if gaps { // two columns with the same unknown cells, one with another
			x[1][0], x[1][2], x[3][1] = math.NaN(), math.NaN(), math.NaN()
		}
		data, logLik := mustData(t, x), dense.LogLikExact[float64]
		if intercept {
			data, logLik = mustIntercept(t, data), func(x [][]float64, z [][]float64, sigmaX, sigmaA float64) float64 {
				return dense.LogLikIntercept(x, z, sigmaX, sigmaA) - math.Log(float64(len(x)))/2
			}
		}
		loo, err := NewCellLOO(data, [][]*draws.Draw{{draw, draw}, {draw, draw}})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: n * d, true: n*d - 3}[gaps]; len(loo.Points) != want {
			t.Fatalf("%d points, want %d", len(loo.Points), want)
		}
		for p, point := range loo.Points {
			i, f := loo.At[p][0], loo.At[p][1]
			var column, others [][]float64
			var z, zOthers [][]float64
			for j, row := range rowsOf(draw) {
				if math.IsNaN(x[j][f]) {
					continue
				}
				column, z = append(column, []float64{x[j][f]}), append(z, row)
				if j != i {
					others, zOthers = append(others, []float64{x[j][f]}), append(zOthers, row)
				}
			}
			want := logLik(column, z, draw.SigmaX, draw.SigmaA) - logLik(others, zOthers, draw.SigmaX, draw.SigmaA)
			if math.Abs(point.ELPD-want) > 1e-12*max(1, math.Abs(want)) || math.Abs(point.P) > 1e-12 {
				t.Errorf("%d features, intercept %v, entry %d, %d: %+v, want %.17g", k, intercept, i, f, point, want)
			}
		}
	}
}

// Draws from a posterior over a few states: the estimates are the exact predictive densities
// given the other entries, up to Monte Carlo error. Weights that forget the entry, or its
// density given its row rather than its column, would miss them.
func TestCellLOOOfFewStates(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 15))
	const n, d, states, size = 4, 2, 6, 40_000
	x := randomX(rng, n, d)
	x[2][0] = math.NaN()
	data := mustData(t, x)
	var state []*draws.Draw
	logJoint := make([]float64, states) // uniform prior
	for s := range states {
		state = append(state, randomDraw(t, rng, n, 3))
		if s%2 == 1 {
			weigh(rng, state[s])
		}
		logJoint[s] = lglfm.LogLikWeighted(data, state[s].Z, state[s].Weights, lglfm.ScalesOf(state[s]))
	}
	total := floats.LogSumExp(logJoint)
	chains := make([][]*draws.Draw, 2)
	for c := range chains {
		for range size / len(chains) {
			u, s := rng.Float64(), 0
			for ; s < states-1; s++ {
				if u -= math.Exp(logJoint[s] - total); u < 0 {
					break
				}
			}
			chains[c] = append(chains[c], state[s])
		}
	}
	loo, err := NewCellLOO(data, chains)
	if err != nil {
		t.Fatal(err)
	}
	exact := 0.0
	for p := range loo.Points {
		i, f := loo.At[p][0], loo.At[p][1]
		without := make([]float64, states) // log p(X without the entry | state)
		for s, of := range state {
			for g := range d {
				var column [][]float64
				var z [][]float64
				for j, row := range rowsOf(of) {
					if (j != i || g != f) && !math.IsNaN(x[j][g]) {
						column, z = append(column, []float64{x[j][g]}), append(z, row)
					}
				}
				without[s] += dense.LogLikExact(column, z, of.SigmaX, of.SigmaA)
			}
		}
		exact += total - floats.LogSumExp(without)
		if want := total - floats.LogSumExp(without); math.Abs(loo.Points[p].ELPD-want) > 0.03 {
			t.Errorf("entry %d, %d: %v, want %v", i, f, loo.Points[p].ELPD, want)
		}
	}
	for c, elpd := range loo.ByChain {
		if math.Abs(elpd-exact) > 0.15 {
			t.Errorf("chain %d: %v, want %v", c, elpd, exact)
		}
	}
}

// Neither cores nor blocks change the result.
func TestCellLOOInBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 15))
	x := randomX(rng, 6, 5)
	data, chains := mustData(t, x), make([][]*draws.Draw, 2)
	for c := range chains {
		for range 30 {
			chains[c] = append(chains[c], randomDraw(t, rng, 6, 2))
		}
	}
	whole, err := NewCellLOO(data, chains)
	if err != nil {
		t.Fatal(err)
	}
	c := &cells{data: data, x: x, draws: append(append([]*draws.Draw{}, chains[0]...), chains[1]...), length: 30,
		points: make([]LOOPoint, 30), alone: [][]float64{make([]float64, 30), make([]float64, 30)}}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	c.block(0, 4, 0, 2)
	c.block(4, 6, 0, 2)
	c.block(0, 6, 2, 5)
	if got, want := fmt.Sprint(c.points), fmt.Sprint(whole.Points); got != want {
		t.Errorf("in blocks\n%s, want\n%s", got, want)
	}
	if _, err := NewCellLOO(data, nil); err == nil {
		t.Error("no draws: no error")
	}
}
