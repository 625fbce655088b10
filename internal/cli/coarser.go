package cli

// Fits at lower powers of the likelihood, where the chains at the power that was asked for do not agree.

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/internal/visible"
	"aibd/internal/words"
)

// patience bounds the estimated time until the chains agree, as a multiple of the time left: beyond it
// a coarser fit takes over. Chains of the 50 states that agreed in time had estimates of up to 0.7.
const patience = 3

// nearly bounds how many times as many draws chains need that nearly agree. One more round makes as many.
const nearly = 4

// lower returns the power of the fit that is to follow if the chains of a run do not agree in time, or 0.
// None follows chains at the power that was asked for if they nearly agree.
func (o samplingOptions) lower(j *judged) float64 {
	switch {
	case o.coarsen == nil || j.Agreed:
		return 0
	case o.asked(j) && j.Pattern == verdict.Slow && j.Needed() <= nearly:
		return 0
	}
	return j.Coarser
}

// asked reports whether a run is the one that was asked for, not a coarser fit.
func (o samplingOptions) asked(j *judged) bool {
	return j.Run.Spec.Likelihood.Power == o.coarsen.Spec.Likelihood.Power
}

// spare returns the time of the budget that a run leaves to coarser fits. The coarser a fit, the less
// time it takes.
func (o samplingOptions) spare(j *judged, b budget) time.Duration {
	switch {
	case o.lower(j) == 0:
		return 0
	case o.asked(j):
		return b.total / 3
	}
	return b.total / 20
}

// coarser fits again at lower powers of the likelihood, each in a run of its own, with what is left of the
// budget. It returns the first run whose chains agree. If there is none, it returns the run that was asked
// for, with a verdict that knows of the others. Tried has the powers.
func (o samplingOptions) coarser(ctx context.Context, c *cobra.Command, asked *judged, b budget) (answer *judged, tried []float64, err error) {
	j := asked
	for power := o.lower(j); power > 0; power = o.lower(j) {
		if ctx.Err() != nil {
			return nil, tried, fmt.Errorf("%w: %s is complete; aibd summary %[2]s shows it", errInterrupted, asked.Run.Dir)
		}
		s, left := o.coarsen.Spec.Sampler, b.left()
		if first := scanTime(s, float64(s.Scans()), j.Run.Rate(o.cores)); first > left {
			fmt.Fprintf(o.log(c), "No fit at power %v: its first round would take about %s; %s left of the budget\n", power, roughly(first), roughly(left))
			break
		}
		run, err := runs.Create(runs.CoarserDir(asked.Run.Dir, power), o.coarsen.AtPower(power), version)
		if err == nil {
			tried = append(tried, power)
			fmt.Fprintf(o.log(c), "%-10s%v: coarser features, in %s, as the chains at power %v do not agree in time\n", "Power", power, run.Dir, j.Run.Spec.Likelihood.Power)
			j, err = o.sampleRounds(ctx, c, run, newBudget(left))
		}
		switch {
		case ctx.Err() != nil && err != nil:
			return nil, tried, fmt.Errorf("%w; aibd summary %s shows the fit at power %v", err, asked.Run.Dir, asked.Run.Spec.Likelihood.Power)
		case err != nil: // the run that was asked for is complete
			fmt.Fprintf(c.ErrOrStderr(), "aibd: no fit at power %v: %v\n", power, err)
			return asked, tried, nil
		case j.Agreed:
			return j, tried, nil
		}
	}
	if j == asked {
		return asked, nil, nil
	}
	asked, err = judge(asked.Run)
	return asked, tried, err
}

// writeAnswer writes the name and the summary of the run that answers for the one that was asked for, and
// says what became of coarser fits.
func writeAnswer(w io.Writer, asked, answer *judged, tried []float64) {
	fmt.Fprintf(w, "%s\n\n", answer.Run.Dir)
	power := func(j *judged) float64 { return j.Run.Spec.Likelihood.Power }
	switch {
	case power(answer) != power(asked):
		fmt.Fprintf(w, "The chains at power %v of the likelihood do not agree in time (aibd summary %s).\nThis is a coarser fit, at power %v, and its chains agree.\n\n",
			power(asked), visible.Text(verdict.Quoted(asked.Run.Dir)), power(answer))
	case len(tried) > 0:
		powers := []string{fmt.Sprint(power(asked))}
		for _, p := range tried {
			powers = append(powers, fmt.Sprint(p))
		}
		fmt.Fprintf(w, "The chains agree at no power of the likelihood: %s were tried.\n\n", words.And(powers))
	}
	answer.summary().write(w, false)
}
