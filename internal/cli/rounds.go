package cli

// Sampling in rounds until the chains agree.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/verdict"
)

// roundTime estimates the time of the next round of a run, with a window that is growth times as long,
// from its rate in scans per second.
func roundTime(s spec.Sampler, growth, rate float64) time.Duration {
	return scanTime(s, float64(s.Next(growth).Scans()-s.Scans()), rate)
}

// scanTime estimates the time of a number of scans of each chain, from the rate in scans per second.
func scanTime(s spec.Sampler, scans, rate float64) time.Duration {
	return time.Duration(min(scans*float64(s.Chains)/rate*float64(time.Second), 1<<62))
}

// sampleRounds samples the round of a run, and then further rounds until the chains agree
// or the next would probably not end within the budget. A round that began before, or
// that takes longer than estimated, is cut if it does not end within the grace of the budget: it
// can be resumed. It returns the last complete round and its verdict, or the draws of a first round
// that was cut.
func (o samplingOptions) sampleRounds(ctx context.Context, c *cobra.Command, run *runs.Run, b budget) (*results.Judged, error) {
	log, rounds := o.log(c), o.inRounds(c, run)
	for {
		run.CheckpointEvery = time.Duration(o.checkpoint * float64(time.Second))
		begun := run.Next() != nil
		err := o.watch(ctx, log, run, b, rounds)
		if errors.Is(err, errUsedUp) && (run.Begun() || run.Spec.Sampler.DrawsAt(slices.Min(run.Done())) > 0) {
			printError(c.ErrOrStderr(), err)
			there, err := run.Reopen()
			if err != nil {
				return nil, err
			}
			return results.Judge(there)
		}
		if err != nil {
			return nil, err
		}
		j, err := results.Judge(run)
		if err != nil || !rounds {
			return j, err
		}
		round := run.Spec.Sampler.Round
		fmt.Fprintf(log, "Round %d: %s\n", round, j.Line())
		if j.Agreed {
			return j, nil
		}
		b.made = run.Scans()
		growth := spec.Growths[0] // unused if the next round has begun
		if !begun {
			var why string
			growth, why = plan{run.Spec.Sampler, b.rate(run, o.cores), j.Needed(), b.rest()}.growth()
			if growth == 0 {
				if b.total > 0 {
					fmt.Fprintln(log, why)
				}
				return j, nil
			}
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: round %d of %s is complete; aibd resume %s continues it, aibd summary %[4]s shows it", errInterrupted, round, run.Dir, verdict.Quoted(run.Dir))
		}
		next, notes, err := runs.Resume(run.Dir, runs.ResumeOptions{Version: version, OtherBuild: o.otherBuild, Growth: growth, From: run})
		if err != nil {
			return nil, err
		}
		tell(c.ErrOrStderr(), notes...)
		run = next
	}
}

// inRounds reports whether a run is to be sampled until its chains agree, or has a round to
// complete.
func (o samplingOptions) inRounds(c *cobra.Command, run *runs.Run) bool {
	return run.Spec.Sampler.Until == spec.UntilAgreed || c.Flags().Changed("budget") || run.Next() != nil
}

// plan holds the inputs to the choice of the next round of a run.
type plan struct {
	sampler spec.Sampler // of the round before
	rate    float64      // scans of all chains in a second
	needed  float64      // how many times as many draws agreement takes
	left    limit        // of the budget
}

// growth returns how many times as long the window of the next round is: the first of spec.Growths that
// is at least two thirds of what is needed, or else the largest. It is at most the largest with which the
// round probably ends in the time left. If no round does, growth returns 0 and the reason.
func (p plan) growth() (growth float64, why string) {
	s := p.sampler
	for _, g := range spec.Growths {
		if p.left.total > 0 && roundTime(s, g, p.rate) <= p.left.total && 1.5*growth < p.needed {
			growth = g
		}
	}
	if growth > 0 {
		return growth, ""
	}
	shortest := roundTime(s, spec.Growths[0], p.rate)
	return 0, fmt.Sprintf("Round %d would take about %s; %s left of the budget", s.Round+1, p.left.roughly(shortest), p.left.roughly(p.left.total))
}
