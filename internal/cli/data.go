package cli

// aibd data, data list and data show

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"aibd/dataset"
	"aibd/internal/describe"
	"aibd/internal/lists"
)

func newData() *cobra.Command {
	return group("data", "Built-in and synthetic data", `Lists, shows and writes built-in data, and writes synthetic data with known truth.`,
		`  aibd data list
  aibd data show usstates
  aibd data write usstates --dir .
  aibd data write twin --seed 7`,
		newDataList(), newDataShow(), newDataWrite())
}

func newDataShow() *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a built-in data set: source, citation, terms, first rows",
		Long:              "Shows a built-in data set: its description, source, citation, terms of use, default\ntransform and first rows.",
		Example:           "  aibd data show usstates",
		Args:              wants(1, 1, "the NAME of a built-in data set"),
		ValidArgsFunction: cobra.FixedCompletions(dataset.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, args []string) error {
			set, err := dataset.Load(args[0])
			if err != nil {
				return err
			}
			showSet(c.OutOrStdout(), set)
			return nil
		},
	}
}

func showSet(out io.Writer, set *dataset.Set) {
	fmt.Fprintf(out, "%s: %s\n%s by %s; %s are not in X\n", set.Name, set.Title,
		plural(set.X.N(), "item"), plural(len(set.X.Columns)+len(set.Side.Columns), "column"), strings.Join(set.Side.Columns, ", "))
	for _, part := range [][2]string{
		{"Description", set.Description},
		{"Source", set.Source},
		{"Citation", set.Citation},
		{"Terms", set.Terms},
		{"Transform", describe.Transform(set.Transform)},
	} {
		fmt.Fprintf(out, "\n%s\n%s", part[0], wrap(part[1], "  ", 90))
	}
	for _, part := range []struct {
		title string
		table *dataset.Table
	}{{"First rows of X", set.X}, {"First rows of the other columns", set.Side}} {
		fmt.Fprintf(out, "\n%s\n", part.title)
		cells := tableCells(part.table)
		cells[:min(len(cells), 6)].write(out)
	}
}

// tableCells returns the header of a table and its cells.
func tableCells(t *dataset.Table) table {
	var columns table
	if t.IDs != nil {
		columns.add(append([]string{t.IDColumn}, t.IDs...)...)
	}
	for _, name := range t.Columns {
		cells, _ := t.Strings(name) // the column exists
		columns.add(append([]string{name}, cells...)...)
	}
	return lists.Transposed(columns)
}

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
