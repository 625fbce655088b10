package cli

// aibd prior pmf.

import (
	"io"

	"github.com/spf13/cobra"

	"aibd/internal/prospect"
	"aibd/prior"
)

func newPriorPMF() *cobra.Command {
	var (
		o  *priorOptions
		zs *allocationFlag
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
			all, err := zs.read(c.InOrStdin())
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
