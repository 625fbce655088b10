package cli

// aibd gather: join runs whose chains were sampled apart.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"aibd/internal/runs"
	"aibd/internal/verdict"
)

func newGather() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "gather DIR...",
		Short: "Join copies of a run whose chains were sampled apart",
		Long: `Joins copies of one prepared run (aibd fit --prepare) in which different chains were sampled,
on machines without a common file system. All copies must have the same run.json, and no two
may have draws of the same chain. Each file is verified before it is copied. If one is damaged,
or belongs to another run, aibd names it and makes no run.

Chains that are not complete are copied as far as they are. aibd resume samples the rest.`,
		Example: `  # Two copies of a prepared run, a chain of each
  aibd fit --chains 2 --warmup 200 --draws 500 --prepare --out here
  cp -R here there
  aibd resume here --chain 1
  aibd resume there --chain 2
  aibd gather here there --out joined
  aibd summary joined`,
		Args: wants(1, math.MaxInt, "the DIR of each copy"),
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				return usageError{errors.New("aibd gather: found no --out, expected a directory for the run")}
			}
			var missing []int
			if err := uninterrupted(func(ctx context.Context) (err error) {
				missing, err = runs.Gather(ctx, args, out)
				return err
			}); err != nil {
				return err
			}
			for _, chain := range missing {
				writeNotes(c.ErrOrStderr(), fmt.Sprintf("chain %d has no draws: aibd resume %s --chain %[1]d samples it", chain, verdict.Quoted(out)))
			}
			fmt.Fprintln(c.OutOrStdout(), out)
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "", "New `directory` for the run.")
	return c
}
