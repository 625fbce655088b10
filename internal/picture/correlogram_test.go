package picture

import (
	"errors"
	"testing"

	"aibd/internal/figure"
	"aibd/internal/oracle/fixture"
	"aibd/internal/results"
)

// Weights that follow distances have a panel for each, with a point for each class of pairs. Others have no such picture.
func TestCorrelogram(t *testing.T) {
	t.Chdir(t.TempDir())
	g := gallery(t, fixture.Small+"\n[likelihood]\nfeatures = \"weighted\"\n")
	all, err := g.Correlograms()
	if err != nil {
		t.Fatal(err)
	}
	group := all[0]
	group.Group, group.Given, group.Distances = "firm", true, []float64{0, 1}
	group.Classes = []results.CorrelogramClass{{Distance: 0, Pairs: 5, Correlation: -0.1}, {Distance: 1, Pairs: 1, Correlation: 0.4}}
	for b := range 3 {
		group.Prior[b], group.Posterior[b] = group.Prior[b][:2], group.Posterior[b][:2]
	}
	points := len(all[0].Classes) + len(group.Classes) + 1 // of the legend
	d := checkCanvas(t, "correlogram", Correlogram(g.Judged, append(all, group)))
	for _, s := range d.shapes {
		if s.filled && s.shade == figure.Color(1) {
			points--
		}
	}
	if points != 0 || d.count("distance (km)") != 1 || d.count("same firm") != 1 || d.count("prior") != 1 {
		t.Errorf("found %d points less than expected, and the texts %v", points, d.texts)
	}
	t.Chdir(t.TempDir())
	if _, err := gallery(t, fixture.Small).drawCorrelogram(); !errors.Is(err, ErrNone) {
		t.Errorf("found %v, expected no picture of binary features", err)
	}
}
