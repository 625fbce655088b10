package mcmc

import (
	"fmt"
	"math"
	"testing"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// threeWithBounds is three items with a cell of one column above a limit, one of the other within
// an interval, and a missing cell, without and with an intercept.
func threeWithBounds(t *testing.T) []enumerated {
	c := threeItems
	c.x = [][]float64{{1.1, -0.3, 0.2}, {nan, 0.4, nan}, {-0.8, nan, 1.4}}
	c.bounds = []lglfm.Bound{{Item: 1, Variable: 0, Lower: 1.3, Upper: math.Inf(1)}, {Item: 2, Variable: 1, Lower: -2, Upper: -1}}
	with := c
	with.intercept = true
	return []enumerated{c, with}
}

// logBounds returns the log probability of the bounds given Z and the observed cells, for columns with at most
// one cell with bounds and no missing cell beside it, and for columns whose cells all have bounds.
func (c enumerated) logBounds(t *testing.T, z *feature.Allocation) float64 {
	if len(c.bounds) == 0 {
		return 0
	}
	sum, x := 0.0, make2(len(c.x), len(c.x[0]))
	for i, row := range c.x {
		copy(x[i], row)
	}
	for j := range c.x[0] {
		if c.allBounded(j) {
			sum += c.logColumn(z, j)
			for i := range x {
				x[i][j] = 0 // not unknown below
			}
		}
	}
	data, err := lglfm.NewData(x)
	if err == nil && c.intercept {
		data, err = data.WithIntercept()
	}
	if err != nil {
		t.Fatal(err)
	}
	cells := lglfm.NewCells(data)
	if err := cells.Reset(z, c.scales); err != nil {
		t.Fatal(err)
	}
	cells.Each(func(i, j int, mean, sd float64) {
		for _, b := range c.bounds {
			if b.Item == i && b.Variable == j {
				sum += collapsed.LogInterval((b.Lower-mean)/sd, (b.Upper-mean)/sd)
			}
		}
	})
	return sum
}

// TestExactPosteriorBounds compares chains with enumeration, by the rules of TestExactPosterior.
// A chain whose cells stay where they start is noticed.
func TestExactPosteriorBounds(t *testing.T) {
	for i, c := range threeWithBounds(t) {
		if z := c.worst(t, fmt.Sprint("bounds ", i), length(scans/10), newCycle(cells, bounded, exactRows()), nil); !(z < limit) {
			t.Errorf("data %d: |z| = %.2f, want below %v", i+1, z, limit)
		}
	}
	c := threeWithBounds(t)[0]
	z := c.worst(t, "no bounds", length(scans/20), newCycle(cells, exactRows()), nil)
	t.Logf("cells that stay: |z| = %.1f", z)
	if z < limit {
		t.Errorf("cells that stay pass with |z| = %.2f", z)
	}
}

// BenchmarkBounded measures a scan of data of which a tenth of the columns is binary, beside
// BenchmarkCells.
func BenchmarkBounded(b *testing.B) {
	for _, size := range [][2]int{{124, 100}, {62, 224}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			a := twin(size[0], size[1])
			var bounds []lglfm.Bound
			for i, row := range a.x {
				for j := range size[1] / 10 {
					bound := lglfm.Bound{Item: i, Variable: j, Lower: math.Inf(-1)}
					if row[j] > 0 {
						bound.Lower, bound.Upper = 0, math.Inf(1)
					}
					bounds, row[j] = append(bounds, bound), nan
				}
			}
			post := a.posterior(b)
			data, err := lglfm.NewBounded(a.x, bounds)
			if err != nil {
				b.Fatal(err)
			}
			post.Data = data
			c, err := NewChain(post, Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}}, DefaultOptions(), Config{Warmup: 1 << 30, Draws: 1, Thin: 1}, NewStream(1, "benchmark"))
			if err != nil {
				b.Fatal(err)
			}
			for range 200 {
				c.step()
				c.done.Add(1)
			}
			b.ResetTimer()
			for b.Loop() {
				c.step()
			}
			b.ReportMetric(float64(c.target.K()), "features")
		})
	}
}
