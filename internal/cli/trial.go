package cli

// What a run will take, from a short trial before it starts.

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"aibd/internal/model"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/mcmc"
)

const (
	// trialTime is how long the scans of a trial take.
	trialTime = 2 * time.Second
	// minTried is the min number of scans, over all chains, of a run that is tried first.
	minTried = 400
	// manyDraws and manyThin are the draws of each chain, and the scans for each, of a run of
	// fixed length with more than mcmc.MaxClustered items.
	manyDraws, manyThin = 200, 5
	// minFirst is the min number of scans of warmup, and of draws, of a first round.
	minFirst = 100
)

// shorten sets warmup and draws of a run with many items if the command line leaves them
// open. It reports whether the first round became shorter.
func (o fitOptions) shorten(p *model.Problem) bool {
	s, items := &p.Spec.Sampler, len(p.IDs)
	many := items > mcmc.MaxClustered
	switch {
	case o.flags.onFile && !o.again || o.flags.given("sampler.draws", "sampler.thin"):
	case s.Until == spec.UntilAgreed && !o.sampling.budget.IsZero() && !o.flags.given("sampler.warmup"):
		// A scan of N items takes some 1e-7 N² seconds, or 4e-5 N if the distances are sparse, and 3e-9 N³ more if
		// weights follow distances. So the first rounds of four chains on two cores end within the budget, roughly.
		n := float64(items)
		each := n * min(n, mcmc.MaxClustered) / 2e6
		if len(p.Weights) > 0 {
			each += n * n * n / 6.7e7
		}
		scans := o.sampling.budget.Time.Seconds() / each
		if o.sampling.budget.Scans > 0 {
			scans = float64(o.sampling.budget.Scans) / 2 // half for the draws
		}
		if scans >= float64(s.Warmup) {
			return false
		}
		s.Warmup = max(minFirst, int(scans))
		s.Draws = s.Warmup
		if many {
			s.Draws, s.Thin = min(s.Draws, manyDraws), max(1, s.Draws/manyDraws)
		}
		return true
	case many:
		s.Draws, s.Thin = manyDraws, manyThin
	}
	return false
}

// try says what a run with many items will take. It tries the first chain, and forgets it.
func (o samplingOptions) try(log io.Writer, p *model.Problem, dir string, limit time.Duration) error {
	s := p.Spec.Sampler
	if o.quiet || len(p.IDs) <= mcmc.MaxClustered || s.Chains*s.Config().Scans() < minTried {
		return nil
	}
	ctx, stop := interruptible()
	defer stop()
	t, err := runs.Try(ctx, p, limit)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %s has no draws; aibd resume %s continues", errInterrupted, dir, verdict.Quoted(dir))
	case err != nil:
		return err
	}
	fmt.Fprintf(log, "%-10s%s\n", "Takes", describeTrial(t, s))
	return nil
}

// describeTrial says what the chains of a run take.
func describeTrial(t runs.Trial, s spec.Sampler) string {
	took, memory := t.Chains(s.Chains, s.Config().Scans())
	round := ""
	if s.Until == spec.UntilAgreed {
		round = " in the first round"
	}
	return fmt.Sprintf("about %s on %s: the start of a chain takes %s, a scan %s, and there are %s of %d scans%s; draws take at most about %s on disk, the process about %s of memory (from %s)",
		roughly(took), plural(min(runtime.GOMAXPROCS(0), s.Chains), "core"), roughly(t.Start), roughly(t.Scan), plural(s.Chains, "chain"), s.Config().Scans(), round,
		words.Bytes(float64(t.Draw)*float64(s.Draws*s.Chains)), words.Bytes(float64(memory)), plural(t.Scans, "scan"))
}
