package exhibits

// Draws of Z under four similarity functions.

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/feature"
	"aibd/internal/figure"
	"aibd/internal/lists"
	"aibd/paper/classify"
	"aibd/similarity"
)

// onALine returns items with distances |i - j|.
func onALine(n int) places {
	p := places{}
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
		p.names = append(p.names, fmt.Sprint(i+1))
	}
	p.distance = similarity.AbsDifference(x)
	return p
}

func makeAllocations(j *job) error {
	const (
		mass        = 5
		temperature = 2
		width       = 10 // of the window
	)
	decays := []struct {
		name  string
		decay similarity.Decay
	}{
		{"constant (IBP)", similarity.Constant{}},
		{"reciprocal", similarity.Reciprocal{}},
		{"window", similarity.Window{Width: width}},
		{"exponential", similarity.Exponential{}},
	}
	j.result.About = fmt.Sprintf("One draw of Z for each similarity, from the AIBD with mass %d, temperature %d and distance |i − j|; items arrive in their order. Similarities: constant, which is the IBP; reciprocal, d^−%d; window, 1 if %d d ≤ %d and 0 otherwise; exponential, exp(−%d d). The width of the window is our choice.", mass, temperature, temperature, temperature, width, temperature)
	header := []string{"similarity", "items", "features", "expected", "items per feature", "mean squared correlation, |i − j| = 1", "exact", "mean squared correlation, |i − j| ≥ 10", "exact"}
	var rows [][]Cell
	for _, n := range []int{60, 100} {
		p := onALine(n)
		g := &grid{columns: 4, margin: 8 * vg.Millimeter, bottom: 4 * vg.Millimeter, high: 37 * vg.Millimeter}
		var drawn, within, exact []panel
		for _, d := range decays {
			law := aibd.decayed(p, d.decay, mass, temperature)
			z := law.Rand(j.stream(fmt.Sprintf("%s-%d", d.name, n)).Rand).LeftOrdered()
			simulated, expected := correlations(z), law.ExpectedSharing()
			for a := range expected {
				for b := range expected[a] {
					expected[a][b] = expected[a][b] / mass * expected[a][b] / mass
				}
			}
			drawn = append(drawn, panel{title: fmt.Sprintf("%s, K = %d", d.name, z.K()), paint: func(area draw.Canvas) {
				figure.DrawCells(area, n, z.K(), func(i, k int) color.Color {
					if z.Has(i, k) {
						return color.Black
					}
					return nil
				})
			}})
			within = append(within, shaded(simulated))
			exact = append(exact, shaded(expected))
			rows = append(rows, []Cell{word(d.name), count(n), count(z.K()), fixed(mass*law.TotalIntensity(), 2), fixed(float64(z.Ones())/float64(max(z.K(), 1)), 1),
				fixed(meanAt(simulated, 1, 1), 3), fixed(meanAt(expected, 1, 1), 3), fixed(meanAt(simulated, 10, n), 3), fixed(meanAt(expected, 10, n), 3)})
			var ones [][]Cell
			for k := range z.K() {
				for _, i := range z.Members(nil, k) {
					ones = append(ones, []Cell{count(i + 1), count(k + 1)})
				}
			}
			j.numbers(fmt.Sprintf("allocations-%d-%s", n, d.name[:4]), fmt.Sprintf("The ones of Z, %s, %d items", d.name, n), []string{"item", "feature"}, ones)
		}
		drawn[0].side, within[0].side, exact[0].side = "items", "items, this draw", "items, exact"
		g.panels = slices.Concat(drawn, within, exact)
		g.add(j, fmt.Sprintf("allocations-%d", n), fmt.Sprintf("N = %d. Top: one draw of Z (rows are items, black means that the item has the feature, columns are in left-ordered form). Middle: squared correlation of the rows of that draw. Bottom: exact squared correlation of the numbers of features of two items under the law, (expected sharing / mass)². White is 0, blue is 1.", n))
	}
	j.table("allocations", "Features of the draws, and squared correlations near the diagonal and far from it", header, rows)
	j.find("The number of features has the same distribution under all four similarities. Only the sharing changes: the exponential similarity concentrates correlation near the diagonal; the constant one spreads it evenly.")
	j.find("The correlations of a single draw depend on about 25 features and are noisy. The exact ones need no draws and show the effect of each similarity function.")
	return nil
}

func shaded(m [][]float64) panel {
	return panel{paint: func(area draw.Canvas) {
		figure.DrawCells(area, len(m), len(m), func(i, k int) color.Color { return blues(m[i][k]) })
	}}
}

// correlations returns the squared correlations of the rows of Z, 0 for rows that do
// not vary.
func correlations(z *feature.Allocation) [][]float64 {
	rows := classify.Predictors(z)
	m := lists.Square(z.N())
	for i := range m {
		m[i][i] = 1
		for l := range i {
			if r := stat.Correlation(rows[i], rows[l], nil); r == r { // not NaN
				m[i][l], m[l][i] = r*r, r*r
			}
		}
	}
	return m
}

// meanAt returns the mean of the entries with |i - j| in a range.
func meanAt(m [][]float64, begin, end int) float64 {
	sum, n := 0.0, 0.0
	for i := range m {
		for j := range i {
			if d := i - j; d >= begin && d <= end {
				sum += m[i][j]
				n++
			}
		}
	}
	return sum / n
}
