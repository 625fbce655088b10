package cli

// aibd estimate: one allocation for all draws of a run.

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"aibd/feature"
	"aibd/internal/files"
	"aibd/internal/runs"
	"aibd/mcmc"
	"aibd/posterior"
)

func newEstimate() *cobra.Command {
	var (
		weight        float64
		starts, cores int
		most          int
		seed          uint64
		asJSON        bool
		out           string
	)
	c := &cobra.Command{
		Use:   "estimate RUN",
		Short: "One Z for all draws: the point estimate of least expected loss",
		Long: `Searches for the allocation Z with the least expected FARO loss under the draws of a
run (Dahl, Johnson and Andros, 2023): the number of entries in which it differs from a
draw once their features are matched as well as can be. --weight below 1 prefers
fewer entries, above 1 more.

For each feature it prints its items, and how sure the draws are of them: the mean
share of draws whose matched feature has the item (inside), or has another (outside).`,
		Example: `  # One Z that stands for the draws
  aibd fit --warmup 200 --draws 300 --out one
  aibd estimate one

  # Into a file, as a start of another run
  aibd estimate one --out Z.txt
  aibd fit --init Z.txt --out again`,
		Args: wants(1, 1, "the directory of a RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case !(weight >= 0 && weight <= 2):
				return usageError{fmt.Errorf("--weight: found %v, expected 0 to 2", weight)}
			case starts < 1:
				return usageError{fmt.Errorf("--starts: found %d, expected at least 1", starts)}
			case most < 1:
				return usageError{fmt.Errorf("--most: found %d, expected at least 1", most)}
			case cores < 0:
				return usageError{fmt.Errorf("--cores: found %d, expected at least 0", cores)}
			case cores == 0:
				cores = runtime.GOMAXPROCS(0)
			}
			run, err := runs.Open(args[0])
			if err != nil {
				return err
			}
			chains, note, err := run.Allocations()
			if err != nil {
				return err
			}
			draws := thinned(chains, most)
			e, err := posterior.EstimateZ(mcmc.NewStream(seed, "estimate").Rand, draws,
				posterior.EstimateOptions{A: weight, Starts: starts, Workers: cores})
			if err != nil {
				return fmt.Errorf("%s: %w", run.Dir, err)
			}
			found := newEstimateOf(run, e, len(draws), note)
			if out != "" {
				var b bytes.Buffer
				if err := feature.WriteText(&b, e.Z); err != nil {
					return err
				}
				if err := files.Replace(out, b.Bytes()); err != nil {
					return err
				}
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), found)
			}
			found.write(c.OutOrStdout())
			return nil
		},
	}
	c.Flags().Float64Var(&weight, "weight", 1, "Loss of an entry that the estimate misses, 0 to 2; one too many costs 2 less that.")
	c.Flags().IntVar(&starts, "starts", 8, "Draws to start the search from.")
	c.Flags().IntVar(&most, "most", 500, "Draws to use, evenly spaced, if there are more.")
	c.Flags().Uint64Var(&seed, "seed", 1, "Seed of the choice of the starts.")
	c.Flags().IntVar(&cores, "cores", 0, "Cores to use; 0 for all. The estimate does not depend on it.")
	c.Flags().StringVar(&out, "out", "", "Write Z into a `file`, a line an item.")
	c.Flags().BoolVar(&asJSON, "json", false, "Print JSON.")
	return c
}

// thinned returns at most so many draws of all chains, evenly spaced.
func thinned(chains [][]*feature.Allocation, most int) []*feature.Allocation {
	var all []*feature.Allocation
	for _, draws := range chains {
		all = append(all, draws...)
	}
	if len(all) <= most {
		return all
	}
	kept := make([]*feature.Allocation, most)
	for i := range kept {
		kept[i] = all[i*len(all)/most]
	}
	return kept
}

// estimate is what is told of a point estimate.
type estimate struct {
	Draws    int               `json:"draws"`
	Note     string            `json:"note,omitempty"`
	Loss     float64           `json:"expected_loss"`
	BestDraw float64           `json:"expected_loss_of_best_start"`
	Ones     int               `json:"n_ones"`
	Features []estimateFeature `json:"features"`
}

// estimateFeature is one feature; those with most items come first.
type estimateFeature struct {
	Items   []string  `json:"items"`
	Inside  float64   `json:"inside"`  // mean share over its items
	Outside float64   `json:"outside"` // and over all others
	Share   []float64 `json:"share"`   // by item
}

func newEstimateOf(run *runs.Run, e *posterior.Estimate, draws int, note string) *estimate {
	found := &estimate{Draws: draws, Note: note, Loss: e.Loss, BestDraw: e.Start, Ones: e.Z.Ones(), Features: []estimateFeature{}}
	for k := range e.Z.K() {
		f := estimateFeature{Share: e.Share[k]}
		for i, share := range f.Share {
			if e.Z.Has(i, k) {
				f.Items = append(f.Items, run.Data.IDs[i])
				f.Inside += share
			} else {
				f.Outside += share
			}
		}
		size := len(f.Items)
		f.Inside /= float64(size)
		if others := e.Z.N() - size; others > 0 {
			f.Outside /= float64(others)
		}
		found.Features = append(found.Features, f)
	}
	slices.SortStableFunc(found.Features, func(a, b estimateFeature) int { return cmp.Compare(len(b.Items), len(a.Items)) })
	return found
}

func (e *estimate) write(w io.Writer) {
	if e.Note != "" {
		fmt.Fprintln(w, e.Note)
	}
	fmt.Fprintf(w, "%s with %d entries; expected FARO loss %.2f over %s (the best of the starts has %.2f)\n\n",
		plural(len(e.Features), "feature"), e.Ones, e.Loss, plural(e.Draws, "draw"), e.BestDraw)
	t := table{{"feature", "items", "inside", "outside"}}
	for k, f := range e.Features {
		t.add(strconv.Itoa(k+1), strconv.Itoa(len(f.Items)), strconv.FormatFloat(f.Inside, 'f', 2, 64), strconv.FormatFloat(f.Outside, 'f', 2, 64))
	}
	t.write(w)
	fmt.Fprintln(w)
	for k, f := range e.Features {
		fmt.Fprintf(w, "%d: %s\n", k+1, strings.Join(f.Items, ", "))
	}
}
