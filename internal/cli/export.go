package cli

// aibd export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"aibd/internal/export"
	"aibd/internal/files"
	"aibd/internal/model"
	"aibd/internal/visible"
	"aibd/predict"
)

func newExport() *cobra.Command {
	var (
		columns []string
		cells   bool
		strict  bool
	)
	c := &cobra.Command{
		Use:   "export RUN [FILE]",
		Short: "Write the draws of a run for R, Python and other programs",
		Long: `Writes the draws of all chains to one FILE. Its name ends in the format:

  .rds        R: readRDS("FILE")
  .npz        Python: numpy.load("FILE")
  .zarr       ArviZ: arviz.from_zarr("FILE"); a directory
  .zarr.zip   the same in one file
  .csv .parquet .jsonl
              tables with a row for each draw

Without a FILE the CSV goes to standard output. docs/export.md says what each format has. The
first three also have X, if the data file of the run is still there, and the spec.

The verdict on the draws comes first (see aibd summary). Draws of complete rounds can be
exported while a run samples a further one.

Columns are mass, temperature, sigma_x, sigma_a, n_features, n_ones, log_lik, log_prior,
permutation and features (Z); those that the run has. --log-likelihood adds the log density
of each cell of X for leave-one-out cross-validation: that given Z, SigmaX, SigmaA and the
other cells of its column, with the loadings integrated out.`,
		Example: `  # Export to R, Python and ArviZ
  aibd fit --warmup 200 --draws 300 --out states
  aibd export states states.rds
  aibd export states states.npz
  aibd export states states.zarr --log-likelihood

  # Only the numbers, as CSV
  aibd export states --columns mass,sigma_x,n_features > states.csv`,
		Args: wants(1, 2, "the directory of a RUN and a FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			file, told := "", c.ErrOrStderr()
			format := export.CSV
			if len(args) == 2 {
				var err error
				if format, err = export.FormatOf(args[1]); err != nil {
					return usageError{err}
				}
				file, told = args[1], c.OutOrStdout()
			}
			if cells && format.Table {
				return usageError{fmt.Errorf("--log-likelihood: found a file in the format %s, which has a row for each draw, expected .rds, .npz or .zarr", format.Extension)}
			}
			j, err := judgeAt(args[0])
			if err != nil {
				return err
			}
			contents, err := j.contents(columns, cells)
			if err != nil {
				return err
			}
			if file == "" {
				j.writeVerdict(told)
				if err := format.Write(contents, c.OutOrStdout()); err != nil {
					return err
				}
			} else {
				if err := save(contents, format, file); err != nil {
					return err
				}
				j.writeVerdict(told)
				fmt.Fprintf(told, "Wrote %s of %s to %s\n", plural(len(j.Chains), "chain"), plural(len(j.Chains[0]), "draw"), visible.Text(file))
			}
			return strictly(strict, j.Verdict)
		},
	}
	c.Flags().StringSliceVar(&columns, "columns", nil, "Columns to write. Default: all.")
	c.Flags().BoolVar(&cells, "log-likelihood", false, "Add the log density of each cell of X, for each draw; NaN for missing and held-out cells.")
	addStrict(c, &strict)
	return c
}

// maxCells bounds the log densities of cells in memory.
const maxCells = 1 << 28

// contents returns what an export has.
func (j *judged) contents(columns []string, cells bool) (*export.Contents, error) {
	spec, err := json.Marshal(j.Run.Spec)
	if err != nil {
		return nil, err
	}
	summary, err := json.Marshal(j.summary().json())
	if err != nil {
		return nil, err
	}
	c := &export.Contents{
		Items: j.Run.Data.IDs, Variables: j.Run.Data.Columns, Numbers: j.Numbers(), Planned: j.Run.Spec.Sampler.Draws,
		Chains: j.Chains, Spec: spec, Summary: summary,
	}
	if err := c.Choose(columns); err != nil {
		return nil, usageError{fmt.Errorf("--columns: %w", err)}
	}
	if j.Missing != nil {
		j.Note = joined(j.Note, fmt.Sprintf("without X: %v", j.Missing))
	} else {
		c.X = j.Seen.X
	}
	if !cells {
		return c, nil
	}
	x, err := j.Observations()
	if err != nil {
		return nil, err
	}
	if n := j.Size() * len(c.Items) * len(c.Variables); n > maxCells {
		return nil, fmt.Errorf("--log-likelihood: found %d numbers, expected at most %d", n, maxCells)
	}
	data, err := model.Likelihood(j.Run.Spec.Data, x, j.Seen.Bounds...)
	if err != nil {
		return nil, err
	}
	for _, chain := range j.Chains {
		of, err := predict.CellLogLik(data, x, chain)
		if err != nil {
			return nil, err
		}
		c.CellLogLik = append(c.CellLogLik, of...)
	}
	return c, nil
}

// save writes an export to a file, or to a new directory.
func save(c *export.Contents, format export.Format, file string) error {
	if format.Write != nil {
		var b bytes.Buffer
		if err := format.Write(c, &b); err != nil {
			return err
		}
		return writeFile(file, b.Bytes())
	}
	var all []files.New
	if err := c.Zarr(func(name string, content []byte) error {
		all = append(all, files.New{Name: filepath.FromSlash(name), Content: content})
		return nil
	}); err != nil {
		return err
	}
	return uninterrupted(func(ctx context.Context) error { return files.CreateTree(ctx, file, all) })
}
