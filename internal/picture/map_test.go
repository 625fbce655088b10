package picture

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"aibd/feature"
	"aibd/internal/figure"
	"aibd/internal/model"
	"aibd/internal/oracle/fixture"
	"aibd/internal/results"
	"aibd/posterior"
)

// estimateOf returns an estimate of n items with features of the given sizes, of the first items.
func estimateOf(n int, sizes ...int) *results.Estimate {
	e := &results.Estimate{Estimate: &posterior.Estimate{Z: feature.New(n)}}
	for _, size := range sizes {
		column, share := make([]uint64, (n+63)/64), make([]float64, n)
		for i := range size {
			column[i>>6] |= 1 << (i & 63)
			share[i] = 1
		}
		e.Z.AppendColumn(column)
		e.Share, e.Parts = append(e.Share, share), append(e.Parts, results.Part{Part: posterior.Part{Features: []int{len(e.Parts)}}, Percent: [][]float64{{0}}})
		e.Loadings = append(e.Loadings, posterior.FeatureLoadings{})
	}
	return e
}

// Few items are dots at their places. Of many, each map is an image, so that the file is small.
func TestMapBySize(t *testing.T) {
	t.Chdir(t.TempDir())
	g := gallery(t, fixture.Small)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ items, images int }{{5, 0}, {20000, 2}} {
		p := &model.Places{Names: [2]string{"lon", "lat"}, Globe: true}
		for range c.items {
			p.X, p.Y = append(p.X, -124+10*rng.Float64()), append(p.Y, 32+10*rng.Float64())
		}
		f := Map(g.Judged, estimateOf(c.items, c.items-1, 3, 1), p)
		d := checkCanvas(t, "map", f)
		if d.images != c.images || d.count("lat") != 2 {
			t.Errorf("%d items: found %d images and %d maps, expected %d and 2", c.items, d.images, d.count("lat"), c.images)
		}
		svg, err := f.Encode("svg")
		if err != nil || len(svg) > 300_000 {
			t.Errorf("%d items: found a picture of %d bytes, %v", c.items, len(svg), err)
		}
		dark := 0
		for _, s := range d.shapes {
			if s.filled && s.shade == figure.Blues(1) {
				dark += len(s.path) / 3 // move, arc, close
			}
		}
		if c.images == 0 && dark != 4+3 {
			t.Errorf("found %d dark dots, expected one for each item of a feature", dark)
		}
	}
}

// A kilometer has the same length along both axes, and all items are on the map.
func TestMapAspect(t *testing.T) {
	for _, p := range []*model.Places{
		{X: []float64{-10, 10}, Y: []float64{59, 61}, Globe: true},
		{X: []float64{0, 1}, Y: []float64{0, 100}},
		{X: []float64{3, 3}, Y: []float64{4, 4}},
	} {
		const width = 40 * vg.Millimeter
		m := newPlaceMap(p, width)
		x, y := float64(width)/(m.xmax-m.xmin), float64(m.height)/(m.ymax-m.ymin)
		if p.Globe {
			x *= 2 // one over the cosine of 60 degrees
		}
		if x/y < 1-1e-9 || x/y > 1+1e-9 {
			t.Errorf("%v: found a scale of %v along x and %v along y", p, x, y)
		}
		for i := range p.X {
			if !(p.X[i] > m.xmin && p.X[i] < m.xmax && p.Y[i] > m.ymin && p.Y[i] < m.ymax) {
				t.Errorf("%v: item %d is outside %+v", p, i, m)
			}
		}
	}
}

// Longitudes beyond the antimeridian are marked as from -180 to 180.
func TestMapLongitudes(t *testing.T) {
	var labels []string
	for _, tick := range (longitudes{}).Ticks(170, 200) {
		labels = append(labels, tick.Label)
	}
	if expected := []string{"170", "180", "−170", "−160"}; !slices.Equal(labels, expected) {
		t.Errorf("found %v, expected %v", labels, expected)
	}
}

// A run without places has no map, and the error says why.
func TestMapWithoutPlaces(t *testing.T) {
	fixture.Put(t, "table.csv", table(4))
	_, err := gallery(t, tableSpec).drawMap()
	if !errors.Is(err, ErrNone) || !strings.HasSuffix(err.Error(), "found the distance absolute, expected great-circle, or euclidean of two columns") {
		t.Errorf("found %v", err)
	}
}
