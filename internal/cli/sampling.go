package cli

// What the verbs that sample share: flags, progress, signals and the final summary.

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"aibd/internal/compare"
	"aibd/internal/describe"
	"aibd/internal/rounds"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/internal/visible"
)

// samplingOptions are the flags of the verbs that sample.
type samplingOptions struct {
	quiet      bool
	checkpoint float64 // seconds
	budget     rounds.Limit
	strict     bool
	otherBuild bool // sample a run of another build
	rank       bool // compare the kinds of features after the last round
}

func (o *samplingOptions) add(c *cobra.Command) {
	o.budget = rounds.Limit{Total: rounds.Default}
	c.Flags().Var(&o.budget, "budget", "Begin further rounds only if they probably end within this `time`, such as 30s; 0: one round. 20000scans: until each chain has made so many scans, which gives the same draws on any machine.")
	addStrict(c, &o.strict)
	c.Flags().Float64Var(&o.checkpoint, "checkpoint", 10, "Save each chain after this many `seconds` of sampling.")
	addCores(c, "Draws do")
	c.Flags().BoolVar(&o.quiet, "quiet", false, "Print only the name of the run and its summary.")
}

func (o samplingOptions) validate() error {
	if !(o.checkpoint >= 0) || o.checkpoint > math.MaxInt64/1e9 {
		return usageError{fmt.Errorf("--checkpoint: found %v, expected 0 or a number of seconds", o.checkpoint)}
	}
	return nil
}

// log returns the writer for progress.
func (o samplingOptions) log(c *cobra.Command) io.Writer {
	return logOf(c, o.quiet)
}

// sample samples the rest of a run, shows progress, and prints the name and the summary
// of the run. A signal stops it.
func (o samplingOptions) sample(c *cobra.Command, run *runs.Run) error {
	ctx, stop := stoppable(c)
	began := time.Now()
	j, err := rounds.Sample(ctx, run, o.rounds(c, run))
	if err == nil && o.rank && o.inRounds(c, run) && o.budget.Total > 0 && !o.budget.Scans {
		o.rankKinds(ctx, c, j.Run, time.Since(began))
	}
	stop() // a signal ends the summary
	if err != nil {
		return err
	}
	if o.inRounds(c, run) && o.budget.Total > 0 && !o.budget.Scans && !j.Agreed {
		j.AddNotes(fmt.Sprintf("The speed of the machine decided where this ended: another one ends at other draws within %v. --budget %dscans ends at the same draws everywhere.", &o.budget, j.Run.Scans()))
	}
	fmt.Fprintf(c.OutOrStdout(), "%s\n\n", j.Run.Dir)
	s := summary{j.Summary()}
	fmt.Fprintln(c.OutOrStdout(), visible.Text(s.headline()))
	writeVerdict(c.OutOrStdout(), j)
	s.write(c.OutOrStdout(), false)
	dir := verdict.Quoted(j.Run.Dir)
	var next describe.Lines
	next.Add("Next", fmt.Sprintf("aibd report %s (all of this and pictures as a page), aibd estimate %[1]s (one Z and its features)", dir))
	next.Add("", fmt.Sprintf("aibd compare %s --features binary,weighted,graded (which kind of features predicts hidden cells best)", dir))
	next.Add("", fmt.Sprintf("aibd compare %s --baseline (whether factor analysis predicts hidden cells better)", dir))
	writeLines(o.log(c), next)
	return strictly(o.strict, j.Verdict)
}

// Kinds of features are compared if that probably takes at most rankShare of the time of the run, or at
// most rankTime and what is left of the budget, and X has at least rankCells cells, of which a tenth is
// hidden.
const (
	rankShare = 0.3
	rankTime  = 10 * time.Second
	rankCells = 200
)

// rankAtMost returns how long a comparison of kinds may take after a run that used part of a budget.
func rankAtMost(budget, used time.Duration) time.Duration {
	return max(min(rankTime, budget-used), time.Duration(rankShare*float64(used)))
}

// rankKinds compares the kinds of features by short runs, if that takes little time beside that of the run.
// The run keeps what it finds. A signal or an error ends the comparison alone.
func (o samplingOptions) rankKinds(ctx context.Context, c *cobra.Command, run *runs.Run, used time.Duration) {
	// A scan of all kinds takes two to three times as long as one of weighted features.
	takes := time.Duration(3 * float64(compare.RankScans(run)) / run.Rate() * float64(time.Second))
	if run.Spec.Data.Hides() || run.Data.N*run.Data.D < rankCells || takes > rankAtMost(o.budget.Total, used) {
		return
	}
	fmt.Fprintln(o.log(c), "Kinds: short runs of binary, weighted and graded features, from which a tenth of the cells is hidden")
	found, err := compare.Rank(ctx, run, version)
	if err == nil {
		if found.Better == "" {
			fmt.Fprintf(o.log(c), "Kinds: no other kind predicts the hidden cells clearly better than %s features\n", run.Spec.Likelihood.Kind())
		}
		err = run.WriteKinds(*found)
	}
	if err != nil && ctx.Err() == nil {
		tell(c.ErrOrStderr(), fmt.Sprintf("kinds of features not compared: %v", err))
	}
}

// stoppable returns a context that is canceled by a signal or with the context of the command, which the
// page of a run can cancel. The caller must call stop.
func stoppable(c *cobra.Command) (ctx context.Context, stop func()) {
	ctx, release := interruptible()
	ctx, cancel := context.WithCancel(ctx)
	remove := context.AfterFunc(c.Context(), cancel)
	return ctx, func() { remove(); cancel(); release() }
}

// rounds returns how a run is sampled.
func (o samplingOptions) rounds(c *cobra.Command, run *runs.Run) rounds.Options {
	return rounds.Options{
		Limit: o.budget, Rounds: o.inRounds(c, run), CheckpointEvery: time.Duration(o.checkpoint * float64(time.Second)),
		Version: version, OtherBuild: o.otherBuild, Log: o.log(c),
		Note: func(notes ...string) { tell(c.ErrOrStderr(), notes...) },
		Watch: func(before string, after func() string, done func() int, all int) func() {
			log, from := o.log(c), done()
			if before != "" && from == all {
				log = io.Discard
			}
			p := newProgress(log, "scans", from, all)
			p.before, p.after = before, after
			return p.follow(done)
		},
	}
}

// inRounds reports whether a run is to be sampled until its chains agree, or has a round to
// complete.
func (o samplingOptions) inRounds(c *cobra.Command, run *runs.Run) bool {
	return run.Spec.Sampler.Until == spec.UntilAgreed || c.Flags().Changed("budget") || run.Next() != nil
}
