package cli

// Fits at lower powers of the likelihood, for when the chains at the requested power do not agree.

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

// patience is the largest estimated time until the chains agree, as a multiple of the time left, at which
// sampling goes on. Chains of the 50 states that agreed in time had estimates of up to 0.7.
const patience = 3

// Chains nearly agree if they need at most nearly times as many draws. One more round can make that many.
const nearly = 4

// lower returns the power of the fit to try if the chains of j do not agree in time, or 0 for none. There is
// none if the chains at the requested power nearly agree.
func (o samplingOptions) lower(j *judged) float64 {
	switch {
	case o.coarsen == nil || j.Agreed:
		return 0
	case o.asked(j) && j.Pattern == verdict.Slow && j.Needed() <= nearly:
		return 0
	}
	return j.Coarser
}

// asked reports whether j is the requested run, not a coarser fit.
func (o samplingOptions) asked(j *judged) bool {
	return j.Run.Spec.Likelihood.Power == o.coarsen.Spec.Likelihood.Power
}

// spare returns how much of the budget to keep for coarser fits. Coarser fits take less time.
func (o samplingOptions) spare(j *judged, b budget) time.Duration {
	switch {
	case o.lower(j) == 0:
		return 0
	case o.asked(j):
		return b.total / 3
	}
	return b.total / 20
}

// coarser makes fits at lower powers of the likelihood, each in its own run, with the rest of the budget. It
// returns the first run whose chains agree, or else the requested run, judged again so that its verdict names
// a coarser fit. tried lists the powers of the coarser fits.
func (o samplingOptions) coarser(ctx context.Context, c *cobra.Command, asked *judged, b budget) (answer *judged, tried []float64, err error) {
	j := asked
	b.made = asked.Run.Scans()
	for power := o.lower(j); power > 0 && b.left() > 0; power = o.lower(j) {
		if ctx.Err() != nil {
			return nil, tried, fmt.Errorf("%w: %s is complete; aibd summary %s shows it", errInterrupted, asked.Run.Dir, verdict.Quoted(asked.Run.Dir))
		}
		s, left := o.coarsen.Spec.Sampler, b.rest()
		if first := scanTime(s, float64(s.Scans()), b.rate(j.Run, o.cores)); first > left.total {
			fmt.Fprintf(o.log(c), "No fit at power %v: its first round would take about %s; %s left of the budget\n", power, left.roughly(first), left.roughly(left.total))
			break
		}
		next, err := o.fitAt(ctx, c, power, j, asked.Run.Dir, newBudget(left))
		if err != nil && ctx.Err() != nil {
			return nil, tried, fmt.Errorf("%w; aibd summary %s shows the fit at power %v", err, verdict.Quoted(asked.Run.Dir), asked.Run.Spec.Likelihood.Power)
		}
		if err != nil { // the requested run is complete
			tell(c.ErrOrStderr(), fmt.Sprintf("no fit at power %v: %v", power, err))
			break
		}
		b.made += next.Run.Scans()
		j, tried = next, append(tried, power)
	}
	if j.Agreed || j == asked {
		return j, tried, nil
	}
	answer, err = judge(asked.Run)
	return answer, tried, err
}

// fitAt makes a fit at a lower power than that of last, in its own run below dir.
func (o samplingOptions) fitAt(ctx context.Context, c *cobra.Command, power float64, last *judged, dir string, b budget) (*judged, error) {
	run, err := runs.Create(runs.CoarserDir(dir, power), o.coarsen.AtPower(power), version)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(o.log(c), "%-10s%v: coarser features, in %s, as the chains at power %v do not agree in time\n", "Power", power, run.Dir, last.Run.Spec.Likelihood.Power)
	return o.sampleRounds(ctx, c, run, b)
}

// writeAnswer writes the name and the summary of answer, and explains it if coarser fits were tried.
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
