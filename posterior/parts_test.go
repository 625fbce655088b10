package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/lglfm"
)

// TestParts: the shares of all features sum to 1, that of a feature is its product with the fitted values over their sum
// of squares, and copies count with the first of them.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const n, d = 12, 3
	x, z, ds := problem(rng, n, d, 4, 6, 0)
	ds[1].Z, ds[3].Z = z.Clone(), z.Clone() // the others have a feature more
	ds[1].Z.AppendColumn(z.Column(2))       // a copy
	for _, intercept := range []bool{false, true} {
		data, err := lglfm.NewData(x)
		if intercept && err == nil {
			data, err = data.WithIntercept()
		}
		if err != nil {
			t.Fatal(err)
		}
		m := NewMatching(z, nil, ds)
		parts, err := m.Parts(data, [][]int{{0}, {1}, {2}, {3}})
		if err != nil {
			t.Fatal(err)
		}
		l := lglfm.NewLoadings(data)
		for index, drawn := range ds {
			if err := l.ResetDraw(drawn); err != nil {
				t.Fatal(err)
			}
			fitted := make([][]float64, d) // by variable
			row := make([]float64, d)
			for i := range n {
				l.Fitted(i, row)
				for v, y := range row {
					fitted[v] = append(fitted[v], y)
				}
			}
			total, sum := 0.0, 0.0
			for v := range fitted {
				mean := 0.0
				if intercept {
					mean = stat.Mean(fitted[v], nil)
				}
				for i := range fitted[v] {
					fitted[v][i] -= mean
					total += fitted[v][i] * fitted[v][i]
				}
			}
			for k := range parts {
				product := 0.0
				for other := range drawn.Z.K() {
					if jaccard(drawn.Z.Column(other), z.Column(k)) == 1 {
						for v, b := range l.Mean(other) {
							for i := range n {
								if z.Has(i, k) {
									product += b * fitted[v][i]
								}
							}
						}
					}
				}
				sum += parts[k].Share[index]
				mustEqual(t, "share", parts[k].Share[index], product/total, 1e-9)
				if parts[k].Overlap[index] != 1 {
					t.Errorf("found an overlap of %v", parts[k].Overlap[index])
				}
			}
			if index == 1 || index == 3 {
				mustEqual(t, "sum of the shares", sum, 1, 1e-9)
			}
		}
		whole, err := m.Parts(data, [][]int{{0, 1, 2, 3}})
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, "share of all", whole[0].Share[3], 1, 1e-9)
	}
}

// Rotations of weighted features of the same items change nothing in their group.
func TestPartsOfRotations(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	const n = 15
	truth := make([][]float64, 2)
	for k := range truth {
		for range n {
			truth[k] = append(truth[k], rng.NormFloat64())
		}
	}
	var x [][]float64
	for i := range n {
		x = append(x, []float64{2*truth[0][i] + 0.1*rng.NormFloat64(), truth[1][i] - truth[0][i] + 0.1*rng.NormFloat64(), rng.NormFloat64()})
	}
	turned := func(angle float64) *draws.Draw {
		sin, cos := math.Sincos(angle)
		d := &draws.Draw{Z: allocation(truth), SigmaX: 0.1, SigmaA: 1}
		for k := range truth {
			for i := range n {
				d.Weights = append(d.Weights, cos*truth[k][i]+sin*[]float64{truth[1][i], -truth[0][i]}[k])
			}
		}
		return d
	}
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	var got []Part
	for _, angle := range []float64{0, 0.6} {
		parts, err := NewMatching(allocation(truth), truth, []*draws.Draw{turned(angle)}).Parts(data, [][]int{{0, 1}, {0}})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, parts...)
	}
	mustEqual(t, "share", got[0].Share[0], 1, 1e-9)
	mustEqual(t, "share after a rotation", got[2].Share[0], 1, 1e-9)
	if single := got[3].Share[0]; math.Abs(single-got[1].Share[0]) < 0.01 {
		t.Errorf("found the share %v of one feature after a rotation too", single)
	}
	mustEqual(t, "overlap of spans", got[2].Overlap[0], 1, 1e-9)
	for i := range n {
		mustEqual(t, "what an item gets", got[2].Items[i], got[0].Items[i], 1e-6)
	}
	for v := range x[0] {
		mustEqual(t, "what a variable gets", got[2].Variables[v], got[0].Variables[v], 1e-6)
	}
}
