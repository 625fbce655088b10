package picture

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/figure"
	"aibd/internal/oracle/fixture"
	"aibd/internal/results"
)

// A contour of the prior holds its share of pairs of equal probability, also where the density is infinite at 0.
func TestPriorContour(t *testing.T) {
	newPrior := func(g distuv.Gamma) *results.Prior {
		return &results.Prior{Density: g.Prob, Quantile: g.Quantile, To: math.Inf(1)}
	}
	x, y := newPrior(distuv.Gamma{Alpha: 1, Beta: 30}), newPrior(distuv.Gamma{Alpha: 0.5, Beta: 2})
	const cells = 150
	var across, up []float64
	for i := range cells {
		p := (float64(i) + 0.5) / cells
		across, up = append(across, math.Log10(x.Quantile(p))), append(up, math.Log10(y.Quantile(p)))
	}
	for _, share := range priorShares {
		contour := priorContour(x, y, share)
		inside := 0
		for _, u := range across {
			for _, v := range up {
				odd := false // of the edges that a ray to the right crosses
				for e, b := range contour[1:] {
					if a := contour[e]; (a.Y > v) != (b.Y > v) && u < a.X+(v-a.Y)/(b.Y-a.Y)*(b.X-a.X) {
						odd = !odd
					}
				}
				if odd {
					inside++
				}
			}
		}
		if got := float64(inside) / (cells * cells); math.Abs(got-share) > 0.01 {
			t.Errorf("found %.3f of the prior within the contour of %v", got, share)
		}
	}
}

// Three distances have three panels, with draws of each chain and two contours. One distance has no picture.
func TestTemperatures(t *testing.T) {
	fixture.Put(t, "table.csv", table(12))
	one := gallery(t, tableSpec)
	if _, err := one.drawTemperatures(); !errors.Is(err, ErrNone) {
		t.Errorf("one distance: found the error %v, expected %v", err, ErrNone)
	}
	t.Chdir(t.TempDir())
	fixture.Put(t, "table.csv", table(12))
	g := gallery(t, strings.NewReplacer("[distance]", "[[distance]]", "[sampler]", `
[[distance]]
kind = "same"
columns = ["third"]
[[distance]]
kind = "cyclic"
columns = ["second"]
period = 13
[sampler]`).Replace(tableSpec))
	d := checkCanvas(t, "temperatures", figureOf(t, g, "temperatures"))
	panels := 0
	for _, w := range d.texts {
		if strings.HasPrefix(w.text, "correlation of the logarithms ") {
			panels++
		}
	}
	if contours := d.lines(priorColor, 20); panels != 3 || contours < 2*3 {
		t.Errorf("found %d panels and %d contours, expected 3 and two in each", panels, contours)
	}
	for c := range 2 {
		shade := figure.Color(c)
		shade.A = 0xa0
		if n := len(slices.DeleteFunc(slices.Clone(d.shapes), func(s shape) bool { return !s.filled || s.shade != shade })); n != 3 {
			t.Errorf("found %d areas of points of chain %d, expected one in each of 3 panels", n, c+1)
		}
	}
}
