package cli

// aibd sharing

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"aibd/internal/figure"
	"aibd/internal/picture"
	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/internal/words"
)

func newSharing() *cobra.Command {
	var (
		p         printing
		csv, plot string
		top       int
	)
	c := &cobra.Command{
		Use:   "sharing RUN",
		Short: "Count the features that items share, by distance and by pair",
		Long: `Counts the features that items share, by distance and by pair. It prints the
verdict on the draws (see aibd summary), the sharing by distance next to what the prior and
the IBP expect, and the pairs that share most, with Monte Carlo standard errors (MCSE).

--plot draws the sharing against the distance, and the matrix of all pairs with the items
ordered by likeness. --csv writes all pairs. Of more than 1000 items, these are pairs of
1000 evenly spaced ones. For weighted features it adds the covariance of the fitted
parts of two items, beside its prior, and the number of features that both have clearly;
the matrix then has their correlations.`,
		Example: `  # Print the pairs that share most
  aibd fit --warmup 200 --draws 300 --out alike
  aibd sharing alike

  # Write all pairs as a table and a picture
  aibd sharing alike --csv pairs.csv --plot pairs.svg`,
		Args: wants(1, 1, "the directory of a RUN"),
		RunE: p.ofRun(func([]string) error { return cmp.Or(checkPlot(plot), atLeast(0, "top", top)) }, func(_ *cobra.Command, j *results.Judged, _ []string) (printed, error) {
			s := posteriorSharing{j.Sharing()}
			err := s.AddCovariances(j, covarianceDraws)
			if p.json || csv != "" {
				s.AddErrors()
			}
			return printed{
				result: s, text: func(w io.Writer) { s.write(w, top) },
				files: []output{tableOutput(csv, s.all), figureOutput(plot, func() figure.Figure { return s.figure(j) })},
			}, err
		}),
	}
	addStrict(c, &p.strict)
	c.Flags().BoolVar(&p.json, "json", false, "Print JSON, with all pairs.")
	c.Flags().IntVar(&top, "top", 20, "Number of pairs to print, those that share most; 0 for all.")
	outputFlag(c, &csv, "csv", "Write all pairs to a CSV `file`.")
	outputFlag(c, &plot, "plot", "Draw sharing against distance, and the matrix, to an .svg or .png `file`.")
	return c
}

// covarianceDraws is the max number of draws of which covariances are computed.
const covarianceDraws = 250

// posteriorSharing is the sharing of all pairs of items of a run.
type posteriorSharing struct{ *results.Sharing }

// figure draws sharing against distance, if there are distances, above the matrix.
func (s posteriorSharing) figure(j *results.Judged) figure.Figure {
	matrix := picture.Sharing(j, s.Sharing)
	if s.ByDistance == nil {
		return matrix
	}
	return figure.Stack(picture.SharingDistances(j, s.Sharing), matrix)
}

// pairsBy returns all pairs of distinct items, those that share most first.
func pairsBy(shared [][]float64) [][2]int {
	var pairs [][2]int
	for j := range shared {
		for i := range j {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]int) int {
		return cmp.Compare(shared[b[0]][b[1]], shared[a[0]][a[1]])
	})
	return pairs
}

func (s posteriorSharing) write(w io.Writer, top int) {
	for _, d := range s.Distances() {
		distanceSharing{d, s.Sharing}.write(w)
	}
	pairs, legend := pairsBy(s.Mean), sharedLegend
	if s.Covariance != nil {
		pairs, legend = pairsBy(s.Covariance), legend+covarianceLegend
	}
	paragraphs(w, s.average())
	fmt.Fprintf(w, "%s\n\n", legend)
	shown := first(top, pairs)
	s.table(shown).write(w)
	if count := len(pairs) - len(shown); count > 0 {
		fmt.Fprintf(w, "... and %d more pairs: use --top 0 or --csv.\n", count)
	}
}

// sharedLegend explains the table of pairs.
const sharedLegend = `shared: posterior mean number of features that both items have; MCSE: its Monte Carlo error;
features of first, of second: posterior mean number of features of each item, shared or not.`

// covarianceLegend explains the column of covariances.
var covarianceLegend = fmt.Sprintf(`
Weighted features of the same items are identified only as a group, up to rotation, and their number may not be determined.
covariance: that of the fitted parts of both items over the variables, in squared noise scales,
which does not depend on the features; the pairs with the largest come first.
prior, prior sd: its mean and standard deviation under the law of Z and the priors of weights and loadings,
at the mass, the temperature, the order and the scales of the draws.
clear: posterior mean number of features that both have with a part |w_ik w_jk| |a_k|^2 above %v
of the noise variance, with the expected squared loadings given the draw.`, verdict.ClearPart)

// complementNote says what a count of shared features means with an intercept.
const complementNote = "With an intercept a feature and its complement have the same likelihood. A draw may have either, so two items that both lack a feature may count as sharing it."

// average says how many features two items share on average over the pairs.
func (s posteriorSharing) average() string {
	over := "all pairs"
	if s.Sampled != "" {
		over += " of " + s.Sampled
	}
	line := fmt.Sprintf("Two items share %s features on average over %s (median and 90%% interval of %s).", results.WithInterval(s.Verdict, s.PerPair()), over, plural(s.Draws, "draw"))
	if s.Intercept {
		line += " " + complementNote
	}
	return line
}

// table returns a row for each of the pairs.
func (s posteriorSharing) table(pairs [][2]int) table {
	t := table{{"pair", "shared", "MCSE", "features of first", "features of second"}}
	errors := s.Errors(pairs)
	for row, p := range pairs {
		i, j := p[0], p[1]
		t.add(s.Items[i]+" - "+s.Items[j], words.Fixed(s.Mean[i][j], 4), words.Fixed(errors[row], 4), words.Fixed(s.Mean[i][i], 4), words.Fixed(s.Mean[j][j], 4))
	}
	return s.withCovariances(t, pairs, func(x float64) string { return words.Fixed(x, 4) }, "covariance", "prior", "prior sd", "clear")
}

// all returns a row for each pair.
func (s posteriorSharing) all() table {
	t := table{{"item_1", "item_2", "shared", "mcse"}}
	var pairs [][2]int
	for i := range s.Items {
		for j := range i {
			t.add(s.Items[j], s.Items[i], cell(s.Mean[i][j]), cell(float64(s.MCSE[i][j])))
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return s.withCovariances(t, pairs, cell, "covariance", "prior_covariance", "prior_covariance_sd", "clear")
}

// withCovariances adds columns of the covariances of the pairs of the rows, if there are any, their
// prior, and the features that pairs share clearly.
func (s posteriorSharing) withCovariances(t table, pairs [][2]int, text func(float64) string, names ...string) table {
	if s.Covariance == nil {
		return t
	}
	t[0] = append(t[0], names...)
	for row, p := range pairs {
		for _, matrix := range [][][]float64{s.Covariance, s.PriorCovariance, s.PriorSD, s.Clear} {
			t[row+1] = append(t[row+1], text(matrix[p[0]][p[1]]))
		}
	}
	return t
}
