package predict

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
)

// gapped is data of 6 items and 3 variables with three unknown cells, and two chains of three
// draws each.
func gapped(t *testing.T) ([][]float64, *lglfm.Data, [][]*draws.Draw) {
	t.Helper()
	rng := rand.New(rand.NewPCG(14, 3))
	x := make([][]float64, 6)
	for i := range x {
		x[i] = []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	}
	x[1][0], x[4][0], x[2][2] = math.NaN(), math.NaN(), math.NaN()
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	chains := make([][]*draws.Draw, 2)
	for c := range chains {
		for range 3 {
			z := feature.New(6)
			for k := range 3 {
				z.Append()
				for i := range 6 {
					if i == k || rng.IntN(2) == 0 {
						z.Flip(i, k)
					}
				}
			}
			d := &draws.Draw{Z: z, SigmaX: 0.3 + rng.Float64(), SigmaA: 0.5 + rng.Float64()}
			if c == 1 {
				weigh(rng, d)
			}
			chains[c] = append(chains[c], d)
		}
	}
	return x, data, chains
}

// TestNewCells compares the mixture of a cell with ratios of likelihoods: the density of
// an unknown cell at v given a draw is the density of the data with the cell at v over the density of the
// data without it.
func TestNewCells(t *testing.T) {
	x, data, chains := gapped(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 3} {
		runtime.GOMAXPROCS(cores)
		cells, err := NewCells(data, chains)
		if err != nil {
			t.Fatal(err)
		}
		if len(cells.Places) != 3 || cells.Places[0] != [2]int{1, 0} {
			t.Fatalf("cells %v", cells.Places)
		}
		for cell, place := range cells.Places {
			const v = 0.7
			x[place[0]][place[1]] = v
			with, err := lglfm.NewData(x)
			if err != nil {
				t.Fatal(err)
			}
			x[place[0]][place[1]] = math.NaN()
			sum := 0.0
			var byChain []float64
			for _, chain := range chains {
				part := 0.0
				for _, d := range chain {
					part += math.Exp(lglfm.LogLikWeighted(with, d.Z, d.Weights, lglfm.ScalesOf(d))-lglfm.LogLikWeighted(data, d.Z, d.Weights, lglfm.ScalesOf(d))) / 3
				}
				byChain = append(byChain, math.Log(part))
				sum += part / 2
			}
			all, parts := cells.LogDensity(cell, v)
			if math.Abs(all-math.Log(sum)) > 1e-9 || math.Abs(parts[0]-byChain[0]) > 1e-9 || math.Abs(parts[1]-byChain[1]) > 1e-9 {
				t.Errorf("cell %v: log density %v by chain %v, want %v by chain %v", place, all, parts, math.Log(sum), byChain)
			}
			// The density integrates to moments and quantiles.
			mean, square, below, mass := 0.0, 0.0, 0.0, 0.0
			const step = 1e-3
			for u := -12.0; u < 12; u += step {
				log, _ := cells.LogDensity(cell, u+step/2)
				p := math.Exp(log) * step
				mass += p
				mean += p * (u + step/2)
				square += p * (u + step/2) * (u + step/2)
				if u < v-step/2 {
					below += p
				}
			}
			m, sd := cells.Moments(cell)
			if math.Abs(mass-1) > 1e-6 || math.Abs(m-mean) > 1e-5 || math.Abs(sd-math.Sqrt(square-mean*mean)) > 1e-5 {
				t.Errorf("cell %v: mean %v, sd %v, want %v, %v", place, m, sd, mean, math.Sqrt(square-mean*mean))
			}
			if got := cells.Below(cell, v); math.Abs(got-below) > 1e-3 {
				t.Errorf("cell %v: %v below, want %v", place, got, below)
			}
			if q := cells.Quantile(cell, 0.9); math.Abs(cells.Below(cell, q)-0.9) > 1e-4 {
				t.Errorf("cell %v: quantile %v at 0.9 has %v below", place, q, cells.Below(cell, q))
			}
		}
	}
	for _, none := range [][][]*draws.Draw{nil, {chains[0], nil}} {
		if _, err := NewCells(data, none); err == nil {
			t.Errorf("%d chains, one without draws or none at all: no error", len(none))
		}
	}
}

// TestCountMoments: of small counts the moments are sums over all, of large ones those of the number, less a half.
func TestCountMoments(t *testing.T) {
	for _, c := range []struct {
		mean, sd    float64
		lower       func(float64) float64
		first, want float64
	}{
		{-0.5, 0.8, math.Log, 0, 0}, {1, 1.5, math.Log, 0, 0}, {1.5, 0.7, math.Sqrt, 0, 0},
		{12, 0.9, math.Log, math.Exp(12 + 0.81/2), math.Exp(12+0.81/2) * math.Sqrt(math.Expm1(0.81))},
		{500, 3, math.Sqrt, 500*500 + 9, math.Sqrt(2*81 + 4*500*500*9)},
	} {
		cells := &Cells{mean: [][]float64{{c.mean}}, sd: [][]float64{{c.sd}}}
		first, want := c.first-0.5, c.want
		if c.first == 0 {
			first, want = 0, 0
			for k := range 100_000 {
				y := float64(k + 1)
				p := cells.Below(0, c.lower(y+1)) - cells.Below(0, c.lower(y))
				first += y * p
				want += y * y * p
			}
			want = math.Sqrt(want - first*first)
		}
		mean, sd := cells.CountMoments(0, math.Round(first), c.lower)
		if math.Abs(mean-first) > 1e-4*want || math.Abs(sd-want) > 0.02*want {
			t.Errorf("%v, %v: mean %v, sd %v, want %v, %v", c.mean, c.sd, mean, sd, first, want)
		}
	}
}

// TestScoreOf: scores of four cells, by hand.
func TestScoreOf(t *testing.T) {
	s := ScoreOf([]Scored{
		{Error: 1, Below: 0.3, LogDensity: -1, ByChain: []float64{-1, -1.5}},
		{Error: -1, Below: 0.9, LogDensity: -2, ByChain: []float64{-2, -2.5}},
		{Error: 1, Below: 0.97, LogDensity: -3, ByChain: []float64{-3, -3.5}},
		{Error: -1, Below: 0.7, LogDensity: -2, ByChain: []float64{-2, -2.5}},
	})
	se := math.Sqrt(2. / 3 / 4)
	if s.Cells != 4 || s.LogDensity != (Scores{-2, se}) || s.RMSE != (Scores{1, 0}) || s.Cover50.Value != 0.5 || s.Cover90.Value != 0.75 {
		t.Errorf("%+v", s)
	}
	// Chains at -2 and -2.5: sd 0.5/sqrt 2, over sqrt 2.
	if math.Abs(s.MCSE-0.25) > 1e-12 {
		t.Errorf("Monte Carlo error %v, want 0.25", s.MCSE)
	}
	if empty := ScoreOf(nil); !math.IsNaN(empty.LogDensity.Value) || empty.Cells != 0 {
		t.Errorf("no cells: %+v", empty)
	}
}
