// Package rounds samples runs in rounds until their chains agree or a budget is used up.
package rounds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/verdict"
)

// ErrInterrupted is in the error of sampling that a context stopped.
var ErrInterrupted = errors.New("stopped early")

// Options are the options of Sample.
type Options struct {
	Limit           Limit
	Rounds          bool          // sample further rounds until the chains agree
	CheckpointEvery time.Duration // of sampling
	Version         string        // of the program
	OtherBuild      bool          // sample a run of another build
	Log             io.Writer     // one line for each round
	Note            func(notes ...string)
	// Watch shows the progress of scans from done() to all, of which some lines end with what after returns. It
	// returns what is called at the end. In rounds, before begins each line.
	Watch func(before string, after func() string, done func() int, all int) (stop func())
}

// Sample samples the round of a run, and then further rounds until the chains agree
// or the next would probably not end within the budget. A round that began before, or
// that takes longer than estimated, is cut if it does not end within the grace of the budget: it
// can be resumed. It returns the last complete round and its verdict, or the draws of a first round
// that was cut.
func Sample(ctx context.Context, run *runs.Run, o Options) (*results.Judged, error) {
	b := budget{Limit: o.Limit, start: time.Now()}
	for {
		begun := run.Next() != nil
		err := o.sample(ctx, run, b)
		if errors.Is(err, errUsedUp) && (run.Begun() || run.Spec.Sampler.DrawsAt(slices.Min(run.Done())) > 0) {
			o.Note(err.Error())
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
		if err != nil || !o.Rounds {
			return j, err
		}
		round := run.Spec.Sampler.Round
		fmt.Fprintf(o.Log, "Round %d: %s\n", round, j.Line())
		if j.Agreed {
			return j, nil
		}
		b.made = run.Scans()
		growth := spec.Growths[0] // unused if the next round has begun
		if !begun {
			var why string
			growth, why = plan{run.Spec.Sampler, b.rate(run), j.Needed(), b.rest()}.growth()
			if growth == 0 {
				if b.Total > 0 {
					fmt.Fprintln(o.Log, why)
				}
				return j, nil
			}
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: round %d of %s is complete; aibd resume %s continues it, aibd summary %[4]s shows it", ErrInterrupted, round, run.Dir, verdict.Quoted(run.Dir))
		}
		next, notes, err := runs.Resume(run.Dir, runs.ResumeOptions{Version: o.Version, OtherBuild: o.OtherBuild, Growth: growth, From: run})
		if err != nil {
			return nil, err
		}
		o.Note(notes...)
		run = next
	}
}

// SampleOne samples the rest of one round, of the chains that the run is opened for, without a limit.
func SampleOne(ctx context.Context, run *runs.Run, o Options) error {
	o.Rounds = false
	return o.sample(ctx, run, budget{})
}

// sample samples a round.
func (o Options) sample(ctx context.Context, run *runs.Run, b budget) error {
	run.CheckpointEvery = o.CheckpointEvery
	chains := len(run.Done())
	before := run.Before() * chains
	done := func() int { return lists.Sum(run.Done()) - before }
	all := run.Scans()*chains - before
	bounded, stop := ctx, func() {}
	name, after := "", func() string { return "" }
	if o.Rounds {
		name = fmt.Sprintf("Round %d: ", run.Spec.Sampler.Round)
		if b.Total > 0 && !b.Scans {
			after = b.line
		}
		bounded, stop = b.bound(ctx, done, all)
	}
	defer stop()
	ended := o.Watch(name, after, done, all)
	err := run.Sample(bounded)
	ended()
	switch {
	case err == nil || bounded.Err() == nil || !errors.Is(err, bounded.Err()):
		return err
	case ctx.Err() == nil:
		return fmt.Errorf("%w: %s", errUsedUp, whatIsThere(run))
	}
	return fmt.Errorf("%w: %s", ErrInterrupted, whatIsThere(run))
}

// roundTime estimates the time of the next round of a run, with a window that is growth times as long,
// from its rate in scans per second.
func roundTime(s spec.Sampler, growth, rate float64) time.Duration {
	scans := float64(s.Next(growth).Scans() - s.Scans()) // of each chain
	return time.Duration(min(scans*float64(s.Chains)/rate*float64(time.Second), 1<<62))
}

// plan holds the inputs to the choice of the next round of a run.
type plan struct {
	sampler spec.Sampler // of the round before
	rate    float64      // scans of all chains in a second
	needed  float64      // how many times as many draws agreement takes
	left    Limit        // of the budget
}

// usual are the growths of windows after which further rounds may follow: R-hat and ESS of short chains say
// little, so that none is above 4.
var usual = []float64{1.5, 2, 4}

// growth returns how many times as long the window of the next round is: the first of usual that is at
// least two thirds of what is needed, or else the largest. It is at most the largest with which the round
// probably ends in the time left. If more draws are needed and no other round would fit after this one, it
// is the largest of spec.Growths that fits. If no round fits, growth returns 0 and the reason.
func (p plan) growth() (growth float64, why string) {
	s, first := p.sampler, usual[0]
	fits := func(g float64) bool { return p.left.Total > 0 && roundTime(s, g, p.rate) <= p.left.Total }
	if !fits(first) {
		return 0, fmt.Sprintf("Round %d would take about %s; %s left of the budget", s.Round+1, p.left.Roughly(roundTime(s, first, p.rate)), p.left.Roughly(p.left.Total))
	}
	for _, g := range usual {
		if fits(g) && 1.5*growth < p.needed {
			growth = g
		}
	}
	if growth >= p.needed || roundTime(s, growth, p.rate)+roundTime(s.Next(growth), first, p.rate) <= p.left.Total {
		return growth, ""
	}
	for _, g := range spec.Growths {
		if fits(g) {
			growth = g
		}
	}
	return growth, ""
}

// whatIsThere says what an interrupted run has drawn.
func whatIsThere(run *runs.Run) string {
	if round := run.Spec.Sampler.Round; run.Begun() {
		return fmt.Sprintf("round %d of %s is not complete; aibd resume %s continues it, aibd summary %[3]s shows round %d", round, run.Dir, verdict.Quoted(run.Dir), round-1)
	}
	drawn := lists.Sum(lists.Of(run.Done(), run.Spec.Sampler.DrawsAt))
	s := run.Spec.Sampler
	if len(run.Done()) < s.Chains {
		return fmt.Sprintf("%d of %d draws are on disk; the same command continues", drawn, s.Draws)
	}
	line := fmt.Sprintf("%s has %d of %d draws; aibd resume %s continues", run.Dir, drawn, s.Draws*s.Chains, verdict.Quoted(run.Dir))
	if drawn > 0 {
		line += fmt.Sprintf(", aibd summary %s shows them", verdict.Quoted(run.Dir))
	}
	return line
}
