package cli

// aibd prior pmf.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"aibd/feature"
	"aibd/mcmc"
	"aibd/prior"
)

func newPriorPMF() *cobra.Command {
	var (
		o    *priorOptions
		file string
	)
	c := &cobra.Command{
		Use:   "pmf --z FILE",
		Short: "Log probability of an allocation",
		Long: `Computes the log probability of an allocation Z under a prior, all constants kept:
that of the class of all matrices that differ from Z in the order of columns only.
Z has a line an item, entries 0 and 1, separated or not; - stands for standard
input.`,
		Example: `  # Three items, two features, IBP
  printf '10\n11\n01\n' | aibd prior pmf --prior ibp --z -

  # The same Z under the dd-IBP, three items on a line
  printf '0,1,2\n1,0,1\n2,1,0\n' > line.csv
  printf '10\n11\n01\n' | aibd prior pmf --prior ddibp --proximity symmetric --distance matrix --distance-file line.csv --z -

  # A draw for the states, averaged over the order in which they arrive
  aibd prior sample > z.txt
  aibd prior pmf --z z.txt --average --draws 200`,
		Args: wants(0, 0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			if file == "" {
				return usageError{errors.New(`required flag(s) "z" not set`)}
			}
			z, err := readAllocation(c.InOrStdin(), file)
			if err != nil {
				return err
			}
			p, err := o.law(c, z.N())
			if err != nil {
				return err
			}
			if z.N() != p.Law.N() {
				return fmt.Errorf("%s: found %d items, expected %d", file, z.N(), p.Law.N())
			}
			j := pmfJSON{Law: lawLine(p), Items: z.N(), Features: z.K(), Method: "exact"}
			law := averaged(p)
			logPMF, stdErr := 0.0, 0.0
			switch {
			case law == nil:
				logPMF = prior.LogProb(p.Law, z)
			case law.N() <= prior.MaxExactItems:
				j.Averaged = true
				if logPMF, err = prior.LogProbAveraged(law, z); err != nil {
					return err
				}
			default:
				j.Averaged, j.Method, j.Draws = true, "Monte Carlo", o.draws
				logPMF, stdErr = prior.LogProbMonteCarlo(law, z, mcmc.NewStream(o.seed, "permutations").Rand, o.draws)
				j.StdErr = new(number(stdErr))
			}
			j.LogPMF = number(logPMF)
			return o.show(c, j, nil)
		},
	}
	c.Flags().StringVar(&file, "z", "", "The `file` of the allocation, - for standard input.")
	o = addPriorFlags(c)
	o.addAverage(c, prior.MaxExactItems)
	return c
}

type pmfJSON struct {
	Law      string  `json:"law"`
	Items    int     `json:"items"`
	Features int     `json:"features"`
	LogPMF   number  `json:"log_pmf"` // null: probability 0
	Averaged bool    `json:"averaged_over_permutations"`
	Method   string  `json:"method"` // exact or Monte Carlo
	Draws    int     `json:"draws,omitempty"`
	StdErr   *number `json:"std_err,omitempty"` // of the log
}

func (j pmfJSON) write(w io.Writer) {
	what := "log pmf"
	if j.Averaged {
		what += " averaged over permutations"
	}
	how := "exact"
	switch {
	case j.StdErr != nil && math.IsInf(float64(j.LogPMF), -1):
		how = fmt.Sprintf("Monte Carlo: Z cannot occur under any of %d permutations", j.Draws)
	case j.StdErr != nil:
		how = fmt.Sprintf("Monte Carlo over %d permutations, standard error %s", j.Draws, significant(float64(*j.StdErr), 2))
	}
	fmt.Fprintf(w, "%s\nZ: %s, %s\n%s: %v (%s)\n", j.Law, plural(j.Items, "item"), plural(j.Features, "feature"), what, float64(j.LogPMF), how)
}

// readAllocation reads Z from a file, or from stdin if that is called -.
func readAllocation(stdin io.Reader, file string) (*feature.Allocation, error) {
	if file == "-" {
		return feature.ReadText(stdin, "standard input")
	}
	b, err := readFile(file)
	if err != nil {
		return nil, err
	}
	return feature.ReadText(bytes.NewReader(b), file)
}
