package predict

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/similarity"
)

// Near holds pairs of near items.
type Near struct {
	Name  string
	pairs [][2]int
	close []float64 // by pair
}

// leastClose is the closeness below which a pair is left out.
const leastClose = 1e-3

// NewNear returns the pairs of items by their distances, in both directions added: the closeness exp(-rate d), or d itself if rate is 0.
func NewNear(name string, d similarity.Pairs, rate float64) Near {
	near := Near{Name: name}
	closeness := func(i, j int) float64 {
		if x := d.At(i, j); rate == 0 {
			return x
		} else {
			return math.Exp(-rate * x)
		}
	}
	for i := range d.N() {
		for j := range i {
			if x := (closeness(i, j) + closeness(j, i)) / 2; math.Abs(x) > leastClose {
				near.pairs, near.close = append(near.pairs, [2]int{i, j}), append(near.close, x)
			}
		}
	}
	return near
}

// nearResiduals returns Moran's I of the residuals by distance and column: the mean product of two items about the
// mean, with their closeness as its weight, over the variance. Missing cells are left out. It is NaN if no residuals are near or all are equal.
func (r *Replicator) nearResiduals(x, signal [][]float64, _ *draws.Draw) (values []float64) {
	for _, near := range r.Near {
		for v := range r.data.D() {
			values = append(values, near.moran(lists.Make(len(x), func(i int) float64 { return x[i][v] - signal[i][v] })))
		}
	}
	return values
}

// moran returns Moran's I of x, without the items where it is NaN.
func (n Near) moran(x []float64) float64 {
	var seen []float64
	for _, e := range x {
		if !math.IsNaN(e) {
			seen = append(seen, e)
		}
	}
	mean, sd := stat.PopMeanStdDev(seen, nil)
	var cross, sum float64
	for p, pair := range n.pairs {
		if product := (x[pair[0]] - mean) * (x[pair[1]] - mean); !math.IsNaN(product) {
			cross, sum = cross+n.close[p]*product, sum+n.close[p]
		}
	}
	return cross / sum / (sd * sd)
}
