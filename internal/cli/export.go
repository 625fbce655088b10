package cli

// aibd export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"aibd/internal/export"
	"aibd/internal/files"
	"aibd/internal/results"
	"aibd/internal/visible"
	"aibd/predict"
)

func newExport() *cobra.Command {
	var (
		o      exportOptions
		strict bool
	)
	c := &cobra.Command{
		Use:   "export RUN [FILE]",
		Short: "Write the draws of a run for R, Python and other programs",
		Long: `Writes the draws of all chains to one FILE. Its name ends in the format:

  .rds        R: readRDS("FILE")
  .npz        Python: numpy.load("FILE")
  .zarr       ArviZ: arviz.from_zarr("FILE"); a directory
  .zarr.zip   the same in one file
  .csv        a table with a row for each draw

Without a FILE the CSV goes to standard output. docs/guide/export.md says what each format has. The
first three also have X and the spec.

The verdict on the draws comes first (see aibd summary). Draws of complete rounds can be
exported while a run samples a further one.

Columns are mass, temperature, sigma_x, sigma_a, n_features, n_ones, log_lik, log_prior,
cutpoint_1 and so on, noise_scale (in CSV noise_scale_1 and so on), permutation and
features (Z). Those that the run does not have are left out. --log-likelihood adds the
log density of each cell of X for leave-one-out cross-validation: that given Z, the
standard deviations and the other cells of its column, with the loadings integrated out.
--posterior-predictive adds a replicate of X for each draw.`,
		Example: `  # Export to R, Python and ArviZ
  aibd fit --warmup 200 --draws 300 --out states
  aibd export states states.rds
  aibd export states states.npz
  aibd export states states.zarr --log-likelihood

  # Only the numbers, as CSV
  aibd export states --columns mass,sigma_x,n_features > states.csv`,
		Args: wants(1, 2, "the directory of a RUN and a FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			file, log := "", c.ErrOrStderr()
			format := export.CSV
			if len(args) == 2 {
				var err error
				if format, err = export.FormatOf(args[1]); err != nil {
					return usageError{err}
				}
				file, log = args[1], c.OutOrStdout()
				if err := checkOutput(c, args[:1], "", file); err != nil {
					return err
				}
			}
			if flag := o.byCell(); flag != "" && format.Extension == export.CSV.Extension {
				return usageError{fmt.Errorf("%s: found a CSV file, which has a row for each draw, expected .rds, .npz or .zarr", flag)}
			}
			j, err := judgedRun(c, args[0])
			if err != nil {
				return err
			}
			stop := doing(c, "Collecting what to write")
			contents, err := o.contents(j)
			stop()
			if err != nil {
				return err
			}
			if file == "" {
				writeVerdict(log, j)
				if err := format.Write(contents, c.OutOrStdout()); err != nil {
					return err
				}
			} else {
				if err := save(contents, format, file); err != nil {
					return err
				}
				writeVerdict(log, j)
				fmt.Fprintf(log, "Wrote %s of %s to %s\n", plural(len(j.Chains), "chain"), plural(len(j.Chains[0]), "draw"), visible.Text(file))
			}
			return strictly(strict, j.Verdict)
		},
	}
	c.Flags().StringSliceVar(&o.columns, "columns", nil, "Columns to write. Default: all.")
	c.Flags().BoolVar(&o.logLik, "log-likelihood", false, "Add the log density of each cell of X, for each draw; NaN for missing and hidden cells.")
	c.Flags().BoolVar(&o.predictive, "posterior-predictive", false, "Add a replicate of X for each draw, with its Z and standard deviations; NaN for missing and hidden cells.")
	addStrict(c, &strict)
	return c
}

type exportOptions struct {
	columns            []string
	logLik, predictive bool
}

// byCell returns the first flag that asks for numbers for each cell of X, or "".
func (o exportOptions) byCell() string {
	switch {
	case o.logLik:
		return "--log-likelihood"
	case o.predictive:
		return "--posterior-predictive"
	}
	return ""
}

// maxCells bounds the numbers for each cell and draw in memory.
const maxCells = 1 << 28

// contents returns what an export has.
func (o exportOptions) contents(j *results.Judged) (*export.Contents, error) {
	spec, err := json.Marshal(j.Run.Spec)
	if err != nil {
		return nil, err
	}
	summary, err := json.Marshal(j.Summary())
	if err != nil {
		return nil, err
	}
	c := &export.Contents{
		Items: j.Run.Data.IDs, Variables: j.Run.Data.Columns, Numbers: j.Numbers(), Planned: j.Run.Spec.Sampler.Draws,
		Chains: j.Chains, Spec: spec, Summary: summary,
	}
	if err := c.Choose(o.columns); err != nil {
		return nil, usageError{fmt.Errorf("--columns: %w", err)}
	}
	r, err := j.Replicator()
	if err != nil {
		return nil, err
	}
	c.X = r.Observed(j.Chains[0][0])
	flag := o.byCell()
	if flag == "" {
		return c, nil
	}
	if n := j.Size() * len(c.Items) * len(c.Variables); n > maxCells {
		return nil, fmt.Errorf("%s: found %d numbers, expected at most %d", flag, n, maxCells)
	}
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, err
	}
	if o.logLik {
		y, err := predict.CellLogLik(data, slices.Concat(j.Chains...))
		if err != nil {
			return nil, err
		}
		c.ByCell = append(c.ByCell, export.ByCell{Group: "log_likelihood", Values: y})
	}
	if o.predictive {
		y, err := j.Replicates()
		if err != nil {
			return nil, err
		}
		c.ByCell = append(c.ByCell, export.ByCell{Group: "posterior_predictive", Values: y})
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
	if err := format.Tree(c, func(name string, content []byte) error {
		all = append(all, files.New{Name: filepath.FromSlash(name), Content: content})
		return nil
	}); err != nil {
		return err
	}
	return uninterrupted(func(ctx context.Context) error { return files.CreateTree(ctx, file, all) })
}
