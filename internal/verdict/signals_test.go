package verdict

import (
	"math"
	"slices"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
)

// recode gives the features of draws weights of 1 or -1, by feature: the signals stay.
func recode(chains [][]*draws.Draw) [][]*draws.Draw {
	for c, chain := range chains {
		for _, d := range chain {
			for k := range d.Z.K() {
				for range d.Z.Size(k) {
					d.Weights = append(d.Weights, float64(1-2*((c+k)%2)))
				}
			}
		}
	}
	return chains
}

// TestSignals: chains that code the same signals by other features agree, and others do not.
func TestSignals(t *testing.T) {
	x := [][]float64{{5, 0}, {5, 0}, {0, 1}, {0, 1}, {1, 1}, {0, 0}}
	variables := []string{"u", "v"}
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	for odd, disagrees := range map[int]bool{-1: false, 2: true} {
		covariances, fitted, err := NewSignals(items, variables, data, recode(allocations(4, 2000, odd)))
		if err != nil {
			t.Fatal(err)
		}
		covariance, signal := covariances.finding(), fitted.finding()
		if covariance.disagrees() != disagrees || covariance.Entries != 15 || covariance.Name != "covariances of pairs of items" {
			t.Errorf("chain %d apart: found %+v", odd, covariance)
		}
		if disagrees && covariance.Worst[0] != "a - b" {
			t.Errorf("found %+v, expected a - b to disagree most", covariance)
		}
		if signal.disagrees() != disagrees || signal.Entries != 12 {
			t.Errorf("chain %d apart: found fitted values %+v", odd, signal)
		}
		// Without weights the signals are the same.
		plain, err := NewFitted(items, variables, data, allocations(4, 2000, odd))
		if err != nil {
			t.Fatal(err)
		}
		for h, means := range plain.mean {
			for e, want := range means {
				if math.Abs(fitted.mean[h][e]-want) > 1e-12 {
					t.Fatalf("found the fitted value %v, expected %v", fitted.mean[h][e], want)
				}
			}
		}
	}
	if _, _, err := NewSignals(items, variables, data, [][]*draws.Draw{{{SigmaX: 0, SigmaA: 1}}}); err == nil {
		t.Error("found no error for SigmaX 0")
	}
}

// Chains whose latent values of a column of signs are four times as far from 0 have nearly the same fitted values there: the
// probabilities of the signs. As latent values they are far apart.
func TestColumnsOfSigns(t *testing.T) {
	x := [][]float64{{5, math.NaN()}, {5, math.NaN()}, {0, math.NaN()}, {0, math.NaN()}}
	bounds := []lglfm.Bound{
		{Item: 0, Variable: 1, Upper: math.Inf(1)}, {Item: 1, Variable: 1, Upper: math.Inf(1)}, {Item: 2, Variable: 1, Lower: math.Inf(-1)},
	}
	data, err := lglfm.NewBounded(x, bounds)
	if err != nil {
		t.Fatal(err)
	}
	z, err := feature.FromRows([][]int{{1}, {1}, {0}, {0}})
	if err != nil {
		t.Fatal(err)
	}
	var chains [][]*draws.Draw
	for _, far := range []float64{3, 12} {
		d := &draws.Draw{Z: z, SigmaX: 1, SigmaA: 10, Cells: []float64{far, far, -far}}
		chains = append(chains, slices.Repeat([]*draws.Draw{d}, 4))
	}
	s, err := newSignals([]string{"a", "b", "c", "d"}, []string{"u", "v"}, data, chains)
	if err != nil {
		t.Fatal(err)
	}
	if s.signs[0] || !s.signs[1] {
		t.Errorf("found the columns of signs %v", s.signs)
	}
	apart := func() float64 {
		f := s.family()
		return math.Abs(f.mean[2][1] - f.mean[0][1])
	}
	if got := apart(); got > 0.01 {
		t.Errorf("found probabilities of signs %v apart", got)
	}
	if s.signs[1] = false; !(apart() > 5) {
		t.Errorf("found latent values %v apart", apart())
	}
}
