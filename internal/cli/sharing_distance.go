package cli

// Sharing against distance as text.

import (
	"fmt"
	"io"

	"aibd/internal/results"
	"aibd/internal/verdict"
)

// writeByDistance writes a sentence and a table.
func writeByDistance(w io.Writer, s *results.DistanceSharing) {
	first, last := s.Bins[0], s.Bins[len(s.Bins)-1]
	if s.Measure == "proximity" {
		first, last = last, first
	}
	fmt.Fprint(w, wrap(fmt.Sprintf("The nearest pairs share %s features on average, the farthest %s. The prior expects %s and %s, the IBP %s for all.",
		told(first.Chains), told(last.Chains), fixed2(first.Prior), fixed2(last.Prior), fixed2(s.IBP)), "", lineWidth(w)))
	fmt.Fprint(w, wrap("Mean number of features that a pair shares, by "+s.Measure+", with 90% intervals over draws. Prior: draws of the law with the mass, the temperature and the permutation of the posterior draws; IBP: half their mass. * if the chains disagree.", "", lineWidth(w)))
	fmt.Fprintln(w)
	t := table{{s.Measure, "pairs", "shared", "5%", "95%", "prior", "5%", "95%", "IBP"}}
	for _, b := range s.Bins {
		star := ""
		if b.RHat > verdict.MaxRHat {
			star = "*"
		}
		between := significant(float64(b.From), 3)
		if b.To > b.From {
			between += " to " + significant(float64(b.To), 3)
		}
		t.add(between, fmt.Sprint(b.Pairs), fixed2(b.Mean)+star, fixed2(b.Q5), fixed2(b.Q95), fixed2(b.Prior), fixed2(b.Q5Of), fixed2(b.Q95Of), fixed2(s.IBP))
	}
	t.write(w)
	fmt.Fprintln(w)
}

func fixed2(x number) string { return known(float64(x), 2) }
