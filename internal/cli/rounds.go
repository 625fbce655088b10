package cli

// Sampling in rounds until the chains agree.

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"aibd/internal/runs"
	"aibd/internal/spec"
)

// defaultBudget is the time in which fit and resume begin rounds.
const defaultBudget = 5 * time.Minute

// budget is a time in which rounds may be sampled.
type budget struct {
	total time.Duration
	start time.Time
}

// left returns the time that is left, at least 0.
func (b budget) left() time.Duration { return max(0, b.total-time.Since(b.start)) }

// line says how much is left, to end a line of progress.
func (b budget) line() string {
	if left := b.left(); left > 0 {
		return fmt.Sprintf("; %s left of the budget", roughly(left))
	}
	return "; the budget is used up; this round will be completed"
}

// roundTime estimates the time of the next round of a run, with a window that is growth times as long,
// from its rate in scans per second.
func roundTime(s spec.Sampler, growth, rate float64) time.Duration {
	scans := float64(s.Next(growth).Scans()-s.Scans()) * float64(s.Chains)
	return time.Duration(min(scans/rate*float64(time.Second), 1<<62))
}

// sampleRounds samples the round of a run, and then further rounds until the chains agree
// or the next would probably not end within the budget. A round that began before, or
// that takes longer than estimated, still ends. It returns the last round and its verdict.
func (o samplingOptions) sampleRounds(c *cobra.Command, run *runs.Run) (*judged, error) {
	log, rounds := o.log(c), o.inRounds(c, run)
	b := budget{o.budget, time.Now()}
	ctx, stop := interruptible()
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.Context(), cancel)() // the page of the run can stop it
	for {
		run.CheckpointEvery = time.Duration(o.checkpoint * float64(time.Second))
		begun := run.Next() != nil
		if err := o.watch(ctx, log, run, b, rounds); err != nil {
			return nil, err
		}
		j, err := judge(run)
		if err != nil || !rounds {
			return j, err
		}
		round := run.Spec.Sampler.Round
		fmt.Fprintf(log, "Round %d: %s\n", round, j.Line())
		if j.Agreed {
			return j, nil
		}
		growth := spec.Growths[0] // unused if the next round has begun
		if !begun {
			if growth = o.growth(log, run, b, j.Factor()); growth == 0 {
				return j, nil
			}
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: round %d of %s is complete; aibd resume %[3]s continues it, aibd summary %[3]s shows it", errInterrupted, round, run.Dir)
		}
		next, notes, err := runs.Resume(run.Dir, runs.ResumeOptions{Version: version, OtherBuild: o.otherBuild, Growth: growth})
		if err != nil {
			return nil, err
		}
		for _, note := range notes {
			fmt.Fprintln(c.ErrOrStderr(), "aibd:", note)
		}
		run = next
	}
}

// inRounds reports whether a run is to be sampled until its chains agree, or has a round to
// complete.
func (o samplingOptions) inRounds(c *cobra.Command, run *runs.Run) bool {
	return run.Spec.Sampler.Until == spec.UntilAgreed || c.Flags().Changed("budget") || run.Next() != nil
}

// growth returns how many times as long the window of the next round is: the first of spec.Growths that
// is at least two thirds of what is needed, or else the largest. It is at most the largest with which the
// round probably ends within the budget. If there is none, growth prints how long the shortest round
// would take, and returns 0.
func (o samplingOptions) growth(log io.Writer, run *runs.Run, b budget, needed float64) (growth float64) {
	rate, left := run.Rate(o.cores), b.left()
	for _, g := range spec.Growths {
		if left > 0 && roundTime(run.Spec.Sampler, g, rate) <= left && 1.5*growth < needed {
			growth = g
		}
	}
	if growth == 0 && b.total > 0 {
		shortest := roundTime(run.Spec.Sampler, spec.Growths[0], rate)
		fmt.Fprintf(log, "Round %d would take about %s; %s left of the budget\n", run.Spec.Sampler.Round+1, roughly(shortest), roughly(left))
	}
	return growth
}
