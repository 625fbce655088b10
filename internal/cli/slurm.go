package cli

// aibd slurm: a batch script that samples each chain as a task of an array.

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/internal/visible"
	"aibd/internal/words"
)

// slurmScript is the template of the batch script.
//
//go:embed slurm.sh
var slurmScript string

func newSlurm() *cobra.Command {
	var trial time.Duration
	c := &cobra.Command{
		Use:   "slurm RUN...",
		Short: "Print a batch script for Slurm that samples each chain as a task",
		Long: `Prints a batch script for Slurm: an array with a task for each chain that is not complete, of
prepared runs (aibd fit --prepare). A task that Slurm preempts, or whose machine fails, is put
back into the queue and continues from its last checkpoint. A task that comes near the time
limit saves its chain and puts itself back. The draws are the same, to the byte, as if one
process had sampled all chains.

Memory and time limit come from a short trial on this machine. Options of sbatch override
them. The tasks need a file system that all machines share, the same aibd at the same path,
and the data at the same path.`,
		Example: `  # Sample a run on a cluster
  aibd fit --chains 8 --draws 500 --prepare --out run
  aibd slurm run > run.sh   # then: sbatch --partition=long run.sh`,
		Args: wants(1, math.MaxInt, "the directory of a RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if trial <= 0 {
				return usageError{fmt.Errorf("--trial: found %v, expected more than 0", trial)}
			}
			fill, err := newBatch(c, args, trial)
			if err != nil {
				return err
			}
			_, err = fill.WriteString(c.OutOrStdout(), slurmScript)
			return err
		},
	}
	c.Flags().DurationVar(&trial, "trial", trialTime, "Take memory and time from scans of about this `time`, of each run.")
	return c
}

// newBatch tries the runs and returns what fills slurmScript.
func newBatch(c *cobra.Command, dirs []string, limit time.Duration) (*strings.Replacer, error) {
	ctx, stop := interruptible()
	defer stop()
	var remaining []int // chains
	var quoted []string
	all, scan, longest, scans, mb := 0, time.Duration(0), time.Duration(0), 0, uint64(0)
	for _, dir := range dirs {
		run, err := runs.Open(dir)
		if err != nil {
			return nil, err
		}
		if err := run.Apart(); err != nil {
			return nil, err
		}
		complete, before := map[int]bool{}, len(remaining)
		reports, _ := run.Reports()
		for _, r := range reports {
			complete[r.Chain] = r.Complete
		}
		for chain := 1; chain <= run.Spec.Sampler.Chains; chain++ {
			if all++; !complete[chain] {
				remaining = append(remaining, all)
			}
		}
		quoted = append(quoted, verdict.Quoted(dir))
		if len(remaining) == before {
			continue
		}
		t, err := run.Try(ctx, limit)
		if err != nil {
			if ctx.Err() != nil {
				return nil, errInterrupted
			}
			return nil, err
		}
		fmt.Fprintf(c.ErrOrStderr(), "Trial of %s: %s of chain 1, %s each; the process had %s\n", dir, plural(t.Scans, "scan"), roughly(t.Scan), words.Bytes(float64(t.Memory)))
		took, _ := t.Chains(1, run.Scans())
		scans, scan, longest = scans+t.Scans, max(scan, t.Scan), max(longest, took)
		mb = max(mb, t.Memory>>20)
	}
	if len(remaining) == 0 {
		return nil, errors.New("found only complete chains, expected one to sample")
	}
	minutes := int(min(max(2*longest, 10*time.Minute), 24*time.Hour).Minutes()) + 1
	program, err := os.Executable()
	if err != nil {
		program = "aibd"
	}
	folder, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	return strings.NewReplacer(
		"{{What}}", visible.Text(countedRuns(dirs)), "{{Array}}", ranges(remaining),
		"{{Trial}}", fmt.Sprintf("%d MB and %s for a chain, from %s", mb, roughly(longest), plural(scans, "scan")),
		"{{MB}}", fmt.Sprint((2*mb+256+63)/64*64), "{{Time}}", fmt.Sprintf("%02d:%02d:00", minutes/60, minutes%60),
		"{{Margin}}", fmt.Sprint(60+int(3*scan.Seconds())), // seconds before the time limit
		"{{Folder}}", verdict.Quoted(folder), "{{Command}}", verdict.Quoted(program)+" resume "+strings.Join(quoted, " ")+" --chain auto",
	), nil
}

// ranges writes increasing numbers as 1-3,5.
func ranges(numbers []int) string {
	var parts []string
	for begin := 0; begin < len(numbers); {
		end := begin
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		part := fmt.Sprint(numbers[begin])
		if end > begin {
			part += fmt.Sprintf("-%d", numbers[end])
		}
		parts = append(parts, part)
		begin = end + 1
	}
	return strings.Join(parts, ",")
}
