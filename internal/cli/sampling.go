package cli

// What the verbs that sample share: flags, progress, signals and the final summary.

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"aibd/internal/runs"
	"aibd/internal/vector"
)

// maxCores bounds --cores: a larger number can only be a mistake.
const maxCores = 10_000

// samplingOptions are the flags of the verbs that sample.
type samplingOptions struct {
	cores      int
	quiet      bool
	checkpoint float64 // seconds
	portable   bool
}

func (o *samplingOptions) add(c *cobra.Command) {
	c.Flags().Float64Var(&o.checkpoint, "checkpoint", 10, "Save each chain after this many `seconds` of sampling: what a crash may cost.")
	c.Flags().IntVar(&o.cores, "cores", 0, "Number of cores. 0: all. Draws do not depend on it.")
	c.Flags().BoolVar(&o.portable, "portable", false, "Use no AVX2 instructions: slower, same draws.")
	c.Flags().BoolVar(&o.quiet, "quiet", false, "Print only the name of the run and its summary.")
}

func (o samplingOptions) validate() error {
	if o.cores < 0 || o.cores > maxCores {
		return usageError{fmt.Errorf("--cores: found %d, expected 0 to %d", o.cores, maxCores)}
	}
	if !(o.checkpoint >= 0) || o.checkpoint > math.MaxInt64/1e9 {
		return usageError{fmt.Errorf("--checkpoint: found %v, expected 0 or a number of seconds", o.checkpoint)}
	}
	return nil
}

// prepare chooses how to compute, before anything is computed.
func (o samplingOptions) prepare() {
	if o.portable {
		vector.UsePortable()
	}
}

// log returns the writer for progress.
func (o samplingOptions) log(c *cobra.Command) io.Writer {
	if o.quiet {
		return io.Discard
	}
	return c.ErrOrStderr()
}

// sample samples the rest of a run, shows progress, and prints the name and the summary
// of the run. A signal stops it.
func (o samplingOptions) sample(c *cobra.Command, run *runs.Run) error {
	run.CheckpointEvery = time.Duration(o.checkpoint * float64(time.Second))
	if err := watch(run, o.cores, o.log(c)); err != nil {
		return err
	}
	out := c.OutOrStdout()
	fmt.Fprintln(out, run.Dir)
	s, err := summarize(run)
	if err != nil {
		return err
	}
	fmt.Fprintln(out)
	s.write(out, false)
	return nil
}

// watch samples and shows the progress of all chains.
func watch(run *runs.Run, cores int, log io.Writer) error {
	ctx, stop := interruptible()
	defer stop()
	done := func() int { return total(run.Done()) }
	ended := newProgress(log, "scans", done(), run.Scans()*run.Spec.Sampler.Chains).follow(done)
	err := run.Sample(ctx, cores)
	ended()
	if err == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %s", errInterrupted, whatIsThere(run))
}

// whatIsThere tells what an interrupted run has drawn.
func whatIsThere(run *runs.Run) string {
	drawn := 0
	for _, done := range run.Done() {
		drawn += run.Spec.Sampler.DrawsAt(done)
	}
	s := run.Spec.Sampler
	line := fmt.Sprintf("%s has %d of %d draws; aibd resume %s goes on", run.Dir, drawn, s.Draws*s.Chains, run.Dir)
	if drawn > 0 {
		line += fmt.Sprintf(", aibd summary %s shows them", run.Dir)
	}
	return line
}

func total(counts []int) int {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum
}
