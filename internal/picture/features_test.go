package picture

import (
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/feature"
	"aibd/internal/figure"
	"aibd/internal/results"
	"aibd/posterior"
)

// TestFeaturePanelTitle: a title says how sure a feature is, without the others if there are none.
func TestFeaturePanelTitle(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 0}, {1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	e := &results.Estimate{Judged: &results.Judged{}, Estimate: &posterior.Estimate{Z: z, Share: [][]float64{{1, 0.5}, {0.25, 0.75}}}, Items: []string{"a", "b"},
		Parts:    []results.Part{{Part: posterior.Part{Features: []int{0}}, Percent: [][]float64{{70, 80, 90}}}, {Part: posterior.Part{Features: []int{1}}, Percent: [][]float64{{20, 20, 20}}}},
		Loadings: make([]posterior.FeatureLoadings, 2)}
	for k, want := range []string{
		"Feature 1: 2 items, 80* (71 to 89) percent. 75% of the draws have it for these.",
		"Feature 2: 1 item, 20 percent. 75% of the draws have it for these, 25% for the others.",
	} {
		if got := newFeaturePanel(e, k).title; got != want {
			t.Errorf("found %q, expected %q", got, want)
		}
	}
}

// TestReach: the axis reaches over clear loadings of features of several items, and over others only without them.
func TestReach(t *testing.T) {
	clear := featurePanel{loadings: []loading{{"a", -1, 0.25}, {"b", 0.5, 0.1}}}
	unclear := featurePanel{loadings: []loading{{"a", 2, 5}}, unclear: true}
	single := featurePanel{loadings: []loading{{"a", 6, 1}}, single: true}
	for name, c := range map[string]struct {
		panels []featurePanel
		want   float64
	}{
		"clear":   {[]featurePanel{clear, single}, 1.5},
		"unclear": {[]featurePanel{clear, unclear, single}, 2.2},
		"single":  {[]featurePanel{single}, 8},
		"none":    {nil, 0},
	} {
		if got := reachOf(c.panels); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: found %v, expected %v", name, got, c.want)
		}
	}
	for _, l := range []loading{{"a", 6, 1}, {"a", -6, 1}, {"a", 0.5, 1}} {
		p := featurePanel{loadings: []loading{l}, single: true}
		d := drawnOf(figure.Figure{Height: 20 * vg.Millimeter, Paint: func(dc draw.Canvas) {
			p.draw(dc, dc.Max.Y, 20, 1, func(x float64) vg.Length { return 100 + 50*vg.Length(x) })
		}})
		number := figure.Number(l.mean)
		if beyond := math.Abs(l.mean) > 1; (d.count(number) == 1) != beyond {
			t.Errorf("%v: found %v, expected a number only beyond the axis", l, d.texts)
		}
		for _, s := range d.shapes {
			for _, point := range s.path {
				if point.Type != vg.CloseComp && s.shade != (color.Gray{0xc0}) && (point.Pos.X < 49 || point.Pos.X > 151) {
					t.Errorf("%v: found a mark at %v, expected it within the axis", l, point.Pos)
				}
			}
		}
	}
}
