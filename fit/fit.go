package fit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"aibd/draws"
	"aibd/mcmc"
)

// Options are the options of Fit. With the zero Budget there is one round.
type Options struct {
	Budget Budget
	Clock  func() time.Time // time.Now; a budget of time needs one
	Began  time.Time        // when a budget of time began; zero: when Fit is called
	Seed   uint64           // of the random numbers
	Store  Store            // nil: NewMemory(4, mcmc.DefaultConfig())
	// Scan is how the chains move; nil: mcmc.OptionsFor the posterior and the warmup of the first round.
	Scan *mcmc.Options
	// Start returns where a chain, numbered from zero, starts; nil: as mcmc.Posterior.InitOf says, drawn from the stream of
	// Seed and "chain-1/init" for the first chain.
	Start func(ctx context.Context, chain int) (mcmc.Start, error)
	Names Names // in verdicts
	// Judge judges the draws of a round; nil: the function Judge.
	Judge func(chains [][]*draws.Draw) (*Verdict, error)
	// Progress is called when a round begins, after every few scans, before the draws of a round are judged, and with the
	// verdict on it. It is not called concurrently.
	Progress func(Progress)
}

// Progress is where a fit stands.
type Progress struct {
	Round     Round
	Done, All int           // scans of all chains that are sampled, those of the rounds before included
	Remaining time.Duration // of a budget of time
	Judging   bool          // the chains make no more scans of the round
	Verdict   *Verdict      // on the round; nil before its end
}

// Result is the result of Fit.
type Result struct {
	Round   Round           // the last one
	Draws   [][]*draws.Draw // Draws[c][t] is draw t of chain c
	Verdict *Verdict
	// Why says why there was no further round, in a line; "" if the chains agree. If Cut is set, the budget ended a
	// round: the draws come from that round as far as it went, or from the round before if that has more scans.
	Why string
	Cut bool
	// Rate is how many scans a second all chains together made in the last round, and Judging how long a draw of each
	// chain takes to be judged, by Clock; 0 without one.
	Rate    float64
	Judging time.Duration
}

// Summary returns the scalars of the draws with their summaries.
func (r *Result) Summary() []Scalar { return Summarize(r.Draws) }

// ErrNoDraws is in the error of Fit if the time of the budget was used up before each chain had a draw.
var ErrNoDraws = errors.New("the budget is used up")

// Fit samples chains in rounds until they agree, or until the next round would probably not end within the budget. A
// round that does not end in time is cut.
//
// The random numbers of a chain depend on the seed and its number only, so that draws do not depend on the number of
// cores, nor on where a fit was stopped.
//
// When ctx is done, Fit finishes the scans under way, saves the chains and returns ctx.Err(); it may be called again
// with the same store. The first error of a chain stops the others in the same way. Fit also returns an error if
// the options or the posterior are not valid, and ErrNoDraws.
func Fit(ctx context.Context, post *mcmc.Posterior, o Options) (*Result, error) {
	if o.Store == nil {
		o.Store = NewMemory(4, mcmc.DefaultConfig())
	}
	if o.Judge == nil {
		o.Judge = func(chains [][]*draws.Draw) (*Verdict, error) { return Judge(post, chains, o.Names) }
	}
	switch {
	case o.Budget.Time < 0 || o.Budget.Scans < 0:
		return nil, fmt.Errorf("budget: found %v and %d scans, expected at least 0", o.Budget.Time, o.Budget.Scans)
	case o.Budget.Time > 0 && o.Budget.Scans > 0:
		return nil, fmt.Errorf("budget: found %v and %d scans, expected one of them", o.Budget.Time, o.Budget.Scans)
	case o.Budget.Time > 0 && o.Clock == nil:
		return nil, fmt.Errorf("budget: found %v without a clock, expected Options.Clock, such as time.Now", o.Budget.Time)
	}
	m := o.meter()
	var r *Result
	for {
		s, err := o.prepare(post, m)
		if err != nil {
			return nil, err
		}
		err = s.sample(ctx)
		cut := errors.Is(err, errUsedUp)
		if err != nil && !cut {
			return nil, err
		}
		if cut {
			reason := fmt.Sprintf("%v: round %d is not complete", errUsedUp, s.round.Number)
			if r != nil && !s.round.Replaces(r.Round, s.least()) {
				r.Round, r.Why, r.Cut = s.round, reason, true
				return r, nil
			}
			r = &Result{Why: reason}
		} else {
			r = new(Result)
		}
		r.Round, r.Cut = s.round, cut
		if o.Clock != nil {
			r.Rate = s.rate()
		}
		began := m.now()
		s.judging = true
		s.report(nil)
		if r.Draws, err = o.Store.Draws(); err != nil {
			return nil, err
		}
		if len(r.Draws) == 0 || len(r.Draws[0]) == 0 {
			return nil, fmt.Errorf("%w: no chain has a draw in each of %d", ErrNoDraws, s.round.Chains)
		}
		if r.Verdict, err = o.Judge(r.Draws); err != nil {
			return nil, err
		}
		r.Judging = m.now().Sub(began) / time.Duration(len(r.Draws[0]))
		m.judged, m.judging = true, r.Judging*5/4 // the load of the machine varies
		s.report(r.Verdict)
		switch {
		case cut || r.Verdict.Agreed:
			return r, nil
		case o.Budget.IsZero():
			r.Why = "there is no budget for another round"
			return r, nil
		}
		next := plan{s.round, r.Rate, m.judging.Seconds(), r.Verdict.Needed, o.Budget, m.remaining(s.round.Length.Scans())}
		if o.Budget.Scans > 0 {
			next.rate, next.judged = float64(s.round.Chains), 0
		}
		growth, reason := next.growth()
		if growth == 0 {
			r.Why = reason
			return r, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := o.Store.Next(growth); err != nil {
			return nil, err
		}
	}
}

// Sample samples the rest of the round of Options.Store, without a budget and a verdict.
func Sample(ctx context.Context, post *mcmc.Posterior, o Options) error {
	o.Budget = Budget{}
	s, err := o.prepare(post, o.meter())
	if err != nil {
		return err
	}
	return s.sample(ctx)
}

// meter starts the budget.
func (o Options) meter() meter {
	if o.Clock == nil {
		o.Clock = func() time.Time { return time.Time{} }
	}
	m := meter{Budget: o.Budget, now: o.Clock, start: o.Began}
	if m.start.IsZero() {
		m.start = o.Clock()
	}
	return m
}

// prepare returns a sampler of the round of the store.
func (o Options) prepare(post *mcmc.Posterior, m meter) (*sampler, error) {
	s := o.newSampler(post, m)
	if s.Scan == nil {
		scan := mcmc.OptionsFor(post, s.round.Length.Warmup)
		s.Scan = &scan
	}
	if s.Start == nil {
		s.Start = func(_ context.Context, chain int) (mcmc.Start, error) {
			return post.DrawStart(mcmc.NewStream(o.Seed, chainName(chain)+"/init").Rand, mcmc.Start{}, post.InitOf(chain))
		}
	}
	if err := s.round.Length.Validate(); err != nil {
		return nil, err
	}
	if s.round.Chains < 1 {
		return nil, fmt.Errorf("chains: found %d, expected at least 1", s.round.Chains)
	}
	s.report(nil)
	return s, nil
}
