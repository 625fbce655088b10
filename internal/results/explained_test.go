package results

import (
	"math"
	"strings"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/lglfm"
)

// Weights and loadings in standard deviations of columns distinguish features of one item and of one column from those that several
// items and columns share.
func TestByOne(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 0, 0}, {1, 0, 1}, {1, 0, 1}, {0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	loadings := [][]float64{{3, 2, 4}, {6, -5, 2}, {0, 7, 0.7}}
	// The second feature is of item 4, as the weight of item 5 is small, and the third of the second column.
	weights := [][]float64{{1, 0, 0}, {-2, 0, 1}, {1.5, 0, 2}, {0, 0, -1}, {0, 2, 0}, {0, 0.1, 0}, {0, 0, 0}}
	d := &draws.Draw{Z: z, SigmaX: 0.05, SigmaA: 5, Weights: []float64{1, -2, 1.5, 2, 0.1, 1, 2, -1}}
	x, want := make([][]float64, 7), 0.0
	for i := range x {
		x[i] = make([]float64, 3)
		for v := range x[i] {
			byOne := weights[i][1]*loadings[1][v] + weights[i][2]*loadings[2][v]
			x[i][v] = weights[i][0]*loadings[0][v] + byOne
			if v < 2 {
				want += byOne * byOne
			}
		}
	}
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	l := lglfm.NewLoadings(data)
	if got := ofOne(l, d, x, []float64{1, 1, 0}); math.Abs(got-want) > 0.01*want {
		t.Errorf("found %v, expected %v", got, want)
	}
	// If the third column varies less, the first feature stands out there, and the third is of two columns. Less noise changes nothing.
	d.NoiseScales = []float64{1, 1, 0.1}
	if err := l.ResetDraw(d); err != nil {
		t.Fatal(err)
	}
	for sd, want := range map[float64]bool{1: false, 0.1: true} {
		if added, _ := byOne(l, d, []float64{1, 1, sd}); (added[0] != nil) != want || (added[3] == nil) != want {
			t.Errorf("with an sd of %v found %v", sd, added)
		}
	}
}

// Features explain next to nothing only if the upper end is small.
func TestExplainedText(t *testing.T) {
	around := func(low, high float64) [][]float64 {
		chain := make([]float64, 200)
		for i := range chain {
			chain[i] = low + (high-low)*float64(i*37%200)/200
		}
		return [][]float64{chain}
	}
	for _, test := range []struct {
		e    explained
		want string
	}{
		{explained{all: around(60, 80)}, "the features explain 70 (61 to 79) percent of S."},
		{explained{all: around(-25, 27)}, "the features explain 1 (-22 to 24) percent of S. The noise may be as large as the standard deviation of X: the data are inconclusive about whether they explain anything."},
		{explained{all: around(-9, 4)}, "the features explain next to nothing: -3 (-8 to 3) percent of S."},
		{explained{around(50, 70), around(-9, 4), around(40, 60)}, "features that several items and columns share explain next to nothing: -3 (-8 to 3) percent of S, those of one item or one column, such as outliers, 50 (41 to 59)."},
		{explained{around(50, 70), around(50, 70), around(0, 1)}, "features that several items and columns share explain 60 (51 to 69) percent of S."},
	} {
		if got := test.e.text(nil, "S"); got != test.want {
			t.Errorf("found    %s\nexpected %s", got, test.want)
		}
	}
}

// A common share near 1 says that features are on or off.
func TestOnOrOff(t *testing.T) {
	for low, want := range map[float64]bool{0.93: true, 0.8: false} {
		chain := make([]float64, 100)
		for i := range chain {
			chain[i] = low + (0.99-low)*float64(i*37%100)/100
		}
		s := &Summary{Judged: &Judged{Run: &runs.Run{}}}
		s.Run.Spec.Likelihood.Features = "weighted"
		s.Quantities = []QuantitySummary{summarized(verdict.Quantity{Key: draws.KeyShareCommon, Chains: [][]float64{chain}})}
		if got := strings.Contains(strings.Join(s.kind(), " "), "on or off"); got != want {
			t.Errorf("from %v on: found %v", low, s.kind())
		}
	}
}
