package cli

// Allocations are read, and their log probabilities and densities are printed.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/prospect"
	"aibd/internal/visible"
	"aibd/internal/words"
	"aibd/prior"
)

const allocationHelp = `A file of Z has one line per item with entries 0 and 1, separated or not, as R's write.csv or
write.table write it, too. Blank lines separate several Z. The file - is standard input.`

// weightsHelp follows allocationHelp where Z may have weights.
const weightsHelp = `
Entries may also be weights of features, as aibd estimate --csv writes them, and 0 where an item
lacks the feature.`

// addAllocations registers the flag --z.
func addAllocations(c *cobra.Command) (files *[]string) {
	return c.Flags().StringArray("z", nil, "The `file` of one or more Z, - for standard input. Repeat it for more files.")
}

// readAll reads all files of Z. Entries may be weights if that is set.
func readAll(files []string, stdin io.Reader, weights bool) (all []prospect.Allocation, err error) {
	if len(files) == 0 {
		return nil, usageError{errors.New("--z: found none, expected a file of Z")}
	}
	for _, file := range files {
		name, reader := file, stdin
		if file == "-" {
			name = "standard input"
		} else {
			b, err := readFile(file)
			if err != nil {
				return nil, err
			}
			reader = bytes.NewReader(b)
		}
		read, err := readAllocations(reader, name, weights)
		if err != nil {
			return nil, err
		}
		for i, z := range read {
			label := name
			if len(read) > 1 {
				label = fmt.Sprintf("%s, Z %d", name, i+1)
			}
			all = append(all, prospect.Allocation{Name: label, Weighted: z})
		}
	}
	return all, nil
}

// readAllocations reads the text of allocations.
func readAllocations(text io.Reader, name string, weights bool) ([]feature.Weighted, error) {
	if weights {
		return feature.ReadAllWeighted(text, name)
	}
	all, err := feature.ReadTexts(text, name)
	return lists.Map(all, func(z *feature.Allocation) feature.Weighted { return feature.Weighted{Z: z} }), err
}

func writeDensities(w io.Writer, d *prospect.Densities) {
	if d.Law != "" {
		fmt.Fprintln(w, visible.Text(d.Law))
	}
	if d.SigmaX > 0 {
		fmt.Fprintf(w, "SigmaX %v, SigmaA %v\n", d.SigmaX, d.SigmaA)
	}
	for _, a := range d.Allocations {
		name := "Z"
		if len(d.Allocations) > 1 {
			name = visible.Text(a.Name)
		}
		fmt.Fprintf(w, "%s: %s, %s\n", name, plural(d.Items, "item"), plural(a.Features, "feature"))
		if a.LogPMF != nil {
			what := "log pmf"
			if d.Averaged {
				what += " averaged over permutations"
			}
			fmt.Fprintf(w, "%s: %v (%s)\n", what, float64(*a.LogPMF), densityMethod(a, d.Draws))
		}
		if a.LogLik != nil {
			fmt.Fprintf(w, "log likelihood: %v\n", float64(*a.LogLik))
		}
		if a.LogWeights != nil {
			fmt.Fprintf(w, "log density of the weights, standard normal: %v\n", float64(*a.LogWeights))
		}
		if a.LogPosterior != nil {
			fmt.Fprintf(w, "log posterior density, up to a constant: %v\n", float64(*a.LogPosterior))
		}
	}
}

// densityMethod says how the log probability was computed.
func densityMethod(a prospect.Density, draws int) string {
	switch {
	case a.StdErr == nil:
		return "exact"
	case math.IsInf(float64(*a.LogPMF), -1):
		return fmt.Sprintf("Monte Carlo: Z cannot occur under any of %d permutations", draws)
	}
	return fmt.Sprintf("Monte Carlo over %d permutations, standard error %s", draws, words.Significant(float64(*a.StdErr), 2))
}

func newPriorPMF() *cobra.Command {
	var (
		o  *priorOptions
		zs *[]string
	)
	c := &cobra.Command{
		Use:   "pmf [FILE] --z FILE",
		Short: "Log probability of allocations",
		Long: `Computes the log probability of allocations Z under a prior, all constants kept:
that of the class of all matrices that differ from Z in the order of columns only.
` + allocationHelp,
		Example: `  # Three items, two features, IBP
  printf '10\n11\n01\n' | aibd prior pmf --prior ibp --z -

  # The same Z under the dd-IBP, three items on a line
  printf '0,1,2\n1,0,1\n2,1,0\n' > line.csv
  printf '10\n11\n01\n' | aibd prior pmf --prior ddibp --set prior.proximity=symmetric --distance matrix:line.csv --z -

  # Two draws for the states, averaged over the order in which they arrive
  aibd prior sample --n 2 > z.txt
  aibd prior pmf --z z.txt --average --draws 200`,
		Args: wants(0, 1, "at most one FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			all, err := readAll(*zs, c.InOrStdin(), false)
			if err != nil {
				return err
			}
			p, err := o.law(c, args, all[0].Z.N())
			if err != nil {
				return err
			}
			d, err := prospect.NewDensities(all, p.Law.N())
			if err == nil {
				err = d.AddPMF(p, o.draws, o.seed)
			}
			if err != nil {
				return err
			}
			return o.show(c, d, func(w io.Writer) { writeDensities(w, d) }, nil)
		},
	}
	zs = addAllocations(c)
	o = addPriorFlags(c, "")
	o.addAverage(c, prior.MaxExactItems)
	return c
}
