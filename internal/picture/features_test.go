package picture

import (
	"testing"

	"aibd/feature"
	"aibd/internal/results"
	"aibd/posterior"
)

// TestFeaturePanelTitle: a title says how sure a feature is, without the others if there are none.
func TestFeaturePanelTitle(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 0}, {1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	e := &results.Estimate{Estimate: &posterior.Estimate{Z: z, Share: [][]float64{{1, 0.5}, {0.25, 0.75}}}, Items: []string{"a", "b"},
		Loadings: []posterior.FeatureLoadings{{Matched: 1, Overlap: 0.22}, {Matched: 0.5, Overlap: 0.9}}}
	for k, want := range []string{
		"Feature 1: 2 items. 75% of the draws have it for these; 100% have a matching feature, overlap 22%.",
		"Feature 2: 1 item. 75% of the draws have it for these, 25% for the others; 50% have a matching feature, overlap 90%.",
	} {
		if found := newFeaturePanel(e, k).title; found != want {
			t.Errorf("found %q, expected %q", found, want)
		}
	}
}
