package cli

// What the verbs that sample share: flags, progress, signals and the final summary.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
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
	began      time.Time // when the budget began: with the process
	strict     bool
	otherBuild bool // sample a run of another build
	rank       bool // compare the kinds of features after the last round
}

func (o *samplingOptions) add(c *cobra.Command) {
	o.budget.Time, o.began = defaultBudget, time.Now()
	c.Flags().Var(&o.budget, "budget", "End within this `time`, such as 30s, with what has been drawn until then; 0: one round, however long it takes. 20000scans: until each chain has made so many scans, which gives the same draws on any machine.")
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

// remaining returns what is left of the budget.
func (o samplingOptions) remaining() time.Duration { return max(0, o.budget.Time-time.Since(o.began)) }

// within returns a context that is done after a part of what is left of a budget of time: one in parts.
func (o samplingOptions) within(ctx context.Context, parts int) (context.Context, context.CancelFunc) {
	if o.budget.Time == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, o.remaining()/time.Duration(parts))
}

// share returns the options of one of several runs that share a budget, given how many have ended: an equal share of
// the scans, or of the time that is left.
func (o samplingOptions) share(ended, all int) samplingOptions {
	switch {
	case o.budget.Scans > 0:
		o.budget.Scans = max(1, o.budget.Scans/all)
	case o.budget.Time > 0:
		o.budget.Time, o.began = max(1, o.remaining()/time.Duration(all-ended)), time.Now()
	}
	return o
}

// log returns the writer for progress.
func (o samplingOptions) log(c *cobra.Command) io.Writer {
	return logOf(c, o.quiet)
}

// sample samples the rest of a run, shows progress, and prints the name and the summary
// of the run. A signal ends ctx, which stops it, until it calls stop.
func (o samplingOptions) sample(ctx context.Context, stop func(), c *cobra.Command, run *runs.Run) error {
	timed := o.inRounds(c, run) && o.budget.Time > 0
	rounds := o
	if timed {
		rounds.budget.Time -= min(maxSummary, o.budget.Time/4)
	}
	j, result, err := rounds.fit(ctx, c, run, nil)
	if err == nil && o.rank && timed {
		rounds.rankKinds(ctx, c, j, result)
	}
	stop() // a signal ends the summary
	if err != nil {
		return err
	}
	if timed && !result.Cut && !j.Agreed {
		j.AddNotes(fmt.Sprintf("This ended when its time was up: another machine makes other draws within %v. aibd fit %s repeats these.", &o.budget, verdict.Quoted(filepath.Join(j.Run.Dir, "run.json"))))
	}
	fmt.Fprintf(c.OutOrStdout(), "%s\n\n", j.Run.Dir)
	j, s := o.summarize(c, j, timed)
	fmt.Fprintln(c.OutOrStdout(), visible.Text(s.headline()))
	writeVerdict(c.OutOrStdout(), j)
	if s.Summary.Quantities != nil {
		s.write(c.OutOrStdout(), false)
	}
	dir := verdict.Quoted(j.Run.Dir)
	var next describe.Lines
	next.Add("Next", fmt.Sprintf("aibd report %s (all of this and pictures as a page), aibd estimate %[1]s (one Z and its features)", dir))
	next.Add("", fmt.Sprintf("aibd compare %s --features binary,weighted,graded (binary features or weights? judged by hidden cells)", dir))
	near := ""
	if j.Run.Spec.HasDistances() {
		near = " and near items"
	}
	next.Add("", fmt.Sprintf("aibd compare %s --baseline (do features predict hidden cells better than factor analysis%s?)", dir, near))
	writeLines(o.log(c), next)
	return strictly(o.strict, j.Verdict)
}

// maxSummary is the max time that is kept for the summary, of a budget of time at most a quarter.
const maxSummary = 20 * time.Second

// summarize returns the summary of draws. If the time ends before, it returns the draws without what was found, with a
// note.
func (o samplingOptions) summarize(c *cobra.Command, j *results.Judged, timed bool) (*results.Judged, summary) {
	defer track(o.log(c), "Summarizing")()
	if !timed {
		return j, summary{j.Summary()}
	}
	// Steps of a summary that cannot be stopped continue in the background, on draws of their own.
	late := &results.Judged{Verdict: j.Verdict, Run: j.Run, Problem: j.Problem, Seen: j.Seen, Traces: j.Traces, Chains: j.Chains, Note: j.Note}
	late.AddNotes(fmt.Sprintf("There was no time for the findings: aibd summary %s shows them.", verdict.Quoted(j.Run.Dir)))
	within, end := o.within(context.Background(), 1)
	defer end()
	j.Within = within
	summaries := make(chan *results.Summary, 1)
	go func() { summaries <- j.Summary() }()
	select {
	case s := <-summaries:
		return j, summary{s}
	case <-time.After(o.remaining() + time.Second): // what within has ended comes before
		return late, summary{&results.Summary{Judged: late}}
	}
}

// Kinds of features are compared if that probably takes at most rankShare of the time of the run, or at
// most rankTime, and ends within the budget, and X has at least rankCells cells, of which a tenth is hidden.
const (
	rankShare = 0.3
	rankTime  = 10 * time.Second
	rankCells = 200
)

// rankAtMost returns how long a comparison of kinds may take after a run that used part of a budget.
func rankAtMost(budget, used time.Duration) time.Duration {
	return min(max(rankTime, time.Duration(rankShare*float64(used))), budget-used)
}

// rankKinds compares the kinds of features by short runs, if that takes little time beside that of the run.
// The run keeps what it finds. A signal, the end of the budget or an error ends the comparison alone.
func (o samplingOptions) rankKinds(ctx context.Context, c *cobra.Command, j *results.Judged, result *fit.Result) {
	run := j.Run
	// A scan of all kinds takes two to three times as long as one of weighted features.
	takes := time.Duration(3*float64(compare.RankScans(run))/result.Rate*float64(time.Second)) + compare.RankDraws*result.Judging
	if run.Spec.Data.Hides() || run.Data.N*run.Data.D < rankCells || takes > rankAtMost(o.budget.Time, o.budget.Time-o.remaining()) {
		return
	}
	log := o.log(c)
	fmt.Fprintln(log, "Kinds: short runs of binary, weighted and graded features, from which a tenth of the cells is hidden")
	ctx, stop := context.WithDeadline(ctx, o.began.Add(o.budget.Time))
	defer stop()
	done := track(log, "Kinds")
	kinds, err := compare.Rank(ctx, run, version)
	done()
	better := ""
	if err == nil {
		if err = run.WriteKinds(*kinds); err == nil {
			better, err = run.BetterKind()
		}
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(log, "Kinds: not compared in time")
	case err != nil:
		writeNotes(c.ErrOrStderr(), fmt.Sprintf("kinds of features not compared: %v", err))
	case better != "":
		j.AddNotes(better)
	default:
		fmt.Fprintf(log, "Kinds: no other kind predicts the hidden cells clearly better than %s features\n", run.Spec.Likelihood.Kind())
	}
}

// fit samples a run, in rounds if it is to be, and shows progress. For conclude see results.Fit.
func (o samplingOptions) fit(ctx context.Context, c *cobra.Command, run *runs.Run, conclude func(*results.Judged) error) (*results.Judged, *fit.Result, error) {
	run.CheckpointEvery = o.checkpointEvery()
	s := &runs.Store{Run: run, NextRound: runs.ResumeOptions{Version: version, OtherBuild: o.otherBuild}, Note: func(notes ...string) { writeNotes(c.ErrOrStderr(), notes...) }}
	show := roundsBar{log: o.log(c), store: s, rounds: o.inRounds(c, run)}
	options := fit.Options{Progress: show.show, Began: o.began}
	if show.rounds {
		options.Budget = o.budget.Budget
	}
	j, result, err := results.Fit(ctx, s, options, conclude)
	show.end()
	switch {
	case errors.Is(err, fit.ErrNoDraws):
		return nil, nil, fmt.Errorf("%w: %s", fit.ErrNoDraws, whatIsThere(s.Run))
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, nil, fmt.Errorf("%w: %s", errInterrupted, whatIsThere(s.Run))
	case err != nil:
		return nil, nil, err
	case result.Cut:
		writeNotes(c.ErrOrStderr(), fmt.Sprintf("%v: %s", fit.ErrNoDraws, whatIsThere(s.Run)))
	case result.Why != "" && !options.Budget.IsZero():
		fmt.Fprintln(o.log(c), result.Why)
	}
	return j, result, nil
}

func (o samplingOptions) checkpointEvery() time.Duration {
	return time.Duration(o.checkpoint * float64(time.Second))
}

// whatIsThere says what a run that was stopped has drawn, and how long the rest takes.
func whatIsThere(run *runs.Run) string {
	s, dir := run.Spec.Sampler, verdict.Quoted(run.Dir)
	done := run.Done()
	drawn, remaining := lists.Sum(lists.Map(done, s.Config().DrawsAt)), len(done)*run.Scans()-lists.Sum(done)
	state := ""
	if takes := time.Duration(run.SecondsPerScan() * float64(remaining) / float64(min(runtime.GOMAXPROCS(0), s.Chains)) * float64(time.Second)); takes >= time.Second {
		state = fmt.Sprintf(" (about %s here)", roughly(takes))
	}
	switch {
	case run.Begun():
		return fmt.Sprintf("round %d of %s is not complete; aibd resume %s continues it%s, aibd summary %[3]s shows round %[5]d", s.Round, run.Dir, dir, state, s.Round-1)
	case len(done) < s.Chains:
		return fmt.Sprintf("%d of %d draws are on disk; the same command continues", drawn, s.Draws)
	case drawn == s.Draws*s.Chains:
		return fmt.Sprintf("round %d of %s is complete; aibd resume %s continues it, aibd summary %[3]s shows it", s.Round, run.Dir, dir)
	}
	line := fmt.Sprintf("%s has %d of %d draws; aibd resume %s continues%s", run.Dir, drawn, s.Draws*s.Chains, dir, state)
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
	stop   func() // ends the line under way; nil if there is none
}

// show implements fit.Options.Progress.
func (b *roundsBar) show(p fit.Progress) {
	b.last.Store(&p)
	before := b.store.Run.Before() * p.Round.Chains
	round := ""
	if b.rounds {
		round = fmt.Sprintf("Round %d: ", p.Round.Number)
	}
	switch {
	case p.Verdict != nil:
		if b.end(); b.rounds {
			fmt.Fprintf(b.log, "%s%s\n", round, p.Verdict.Lines[0])
		}
	case p.Judging:
		b.end()
		b.stop = track(b.log, round+"judging the draws")
	case p.Done == p.All:
		b.end()
	case b.stop == nil:
		bar := newProgress(b.log, "scans", p.Done-before, p.All-before)
		if bar.before = round; b.rounds {
			bar.after = b.remaining
		}
		b.stop = bar.follow(func() int { return b.last.Load().Done - before })
	}
}

// remaining says how much time is left, to end a line of progress.
func (b *roundsBar) remaining() string {
	if p := b.last.Load(); p.Remaining > 0 {
		return fmt.Sprintf("; %s left of the budget", roughly(p.Remaining))
	}
	return ""
}

// end ends the line under way.
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
