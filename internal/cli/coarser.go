package cli

// Fits at lower powers of the likelihood, where the chains at power 1 do not agree.

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"aibd/internal/model"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/internal/visible"
)

// patience bounds the estimated time until the chains agree, as a multiple of the time left: beyond it
// a coarser fit takes over. Chains of the 50 states that agreed in time had estimates of up to 0.7.
const patience = 3

// nearly is how many times as many draws chains may need that nearly agree: one more round makes them.
const nearly = 4

// spare returns the time that a run with the given verdict leaves to coarser fits. It is 0 if there are none,
// or if the chains of the run that was asked for nearly agree. The coarser a fit, the less time it takes.
func (o samplingOptions) spare(j *judged, b budget) time.Duration {
	switch {
	case o.power == 0 || j.Coarser == 0:
		return 0
	case j.Run.Spec.Likelihood.Power < o.power:
		return b.total / 10
	case j.Needed() <= nearly:
		return 0
	}
	return b.total / 3
}

// coarser fits again at lower powers of the likelihood, each in a run of its own, if the chains of a fit
// do not agree, not even nearly. It returns the first run whose chains do, or else the run that was asked for, with a
// verdict that knows of the others. The settings of the sampler are those of the first round of asked.
func (o samplingOptions) coarser(c *cobra.Command, asked *judged, first spec.Sampler, b budget) (*judged, error) {
	s := asked.Run.Spec
	s.Sampler = first
	if asked.Needed() <= nearly {
		return asked, nil
	}
	j := asked
	for !j.Agreed && j.Coarser > 0 && scanTime(first, float64(first.Scans()), j.Run.Rate(o.cores)) <= b.left() {
		s.Likelihood.Power = j.Coarser
		problem, err := model.Build(s)
		if err != nil {
			return nil, err
		}
		run, err := createRun("", runs.CoarserDir(asked.Run.Dir, j.Coarser), problem)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(o.log(c), "%-10s%v: coarser features, in %s, as the chains at power %v do not agree in time\n", "Power", j.Coarser, run.Dir, j.Run.Spec.Likelihood.Power)
		if j, err = o.sampleRounds(c, run, newBudget(b.left())); err != nil {
			return nil, err
		}
		if j.Agreed {
			return j, nil
		}
	}
	if j == asked {
		return asked, nil
	}
	return judge(asked.Run)
}

// writeAnswer writes the name and the summary of the run that answers for the one that was asked for,
// and says so if it is another.
func writeAnswer(w io.Writer, asked, answer *judged) {
	fmt.Fprintf(w, "%s\n\n", answer.Run.Dir)
	if dir := asked.Run.Dir; dir != answer.Run.Dir {
		fmt.Fprintf(w, "The chains of %s, at power %v of the likelihood, do not agree in time (aibd summary %s).\nThis is a fit at power %v, whose chains agree.\n\n",
			visible.Text(dir), asked.Run.Spec.Likelihood.Power, visible.Text(verdict.Quoted(dir)), answer.Run.Spec.Likelihood.Power)
	}
	answer.summary().write(w, false)
}
