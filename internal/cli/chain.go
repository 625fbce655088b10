package cli

// One chain of a run, by its number or by that of a task of a cluster.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/runs"
)

// chainVariables name the chain of a task. The first that is set counts.
var chainVariables = []struct {
	name  string
	first int // its value for chain 1
}{{"AIBD_CHAIN", 1}, {"SLURM_ARRAY_TASK_ID", 1}, {"JOB_COMPLETION_INDEX", 0}}

// chainOf returns the run and the number, from 1, of the chain of a value of --chain. The value
// counts through the chains of all runs.
func chainOf(dirs []string, value string) (dir string, chain int, err error) {
	name, first := "--chain", 1
	if value == "auto" {
		value = ""
		for _, v := range chainVariables {
			if value = os.Getenv(v.name); value != "" {
				name, first = v.name, v.first
				break
			}
		}
		if value == "" {
			return "", 0, usageError{fmt.Errorf("--chain auto: found none of AIBD_CHAIN, SLURM_ARRAY_TASK_ID and JOB_COMPLETION_INDEX in the environment, expected one")}
		}
	}
	all := 0
	k := 0
	if number, err := strconv.Atoi(value); err == nil {
		k = number - first + 1
	}
	for _, dir := range dirs {
		run, err := runs.Open(dir)
		if err != nil {
			return "", 0, err
		}
		chains := run.Spec.Sampler.Chains
		if all < k && k <= all+chains {
			return dir, k - all, nil
		}
		all += chains
	}
	return "", 0, usageError{fmt.Errorf("%s: found %q, expected %d to %d: the chains of %s", name, value, first, all+first-1, countedRuns(dirs))}
}

// countedRuns names a run, or says how many there are.
func countedRuns(dirs []string) string {
	if len(dirs) == 1 {
		return dirs[0]
	}
	return fmt.Sprintf("%d runs", len(dirs))
}

// sampleChain samples a chain, numbered from 1, of a run that Resume opened for it.
func (o samplingOptions) sampleChain(c *cobra.Command, run *runs.Run, chain int) error {
	defer run.Close()
	ctx, stop := interruptible()
	defer stop()
	name, log := filepath.Join(run.Dir, model.ChainName(chain-1)), o.log(c)
	scans, done := run.Scans(), lists.Sum(run.Done())
	if done == scans {
		fmt.Fprintf(log, "%s is complete: %s\n", name, plural(run.Spec.Sampler.Draws, "draw"))
	} else {
		fmt.Fprintf(log, "%s: %d of %d scans are left\n", name, scans-done, scans)
		run.CheckpointEvery = o.checkpointEvery()
		end := newProgress(log, "scans", done, scans).follow(func() int { return lists.Sum(run.Done()) })
		err := run.Sample(ctx)
		end()
		if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = fmt.Errorf("%w: %s", errInterrupted, whatIsThere(run))
		}
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(c.OutOrStdout(), name)
	return nil
}
