package cli

// aibd data write.

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"aibd/dataset"
	"aibd/feature"
	"aibd/internal/files"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/visible"
	"aibd/internal/words"
	"aibd/mcmc"
)

// A synthetic is a generator of data with known truth.
type synthetic struct {
	name, title      string
	items, variables int
	maxItems         int // that fit into memory with their files
	files            func(stream *mcmc.Stream, items, variables int) []files.New
}

var synthetics = []synthetic{
	{"bars", "The Cambridge bars: images of 6 x 6 pixels made of four shapes, noise 0.5", 100, 36, 200_000,
		func(stream *mcmc.Stream, items, _ int) []files.New {
			x, z, a := dataset.Bars(stream.Rand, items, 0.5)
			var pixels []string
			for row := range 6 {
				for column := range 6 {
					pixels = append(pixels, fmt.Sprintf("r%dc%d", row+1, column+1))
				}
			}
			return truthFiles("bars", pixels, x, z, a)
		}},
	{"twin", "A twin of the paper's application: ages, about 74 features", 62, 224, 5000,
		func(stream *mcmc.Stream, items, variables int) []files.New {
			s := dataset.Twin(stream.Rand, items, variables)
			ages := lists.Map(s.Ages, func(age float64) []float64 { return []float64{age} })
			side := files.New{Name: "twin_side.csv", Content: numberTable("id", []string{"age"}, ages).csv()}
			return append(truthFiles("twin", words.Numbered("v", variables), s.X, s.Z, s.A), side)
		}},
}

func newDataWrite() *cobra.Command {
	names := dataset.Names()
	for _, s := range synthetics {
		names = append(names, s.name)
	}
	var (
		dir   string
		seed  uint64
		items int
	)
	c := &cobra.Command{
		Use:   "write NAME",
		Short: "Write built-in or synthetic data as CSV files",
		Long: `Writes a built-in data set to NAME.csv and NAME_side.csv. Writes synthetic data to
NAME.csv, their true allocation to NAME_z.txt, their true loadings to NAME_loadings.csv
and the ages of twin to twin_side.csv. Never overwrites a file.`,
		Example: `  # Write the 50 states
  aibd data write usstates --dir .

  # Simulate data like those of the paper's application and fit them
  aibd data write twin --seed 7
  aibd fit twin.csv --side twin_side.csv --distance absolute:age`,
		Args:              wants(1, 1, "the NAME of a data set"),
		ValidArgsFunction: cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, args []string) error {
			all, err := dataFiles(c, args[0], names, seed, items)
			if err != nil {
				return err
			}
			if err := uninterrupted(func(ctx context.Context) error { return files.Create(ctx, dir, all) }); err != nil {
				return err
			}
			for _, f := range all {
				fmt.Fprintln(c.OutOrStdout(), visible.Text(filepath.Join(dir, f.Name)))
			}
			return nil
		},
	}
	c.Flags().StringVar(&dir, "dir", ".", "`Directory` to write to. It is made if necessary.")
	c.Flags().Uint64Var(&seed, "seed", 1, "Seed of synthetic data.")
	c.Flags().IntVar(&items, "items", 0, "Number of items of synthetic data; the default is 100 for bars, 62 for twin.")
	return c
}

// dataFiles returns the files of a built-in or synthetic data set.
func dataFiles(c *cobra.Command, name string, names []string, seed uint64, items int) ([]files.New, error) {
	i := slices.IndexFunc(synthetics, func(s synthetic) bool { return s.name == name })
	if i < 0 {
		if !slices.Contains(names, name) {
			return nil, hint.Unknown("data set", name, names)
		}
		for _, flag := range []string{"seed", "items"} {
			if c.Flags().Changed(flag) {
				return nil, usageError{fmt.Errorf("--%s is for synthetic data, %s is built in", flag, name)}
			}
		}
		set, err := dataset.Load(name)
		if err != nil {
			return nil, err
		}
		return []files.New{{Name: name + ".csv", Content: tableCells(set.X).csv()}, {Name: name + "_side.csv", Content: tableCells(set.Side).csv()}}, nil
	}
	s := synthetics[i]
	if c.Flags().Changed("items") {
		s.items = items
	}
	if s.items < 1 || s.items > s.maxItems {
		return nil, fmt.Errorf("--items: found %d, expected 1 to %d for %s", s.items, s.maxItems, name)
	}
	return s.files(mcmc.NewStream(seed, s.name), s.items, s.variables), nil
}

// truthFiles returns the files of the data, the true allocation and the true loadings.
func truthFiles(name string, variables []string, x [][]float64, z *feature.Allocation, a [][]float64) []files.New {
	var allocation bytes.Buffer
	feature.WriteText(&allocation, z) // a Buffer takes everything
	return []files.New{
		{Name: name + ".csv", Content: numberTable("id", variables, x).csv()},
		{Name: name + "_z.txt", Content: allocation.Bytes()},
		{Name: name + "_loadings.csv", Content: numberTable("feature", variables, a).csv()},
	}
}

// numberTable returns the cells of a table of numbers. Its first column, named counted,
// numbers the rows from one.
func numberTable(counted string, columns []string, values [][]float64) table {
	rows := table{append([]string{counted}, columns...)}
	for i, v := range values {
		row := []string{strconv.Itoa(i + 1)}
		for _, x := range v {
			row = append(row, words.Exact(x))
		}
		rows = append(rows, row)
	}
	return rows
}
