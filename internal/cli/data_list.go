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
		Short:   "List the built-in and synthetic data",
		Long:    "Lists the built-in and synthetic data by name, with items x columns and a title.",
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
			fmt.Fprintln(out, "\nNot included, bring the FILE (aibd fit --set data.preset=NAME FILE):")
			fmt.Fprintf(out, "  %-10s  %3d x %-3d  %s\n", "alzheimers", 62, 224, "The data of the paper's application, checked by SHA-256")
			return nil
		},
	}
}
