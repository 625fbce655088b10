package cli

// What the verbs that sample share: flags, progress, signals and the final summary.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"aibd/fit"
	"aibd/internal/compare"
	"aibd/internal/describe"
	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/internal/visible"
)

// samplingOptions are the flags of the verbs that sample.
type samplingOptions struct {
	quiet      bool
	checkpoint float64 // seconds
	budget     budget
	strict     bool
	otherBuild bool // sample a run of another build
	rank       bool // compare the kinds of features after the last round
}

func (o *samplingOptions) add(c *cobra.Command) {
	o.budget.Time = defaultBudget
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
	timed := o.inRounds(c, run) && o.budget.Time > 0
	j, found, err := o.fit(ctx, c, run)
	if err == nil && o.rank && timed {
		o.rankKinds(ctx, c, j.Run, found.Rate, time.Since(began))
	}
	stop() // a signal ends the summary
	if err != nil {
		return err
	}
	if timed && !j.Agreed {
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
func (o samplingOptions) rankKinds(ctx context.Context, c *cobra.Command, run *runs.Run, rate float64, used time.Duration) {
	// A scan of all kinds takes two to three times as long as one of weighted features.
	takes := time.Duration(3 * float64(compare.RankScans(run)) / rate * float64(time.Second))
	if run.Spec.Data.Hides() || run.Data.N*run.Data.D < rankCells || takes > rankAtMost(o.budget.Time, used) {
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

// fit samples a run, in rounds if it is to be, and shows progress.
func (o samplingOptions) fit(ctx context.Context, c *cobra.Command, run *runs.Run) (*results.Judged, *fit.Result, error) {
	run.CheckpointEvery = o.checkpointEvery()
	s := &runs.Store{Run: run, Further: runs.ResumeOptions{Version: version, OtherBuild: o.otherBuild}, Note: func(notes ...string) { tell(c.ErrOrStderr(), notes...) }}
	show := roundsBar{log: o.log(c), store: s, rounds: o.inRounds(c, run)}
	options := fit.Options{Progress: show.show}
	if show.rounds {
		options.Budget = o.budget.Budget
	}
	j, found, err := results.Fit(ctx, s, options)
	show.end()
	switch {
	case errors.Is(err, fit.ErrNoDraws):
		return nil, nil, fmt.Errorf("%w: %s", fit.ErrNoDraws, whatIsThere(s.Run))
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, nil, fmt.Errorf("%w: %s", errInterrupted, whatIsThere(s.Run))
	case err != nil:
		return nil, nil, err
	case found.Cut:
		tell(c.ErrOrStderr(), fmt.Sprintf("%v: %s", fit.ErrNoDraws, whatIsThere(s.Run)))
	case found.Why != "" && !options.Budget.IsZero():
		fmt.Fprintln(o.log(c), found.Why)
	}
	return j, found, nil
}

func (o samplingOptions) checkpointEvery() time.Duration {
	return time.Duration(o.checkpoint * float64(time.Second))
}

// whatIsThere says what a run that was stopped has drawn.
func whatIsThere(run *runs.Run) string {
	s, dir := run.Spec.Sampler, verdict.Quoted(run.Dir)
	drawn := lists.Sum(lists.Of(run.Done(), s.Config().DrawsAt))
	switch {
	case run.Begun():
		return fmt.Sprintf("round %d of %s is not complete; aibd resume %s continues it, aibd summary %[3]s shows round %d", s.Round, run.Dir, dir, s.Round-1)
	case len(run.Done()) < s.Chains:
		return fmt.Sprintf("%d of %d draws are on disk; the same command continues", drawn, s.Draws)
	case drawn == s.Draws*s.Chains:
		return fmt.Sprintf("round %d of %s is complete; aibd resume %s continues it, aibd summary %[3]s shows it", s.Round, run.Dir, dir)
	}
	line := fmt.Sprintf("%s has %d of %d draws; aibd resume %s continues", run.Dir, drawn, s.Draws*s.Chains, dir)
	if drawn > 0 {
		line += fmt.Sprintf(", aibd summary %s shows them", dir)
	}
	return line
}

// roundsBar shows the progress of rounds.
type roundsBar struct {
	log    io.Writer
	store  *runs.Store
	rounds bool // until the chains agree
	last   atomic.Pointer[fit.Progress]
	stop   func() // nil between rounds
}

// show implements fit.Options.Progress.
func (b *roundsBar) show(p fit.Progress) {
	b.last.Store(&p)
	before := b.store.Run.Before() * p.Round.Chains
	switch {
	case p.Verdict != nil:
		if b.rounds {
			fmt.Fprintf(b.log, "Round %d: %s\n", p.Round.Number, p.Verdict.Lines[0])
		}
	case p.Done == p.All:
		b.end()
	case b.stop == nil:
		bar := newProgress(b.log, "scans", p.Done-before, p.All-before)
		if b.rounds {
			bar.before, bar.after = fmt.Sprintf("Round %d: ", p.Round.Number), b.remaining
		}
		b.stop = bar.follow(func() int { return b.last.Load().Done - before })
	}
}

// remaining says how much time is left, to end a line of progress.
func (b *roundsBar) remaining() string {
	switch p := b.last.Load(); {
	case p.Left > 0:
		return fmt.Sprintf("; %s left of the budget", roughly(p.Left))
	case p.Cut > 0:
		return fmt.Sprintf("; the budget is used up; %s left for this round", roughly(p.Cut))
	}
	return ""
}

// end ends the line of a round.
func (b *roundsBar) end() {
	if b.stop != nil {
		b.stop()
		b.stop = nil
	}
}

// inRounds reports whether a run is to be sampled until its chains agree, or has a round to
// complete.
func (o samplingOptions) inRounds(c *cobra.Command, run *runs.Run) bool {
	return run.Spec.Sampler.Until == spec.UntilAgreed || c.Flags().Changed("budget") || run.Begun() || run.Next() != nil
}
