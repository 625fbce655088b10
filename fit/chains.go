package fit

// The chains of a round on several cores.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"aibd/draws"
	"aibd/mcmc"
)

// sampler samples the chains of a round.
type sampler struct {
	Options
	post        *mcmc.Posterior
	round       Round
	tasks       []task
	meter       meter
	began       time.Time
	scansBefore int // scans of all chains before
	over        atomic.Bool
	judging     bool       // no more scans are made
	mutex       sync.Mutex // of what schedules tasks, and of Progress
}

// task is a chain to sample.
type task struct {
	Standing
	running atomic.Pointer[mcmc.Chain] // nil before its first turn and after its end
	done    atomic.Int64               // scans, unless it is running
	chain   *mcmc.Chain                // nil before the first turn
	slow    bool                       // its scans take more than slowScan, or it has made none
	busy    bool                       // a worker has it
	ended   bool                       // all is done and saved
	err     error                      // that stopped it
}

// scansDone may be called while the chain runs.
func (t *task) scansDone() int {
	if chain := t.running.Load(); chain != nil {
		return chain.Done()
	}
	return int(t.done.Load())
}

// newSampler returns a sampler of the round that the store begins.
func (o Options) newSampler(post *mcmc.Posterior, m meter) *sampler {
	s := &sampler{Options: o, post: post, meter: m, began: m.now()}
	var standing []Standing
	s.round, standing = o.Store.Begin()
	s.tasks = make([]task, len(standing))
	for i, position := range standing {
		t := &s.tasks[i]
		t.Standing, t.ended, t.slow = position, position.Scans == s.round.Length.Scans(), true
		t.done.Store(int64(position.Scans))
	}
	s.scansBefore = s.done()
	return s
}

// done returns the scans of all tasks.
func (s *sampler) done() (sum int) {
	for i := range s.tasks {
		sum += s.tasks[i].scansDone()
	}
	return sum
}

// all returns the scans that all tasks are to have made.
func (s *sampler) all() int { return len(s.tasks) * s.round.Length.Scans() }

// least returns the number of scans that each chain has made.
func (s *sampler) least() int {
	least := s.tasks[0].scansDone()
	for i := range s.tasks {
		least = min(least, s.tasks[i].scansDone())
	}
	return least
}

// rate returns how many scans a second all chains together made since the round began, or else in the rounds before.
func (s *sampler) rate() float64 {
	if made, took := s.done()-s.scansBefore, s.meter.now().Sub(s.began); made > 0 && took > 0 {
		return float64(made) / took.Seconds()
	}
	scans, seconds := 0, 0.0
	for i := range s.tasks {
		scans, seconds = scans+s.tasks[i].Scans, seconds+s.tasks[i].Took.Seconds()
	}
	return float64(scans) / seconds * float64(min(runtime.GOMAXPROCS(0), len(s.tasks)))
}

// sample makes the scans of the round. Chains take turns, so that all have about the same number of scans when they
// are stopped. It returns errUsedUp if the budget stopped them.
func (s *sampler) sample(ctx context.Context) error {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	bounded := &bounded{inner, s}
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(s.tasks)) {
		workers.Go(func() {
			for bounded.Err() == nil {
				t := s.take()
				if t == nil {
					return
				}
				if t.err = s.turn(bounded, t); t.err != nil {
					stop()
				}
				s.put(t)
			}
		})
	}
	workers.Wait()
	return s.end(ctx)
}

// end saves the chains that have not finished, and returns the error of sample.
func (s *sampler) end(ctx context.Context) error {
	var failed error
	for i := range s.tasks {
		failed = cmp.Or(failed, s.tasks[i].err) // the first cause
	}
	finished := true
	for i := range s.tasks {
		t := &s.tasks[i]
		if t.chain != nil {
			failed = cmp.Or(failed, s.finish(t))
		}
		finished = finished && t.ended
	}
	failed = cmp.Or(failed, s.Store.End(failed))
	switch {
	case failed != nil || finished:
		return failed
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return errUsedUp
}

// take returns the task with the fewest scans that no worker has, or nil.
func (s *sampler) take() *task {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var last *task
	for i := range s.tasks {
		t := &s.tasks[i]
		if !t.busy && !t.ended && t.err == nil && (last == nil || t.Scans < last.Scans) {
			last = t
		}
	}
	if last != nil {
		last.busy = true
	}
	return last
}

// put takes a task back from a worker.
func (s *sampler) put(t *task) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	t.busy = false
	s.report(nil)
}

// turn starts a chain if necessary, makes some scans, and finishes the chain after the
// last one. It returns nil when ctx is done. It returns a panic as an error that says where
// it happened.
func (s *sampler) turn(ctx context.Context, t *task) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: internal error after %d scans: %v (%s)", chainName(t.Chain), t.scansDone(), p, origin())
		}
	}()
	began := s.meter.now()
	if t.chain == nil {
		if err := s.begin(ctx, t); err != nil {
			if errors.Is(err, ctx.Err()) {
				return nil
			}
			return err
		}
	}
	scans := s.round.turnScans()
	var before mcmc.Checkpoint
	if t.slow {
		if before, err = t.chain.Checkpoint(); err != nil {
			return err
		}
		scans = 1
		t.chain.Abandon(func() bool { return ctx.Err() != nil })
	} else {
		t.chain.Abandon(nil)
	}
	begin := t.chain.Done()
	err = t.chain.Run(&turn{ctx, scans}, draws.RecorderFunc(func(d *draws.Draw) error { return s.Store.Record(t.Chain, d) }))
	if err == mcmc.ErrAbandoned {
		if t.chain, err = mcmc.Resume(s.post, *s.Scan, s.round.Length, before); err != nil {
			return err
		}
		t.running.Store(t.chain)
		err = ctx.Err()
	}
	took := s.meter.now().Sub(began)
	t.Scans, t.Took, t.slow = t.chain.Done(), t.Took+took, took > slowScan*time.Duration(t.chain.Done()-begin)
	switch {
	case err == nil:
		return s.finish(t)
	case err != errTurnOver && err != ctx.Err():
		return err
	}
	return s.Store.Save(t.Chain, t.chain, t.Took, false)
}

// begin makes the chain, new or from its checkpoint.
func (s *sampler) begin(ctx context.Context, t *task) error {
	checkpoint, err := s.Store.Open(t.Chain)
	if err != nil {
		return err
	}
	var chain *mcmc.Chain
	if checkpoint != nil {
		chain, err = mcmc.Resume(s.post, *s.Scan, s.round.Length, *checkpoint)
	} else {
		var start mcmc.Start
		if start, err = s.Start(ctx, t.Chain); err != nil {
			return err
		}
		name := chainName(t.Chain)
		if chain, err = mcmc.NewChain(s.post, start, *s.Scan, s.round.Length, mcmc.NewStream(s.Seed, name)); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	if err != nil {
		return err
	}
	t.chain = chain
	t.running.Store(chain)
	return nil
}

// finish saves a chain and releases its memory.
func (s *sampler) finish(t *task) error {
	scans := t.chain.Done()
	t.done.Store(int64(scans))
	t.running.Store(nil)
	chain := t.chain
	if t.chain = nil; t.err != nil {
		chain = nil
	}
	err := s.Store.Save(t.Chain, chain, t.Took, true)
	t.ended = scans == s.round.Length.Scans() && err == nil
	return err
}

// report reports the progress of the round.
func (s *sampler) report(v *Verdict) {
	if s.Progress == nil {
		return
	}
	p := Progress{Round: s.round, Done: s.done(), All: s.all(), Judging: s.judging, Verdict: v}
	if s.Budget.Time > 0 {
		p.Remaining = max(0, s.meter.Time-s.meter.took())
	}
	s.Progress(p)
}

// chainName returns the label of the random numbers of a chain.
func chainName(chain int) string { return fmt.Sprintf("chain-%d", chain+1) }

// bounded is a context that is also done when the budget must end.
type bounded struct {
	context.Context
	sampler *sampler
}

// errUsedUp is the error of a context when the budget must end.
var errUsedUp = errors.New("the budget is used up")

func (b *bounded) Err() error {
	if err := b.Context.Err(); err != nil {
		return err
	}
	if s := b.sampler; s.over.Load() || s.meter.over(s.round.Length.Draws, s.round.Length.DrawsAt(s.least())) {
		s.over.Store(true)
		return errUsedUp
	}
	return nil
}

// turnScans is how many scans a chain makes before another has its turn: fewer in short rounds, in which scans are slow.
func (r Round) turnScans() int { return min(10, max(1, r.Length.Scans()/20)) }

// turn is a context that is done after some scans: a chain calls Err once before each.
type turn struct {
	context.Context
	scans int
}

var errTurnOver = errors.New("the turn is over")

// Err is for the one chain that has the turn.
func (t *turn) Err() error {
	if err := t.Context.Err(); err != nil {
		return err
	}
	if t.scans == 0 {
		return errTurnOver
	}
	t.scans--
	return nil
}

// slowScan is the time of a scan above which a chain keeps its state before each scan, so that it can abandon one.
const slowScan = 200 * time.Millisecond

// origin returns the file and line of the function that panicked. It is called while
// recovering.
func origin() string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(1, pc)])
	for panicked, ok := false, true; ok; {
		var f runtime.Frame
		f, ok = frames.Next()
		if panicked && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s/%s:%d", path.Base(path.Dir(f.File)), path.Base(f.File), f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
	}
	return "unknown place"
}
