package cli

// Sharing against distance as text.

import (
	"fmt"
	"io"

	"aibd/internal/results"
	"aibd/internal/words"
	"aibd/posterior"
)

// distanceSharing is the sharing of pairs by distance.
type distanceSharing struct {
	*results.DistanceSharing
	sharing *results.Sharing
}

// write writes a sentence and a table.
func (s distanceSharing) write(w io.Writer) {
	paragraphs(w, s.sentence(), s.legend())
	fmt.Fprintln(w)
	s.table().write(w)
	fmt.Fprintln(w)
}

// sentence compares the nearest pairs with the farthest.
func (s distanceSharing) sentence() string {
	first, last := s.Bins[0], s.Bins[len(s.Bins)-1]
	if s.Measure == "proximity" {
		first, last = last, first
	}
	line := fmt.Sprintf("The nearest pairs share %s features on average, the farthest %s. The law without X expects %s and %s, the IBP %s for all.",
		results.WithInterval(s.sharing.Verdict, first.Chains), results.WithInterval(s.sharing.Verdict, last.Chains), fixed2(first.Prior), fixed2(last.Prior), fixed2(s.IBP))
	if s.sharing.Covariance != nil {
		line += " These numbers depend on the prior too: a feature with a weight near 0 hardly changes X."
	}
	return line
}

// legend explains the table.
func (s distanceSharing) legend() string {
	return "Mean number of features that a pair shares, by " + s.Measure + ", with 90% intervals over draws. Law: draws of Z without X, from the law with the mass, the temperature and the permutation of the posterior draws, so their priors do not enter; IBP: half their mass. * if the chains disagree."
}

// table returns a row for each bin.
func (s distanceSharing) table() table {
	t := table{{s.Measure, "pairs", "shared", "5%", "95%", "law", "5%", "95%", "IBP"}}
	for _, b := range s.Bins {
		star := ""
		if s.sharing.Verdict.Marks(posterior.Summarize(b.Chains)) {
			star = "*"
		}
		between := words.Significant(float64(b.From), 3)
		if b.To > b.From {
			between += " to " + words.Significant(float64(b.To), 3)
		}
		t.add(between, fmt.Sprint(b.Pairs), fixed2(b.Mean)+star, fixed2(b.Q5), fixed2(b.Q95), fixed2(b.Prior), fixed2(b.Q5Of), fixed2(b.Q95Of), fixed2(s.IBP))
	}
	return t
}

func fixed2(x results.Number) string { return words.Fixed(x, 2) }
