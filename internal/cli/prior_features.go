package cli

// aibd prior features.

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"aibd/prior"
)

func newPriorFeatures() *cobra.Command {
	var (
		o    *priorOptions
		plot string
	)
	c := &cobra.Command{
		Use:   "features",
		Short: "Distribution of the number of features",
		Long: `Computes the distribution of the number of features: Poisson with mean mass times
1 + 1/2 + ... + 1/N, whatever the distances, the temperature and the permutation.`,
		Example: `  # 50 items
  aibd prior features --prior ibp --items 50 --mass 2

  # As many items as the states of the USA; a figure
  aibd prior features --mass 13 --plot features.svg`,
		Args: wants(0, 0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			if plot != "" {
				if _, err := figureKind(plot); err != nil {
					return err
				}
			}
			p, spec, err := o.law(c, 0)
			if err != nil {
				return err
			}
			f := newFeatures(p.Law, lawLine(p, spec))
			if plot != "" {
				if err := saveFeatures(plot, f); err != nil {
					return err
				}
			}
			if o.json {
				return writeJSON(c.OutOrStdout(), f)
			}
			f.write(c.OutOrStdout())
			return nil
		},
	}
	c.Flags().StringVar(&plot, "plot", "", "Draw the distribution into a `file` that ends in .svg or .png.")
	o = addPriorFlags(c)
	return c
}

// features is the distribution of the number of features.
type features struct {
	Law         string    `json:"law"`
	Mean        float64   `json:"mean"`        // and variance
	Probability []float64 `json:"probability"` // of 0, 1, 2, ... features
}

func newFeatures(law prior.Law, line string) *features {
	f := &features{Law: line, Mean: law.Mass() * law.TotalIntensity()}
	// The tail beyond is below 1e-15 for every mean.
	most := int(math.Ceil(f.Mean + 9*math.Sqrt(f.Mean) + 25))
	for _, l := range prior.NumFeatures(law, most) {
		f.Probability = append(f.Probability, math.Exp(l))
	}
	return f
}

// visible returns the range of the numbers of features that have a probability
// worth a line.
func (f *features) visible() (from, to int) {
	from, to = -1, 0
	for k, p := range f.Probability {
		if p >= 5e-5 {
			if from < 0 {
				from = k
			}
			to = k + 1
		}
	}
	return max(from, 0), to
}

func (f *features) write(w io.Writer) {
	fmt.Fprintf(w, "%s\nThe number of features is Poisson with mean %s\n\n", f.Law, significant(f.Mean, 6))
	from, to := f.visible()
	peak, below := 0.0, 0.0
	for k, p := range f.Probability {
		peak = max(peak, p)
		if k < from {
			below += p
		}
	}
	t := table{{"features", "probability", "at most"}}
	for k := from; k < to; k++ {
		below += f.Probability[k]
		t.add(fmt.Sprint(k), fixed4(f.Probability[k]), fixed4(below))
	}
	var b strings.Builder
	t.write(&b)
	for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		if i > 0 {
			line += "  " + strings.Repeat("#", int(math.Round(40*f.Probability[from+i-1]/peak)))
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}
