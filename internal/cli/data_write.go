package cli

// aibd data write.

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"aibd/dataset"
	"aibd/feature"
	"aibd/internal/files"
	"aibd/internal/hint"
	"aibd/internal/visible"
	"aibd/mcmc"
)

// A synthetic is a generator of data with known truth.
type synthetic struct {
	name, title      string
	items, variables int
	most             int // items that fit into memory with their files
	files            func(stream *mcmc.Stream, items, variables int) ([]files.New, error)
}

var synthetics = []synthetic{
	{"bars", "The Cambridge bars: images of 6 x 6 pixels made of four shapes, noise 0.5", 100, 36, 200_000,
		func(stream *mcmc.Stream, items, _ int) ([]files.New, error) {
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
		func(stream *mcmc.Stream, items, variables int) ([]files.New, error) {
			s := dataset.Twin(stream.Rand, items, variables)
			all, err := truthFiles("twin", numbered("v", variables), s.X, s.Z, s.A)
			if err != nil {
				return nil, err
			}
			side := [][]string{{"id", "age"}}
			for i, age := range s.Ages {
				side = append(side, []string{strconv.Itoa(i + 1), exact(age)})
			}
			content, err := csvBytes(side)
			return append(all, files.New{Name: "twin_side.csv", Content: content}), err
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
		Long: `Writes a built-in data set as NAME.csv and NAME_side.csv, or synthetic data as
NAME.csv, the true allocation as NAME_z.txt and the true loadings as
NAME_loadings.csv (twin also the ages, as twin_side.csv). Never overwrites a file.`,
		Example: `  # The 50 states, to edit or to read elsewhere
  aibd data write usstates --dir .

  # Data like those of the paper's application, and a fit to them
  aibd data write twin --seed 7
  aibd fit twin.csv --side twin_side.csv --distance absolute --distance-columns age`,
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
	c.Flags().StringVar(&dir, "dir", ".", "`directory` to write into, made if need be")
	c.Flags().Uint64Var(&seed, "seed", 1, "seed of synthetic data")
	c.Flags().IntVar(&items, "items", 0, "items of synthetic data (default: bars 100, twin 62)")
	return c
}

// dataFiles returns the files of a data set of any kind.
func dataFiles(c *cobra.Command, name string, names []string, seed uint64, items int) ([]files.New, error) {
	i := slices.IndexFunc(synthetics, func(s synthetic) bool { return s.name == name })
	if i < 0 {
		if !slices.Contains(names, name) {
			return nil, hint.Unknown("data set", name, names)
		}
		for _, flag := range []string{"seed", "items"} {
			if c.Flags().Changed(flag) {
				return nil, usageError{fmt.Errorf("--%s is for synthetic data, %s is real", flag, name)}
			}
		}
		return builtinFiles(name)
	}
	s := synthetics[i]
	if c.Flags().Changed("items") {
		s.items = items
	}
	if s.items < 1 || s.items > s.most {
		return nil, fmt.Errorf("--items: found %d, expected 1 to %d for %s", s.items, s.most, name)
	}
	return s.files(mcmc.NewStream(seed, s.name), s.items, s.variables)
}

func builtinFiles(name string) ([]files.New, error) {
	set, err := dataset.Load(name)
	if err != nil {
		return nil, err
	}
	var all []files.New
	for _, part := range []struct {
		file string
		of   *dataset.Table
	}{{name + ".csv", set.X}, {name + "_side.csv", set.Side}} {
		cells, err := tableCells(part.of)
		if err != nil {
			return nil, err
		}
		content, err := csvBytes(cells)
		if err != nil {
			return nil, err
		}
		all = append(all, files.New{Name: part.file, Content: content})
	}
	return all, nil
}

// truthFiles returns the data and the truth behind them.
func truthFiles(name string, variables []string, x [][]float64, z *feature.Allocation, a [][]float64) ([]files.New, error) {
	data, err := csvBytes(numberTable("id", variables, x))
	if err != nil {
		return nil, err
	}
	loadings, err := csvBytes(numberTable("feature", variables, a))
	if err != nil {
		return nil, err
	}
	var allocation bytes.Buffer
	if err := feature.WriteText(&allocation, z); err != nil {
		return nil, err
	}
	return []files.New{
		{Name: name + ".csv", Content: data},
		{Name: name + "_z.txt", Content: allocation.Bytes()},
		{Name: name + "_loadings.csv", Content: loadings},
	}, nil
}

// numberTable returns the cells of a table of numbers whose rows are counted from
// one in a first column of the given name.
func numberTable(counted string, columns []string, values [][]float64) [][]string {
	rows := [][]string{append([]string{counted}, columns...)}
	for i, v := range values {
		row := []string{strconv.Itoa(i + 1)}
		for _, x := range v {
			row = append(row, exact(x))
		}
		rows = append(rows, row)
	}
	return rows
}

// numbered returns prefix1 to prefixn.
func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + strconv.Itoa(i+1)
	}
	return names
}

// exact formats x so that it reads back as the same float64.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func csvBytes(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	err := w.WriteAll(rows)
	return b.Bytes(), err
}
