package cli

// aibd data list.

import (
	"fmt"

	"github.com/spf13/cobra"

	"aibd/dataset"
)

func newDataList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the data that can be had by name",
		Long:    "Lists the data that can be had by name: N items by D columns, and what they are.",
		Example: "  aibd data list",
		Args:    wants(0, 0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			out := c.OutOrStdout()
			fmt.Fprintln(out, "Built in (aibd fit --builtin NAME, aibd data show NAME, aibd data write NAME):")
			for _, name := range dataset.Names() {
				set, err := dataset.Load(name)
				if err != nil {
					return err
				}
				fmt.Fprintf(out, "  %-10s  %3d x %-3d  %s\n", set.Name, set.X.N(), len(set.X.Columns), set.Title)
			}
			fmt.Fprintln(out, "\nSynthetic, with known truth (aibd data write NAME --seed S):")
			for _, s := range synthetics {
				fmt.Fprintf(out, "  %-10s  %3d x %-3d  %s\n", s.name, s.items, s.variables, s.title)
			}
			fmt.Fprintln(out, "\nNot included, for its terms (aibd fit --preset NAME FILE):")
			fmt.Fprintf(out, "  %-10s  %3d x %-3d  %s\n", "alzheimers", 62, 224, "The data of the paper's application; the FILE is checked by its SHA-256")
			return nil
		},
	}
}
