package predict

import (
	"math"
	"math/rand/v2"
	"testing"

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

// The density of each entry given the others of its column is the density of the column over that of the column without the entry. With a flat
// intercept these densities are densities of contrasts, divided by root N and root N - 1.
func TestCellLogLikOfRatios(t *testing.T) {
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
		got, err := CellLogLik(data, []*draws.Draw{draw})
		if err != nil {
			t.Fatal(err)
		}
		for p, got := range got[0] {
			i, f := p/d, p%d
			if math.IsNaN(x[i][f]) {
				if !math.IsNaN(got) {
					t.Errorf("an unknown cell has the density %v", got)
				}
				continue
			}
			var column, columns [][]float64
			var z, zOthers [][]float64
			for j, row := range rowsOf(draw) {
				if math.IsNaN(x[j][f]) {
					continue
				}
				column, z = append(column, []float64{x[j][f]}), append(z, row)
				if j != i {
					columns, zOthers = append(columns, []float64{x[j][f]}), append(zOthers, row)
				}
			}
			want := logLik(column, z, draw.SigmaX, draw.SigmaA) - logLik(columns, zOthers, draw.SigmaX, draw.SigmaA)
			if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
				t.Errorf("%d features, intercept %v, entry %d, %d: %.17g, want %.17g", k, intercept, i, f, got, want)
			}
		}
	}
}
