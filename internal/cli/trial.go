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
	"aibd/internal/words"
	"aibd/mcmc"
)

const (
	// trialTime is the max time that the scans of a trial take, and trialShare the max share of what is left of the budget.
	trialTime  = 5 * time.Second
	trialShare = 10
	// minTried is the min number of scans, over all chains, of a run of fixed length that is tried first.
	minTried = 400
	// manyDraws and manyThin are the draws of each chain, and the scans for each, of a run of
	// fixed length with more than mcmc.MaxClustered items.
	manyDraws, manyThin = 200, 5
	// firstShare is the share of what is left of the budget in which the first round is to end. There is to be an answer
	// after a quarter of the budget, of which judging takes some.
	firstShare = 8
)

// firstLengths are the scans of warmup that a first round may have, and its draws, by default. There are few, so that
// most machines choose the same.
var firstLengths = []int{1000, 500, 250, 100, 50, 20, 10}

// minFirst is the min number of scans of warmup, and of draws, of a first round under a budget in scans.
const minFirst = 100

// plan sets the length of the first round that the command line leaves open, and says what a run with many items will
// take. For these it tries the first chains, and forgets them. It reports whether the first round became shorter.
func (o fitOptions) plan(log io.Writer, p *model.Problem) (shorter bool, err error) {
	s, items, options := &p.Spec.Sampler, len(p.IDs), o.sampling
	large := items > mcmc.MaxClustered
	open := !(o.flags.onFile && !o.again || o.flags.given("sampler.draws", "sampler.thin"))
	rounds := open && s.Until == spec.UntilAgreed && !options.budget.IsZero() && !o.flags.given("sampler.warmup")
	switch {
	case rounds && options.budget.Scans > 0:
		shorter = setFirst(s, max(minFirst, options.budget.Scans/2), large) // half for the draws
	case open && large && !rounds:
		s.Draws, s.Thin = manyDraws, manyThin
	}
	measured, limit := rounds && options.budget.Time > 0, trialTime
	if measured {
		limit = min(limit, options.remaining()/trialShare)
	} else if options.quiet || o.prepare || !large || s.Chains*s.Config().Scans() < minTried {
		return shorter, nil
	}
	ctx, stop := interruptible()
	defer stop()
	done := track(log, "Trial")
	t, err := runs.Try(ctx, p, limit)
	done()
	switch {
	case ctx.Err() != nil:
		return false, fmt.Errorf("%w: nothing is drawn", errInterrupted)
	case err != nil:
		return false, err
	}
	if measured {
		shorter = setFirst(s, firstLength(t, s.Chains, options.remaining()/firstShare), large)
	}
	if large {
		fmt.Fprintf(log, "%-10s%s\n", "Takes", describeTrial(t, *s))
	}
	return shorter, nil
}

// firstLength returns the longest of firstLengths with which a first round probably ends within a time, or the shortest.
func firstLength(t runs.Trial, chains int, within time.Duration) int {
	for _, length := range firstLengths {
		if takes, _ := t.Chains(chains, 2*length); takes <= within {
			return length
		}
	}
	return firstLengths[len(firstLengths)-1]
}

// setFirst sets warmup and draws to a length, unless they are shorter. Of many items it thins the draws. It reports
// whether the round became shorter.
func setFirst(s *spec.Sampler, length int, large bool) (shorter bool) {
	if shorter = length < s.Warmup; shorter {
		s.Warmup, s.Draws = length, length
	}
	if large {
		s.Draws, s.Thin = min(s.Draws, manyDraws), max(1, s.Draws/manyDraws)
	}
	return shorter
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
