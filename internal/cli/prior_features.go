package cli

// aibd prior features.

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"aibd/internal/picture"
	"aibd/internal/prospect"
	"aibd/internal/visible"
	"aibd/internal/words"
)

func newPriorFeatures() *cobra.Command {
	var o *priorOptions
	c := &cobra.Command{
		Use:   "features [FILE]",
		Short: "Distribution of the number of features",
		Long: `Computes the distribution of the number of features. It is Poisson: with mean mass
times 1 + 1/2 + ... + 1/N under the laws ibp and aibd, whatever the distances, the
temperature and the permutation; under ddibp with a mean that depends on them all.
Averaged over permutations, the sequential dd-IBP has a mixture of Poissons.`,
		Example: `  # 50 items
  aibd prior features --prior ibp --items 50 --mass 2

  # As many items as the states of the USA; a figure
  aibd prior features --mass 13 --plot features.svg

  # The dd-IBP has more features at higher temperatures
  aibd prior features --prior ddibp --temperature 0
  aibd prior features --prior ddibp --temperature 5 --average`,
		Args: wants(0, 1, "at most one FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := o.law(c, args, 0)
			if err != nil {
				return err
			}
			stop := doing(c, "Computing")
			f := prospect.NewFeatures(p, o.draws, o.seed)
			stop()
			return o.show(c, f, func(w io.Writer) { writeFeatures(w, f) }, func(path string) error {
				begin, end := f.Range()
				return saveFigure(path, picture.Counts("Number of features under the prior", f.Law, f.Probability, begin, end))
			})
		},
	}
	o = addPriorFlags(c, "")
	o.addPlot(c, "Draw the distribution")
	o.addAverage(c, prospect.MaxOrders)
	return c
}

func writeFeatures(w io.Writer, f *prospect.Features) {
	fmt.Fprintln(w, visible.Text(f.Law))
	switch {
	case f.Draws > 0:
		fmt.Fprintf(w, "Averaged over permutations, Monte Carlo over %d of them, standard errors in brackets:\n", f.Draws)
	case f.Averaged:
		fmt.Fprintln(w, "Averaged over permutations, exact:")
	}
	if f.Averaged {
		mean := words.Significant(f.Mean, 6)
		if f.Draws > 0 {
			mean += fmt.Sprintf(" (%s)", words.Significant(f.MeanStdErr, 2))
		}
		fmt.Fprintf(w, "the number of features is a mixture of Poissons with mean %s and variance %s\n\n", mean, words.Significant(f.Variance, 6))
	} else {
		fmt.Fprintf(w, "The number of features is Poisson with mean %s\n\n", words.Significant(f.Mean, 6))
	}
	begin, end := f.Range()
	peak, below := 0.0, 0.0
	for k, p := range f.Probability {
		peak = max(peak, p)
		if k < begin {
			below += p
		}
	}
	t := table{{"features", "probability", "at most"}}
	for k := begin; k < end; k++ {
		below += f.Probability[k]
		cell := words.Fixed(f.Probability[k], 4)
		if f.StdErr != nil {
			cell += fmt.Sprintf(" (%s)", words.Fixed(f.StdErr[k], 4))
		}
		t.add(fmt.Sprint(k), cell, words.Fixed(below, 4))
	}
	var b strings.Builder
	t.write(&b)
	for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		if i > 0 {
			line += "  " + strings.Repeat("#", int(math.Round(40*f.Probability[begin+i-1]/peak)))
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}
