package cli

// The log evidence of the runs that aibd compare compares.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"aibd/internal/compare"
	"aibd/internal/model"
	"aibd/internal/results"
)

// usual returns the usual number of stages of a population of p, and how many populations there
// are with a pilot.
func usual(p *model.Problem, size compare.Size) (stages, populations int) {
	if p.HoldsSigmaX() {
		return 70, size.Populations + 1
	}
	return 25, size.Populations
}

// estimateMissing estimates the log evidence of each run that keeps none, and keeps it in the run.
// A signal stops it; the runs that are done keep theirs.
func (o *compareOptions) estimateMissing(all []*results.Judged, log io.Writer) error {
	ctx, stop := interruptible()
	defer stop()
	for _, j := range all {
		if e, err := compare.Saved(j.Run); err != nil || e != nil {
			if err != nil {
				return err
			}
			continue
		}
		if err := o.estimateOne(ctx, j, log); err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				return fmt.Errorf("%w: aibd compare --evidence with the directories of the runs continues", errInterrupted)
			}
			return err
		}
	}
	return nil
}

// estimateOne estimates the log evidence of a run and keeps it in the run.
func (o *compareOptions) estimateOne(ctx context.Context, j *results.Judged, log io.Writer) error {
	s := j.Run.Spec
	setEvidenceDefaults(&s, &specFlags{})
	p, err := j.Run.Input().Build(s)
	if err != nil {
		return fmt.Errorf("%s: %w", j.Run.Dir, err)
	}
	size, took := o.size, ""
	stages, populations := usual(p, size)
	if scan := j.Run.SecondsPerScan(); scan > 0 {
		all := scan * float64(stages*populations*size.Members*size.Scans)
		took = fmt.Sprintf(", about %s of one core at the rate of the chains", roughly(time.Duration(all*float64(time.Second))))
	}
	fmt.Fprintf(log, "%s: log evidence from %d populations of %d members and %d scans at each of some %d powers%s\n",
		j.Run.Dir, size.Populations, size.Members, size.Scans, stages, took)
	e, err := estimateEvidence(ctx, p, size, o.fit.sampling.cores, log, 0)
	if err != nil {
		return err
	}
	return keepEvidence(j.Run, p, e, size)
}
