package runs

// Sampling: the chains of a run on several cores.

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"aibd/draws"
	"aibd/mcmc"
)

// newChain returns a chain, numbered from zero, at its start.
func (p *Problem) newChain(chain int) (*mcmc.Chain, error) {
	o := p.Spec.Sampler
	cycle, err := mcmc.NewScan(p.Posterior, mcmc.Options{
		Births: o.Births, Others: o.OtherUpdates, ShuffleSize: o.ShuffleSize, Insertions: o.Insertions,
		StepTemperature: o.StepTemperature, StepX: o.StepSigmaX, StepA: o.StepSigmaA,
		Correlation: o.StepCorrelation, Tune: o.Tune, Truncation: o.Truncation,
	})
	if err != nil {
		return nil, fmt.Errorf("sampler: %w", err)
	}
	at, err := p.Start(chain)
	if err != nil {
		return nil, err
	}
	state, err := mcmc.NewState(p.Posterior, at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", chainName(chain), err)
	}
	config := mcmc.Config{Warmup: o.Warmup, Draws: o.Draws, Thin: o.Thin}
	return mcmc.NewChain(config, cycle, state, mcmc.NewStream(o.Seed, chainName(chain)))
}

// progress is how far a chain is.
type progress struct {
	running atomic.Pointer[mcmc.Chain] // nil before and after
	done    atomic.Int64               // scans, unless it is running
}

// Done returns the number of scans that each chain has made. It may be called
// while Sample runs. It is nil for a run that was opened.
func (r *Run) Done() []int {
	var done []int
	for i := range r.chains {
		p := &r.chains[i]
		if chain := p.running.Load(); chain != nil {
			done = append(done, chain.Done())
		} else {
			done = append(done, int(p.done.Load()))
		}
	}
	return done
}

// Scans returns the number of scans that each chain is to make.
func (r *Run) Scans() int {
	o := r.Spec.Sampler
	return mcmc.Config{Warmup: o.Warmup, Draws: o.Draws, Thin: o.Thin}.Scans()
}

// Sample runs the chains, as many at a time as there are cores to use; 0 uses all.
// The draws do not depend on that number. If there are more chains they take
// turns, so that all are about equally far whenever the run is stopped.
//
// When ctx is done, each chain under way finishes its scan and writes its draws,
// and Sample returns ctx.Err(); what was drawn is kept and can be read. The first
// error of a chain ends the others in the same way. A panic in a chain is returned
// as an error that names the chain. If the run ends without any draw on disk, its
// directory is removed.
//
// Sample panics if the run was opened or has been sampled before.
func (r *Run) Sample(ctx context.Context, cores int) error {
	if r.problem == nil || r.sampled.Swap(true) {
		panic("runs: Sample of a run that was opened or sampled before")
	}
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	s := &schedule{tasks: make([]task, len(r.chains))}
	var workers sync.WaitGroup
	for range min(cores, len(s.tasks)) {
		workers.Go(func() {
			for inner.Err() == nil {
				t := s.take()
				if t == nil {
					return
				}
				if t.err = r.turn(inner, t); t.err != nil {
					stop()
				}
				s.put(t)
			}
		})
	}
	workers.Wait()

	return r.close(ctx, s.tasks)
}

// close ends the chains that are still under way, and returns what became of the
// run.
func (r *Run) close(ctx context.Context, tasks []task) error {
	var failed error
	for _, t := range tasks {
		failed = cmp.Or(failed, t.err) // before what else may follow from it
	}
	finished, written := true, 0
	for c := range tasks {
		t := &tasks[c]
		if t.chain != nil {
			failed = cmp.Or(failed, r.end(t))
		}
		finished = finished && t.ended
		written += t.written
	}
	if failed == nil && !finished {
		failed = ctx.Err()
	}
	if failed != nil && written == 0 {
		r.remove()
	}
	return failed
}

// turn makes some scans of a chain, after its start if it has not begun, and ends
// it if they were the last. That ctx is done is no error; a panic is one, which
// says where it happened.
func (r *Run) turn(ctx context.Context, t *task) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: internal error after %d scans: %v (%s)", chainName(t.number), r.Done()[t.number], p, origin())
		}
	}()
	began := time.Now()
	if t.chain == nil {
		if err := r.begin(t); err != nil {
			return err
		}
	}
	err = t.chain.Run(&turn{ctx, turnScans}, t.rec)
	t.scans = t.chain.Done()
	t.elapsed += time.Since(began)
	switch {
	case err == nil:
		return r.end(t)
	case err == errTurnOver || err == ctx.Err():
		return nil
	}
	return err
}

// begin makes the chain and its directory.
func (r *Run) begin(t *task) error {
	chain, err := r.problem.newChain(t.number)
	if err != nil {
		return err
	}
	dir := r.chainDir(t.number)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return named(dir, err)
	}
	if err := syncDir(r.Dir); err != nil {
		return err
	}
	t.chain = chain
	t.rec = &recorder{disk: r.disk, dir: dir, segment: draws.NewSegment(r.header(t.number))}
	r.chains[t.number].running.Store(chain)
	return nil
}

// end writes what a chain has drawn since its last segment, and its report.
func (r *Run) end(t *task) error {
	p := &r.chains[t.number]
	p.done.Store(int64(t.chain.Done()))
	p.running.Store(nil)
	err := t.rec.flush()
	if t.written = t.rec.written; t.written > 0 {
		err = cmp.Or(err, r.writeReport(t.number, t.chain, t.elapsed))
	}
	t.ended = t.chain.Done() == r.Scans() && err == nil
	t.chain, t.rec = nil, nil // their memory is for others
	return err
}

// remove removes what a run without draws has left, if nobody has put anything
// beside it.
func (r *Run) remove() {
	for c := range r.chains {
		os.Remove(r.chainDir(c)) // which is empty
	}
	if left, err := os.ReadDir(r.Dir); err == nil && len(left) == 1 {
		os.Remove(filepath.Join(r.Dir, recordFile))
		os.Remove(r.Dir)
	}
}

// header returns what the segments of a chain have in common.
func (r *Run) header(chain int) draws.Header {
	return draws.Header{N: r.Data.N, Chain: chain, DrawsPerChain: r.Spec.Sampler.Draws}
}

// origin returns the file and line of the innermost function that panicked, to be
// called while recovering.
func origin() string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(1, pc)])
	for panicked, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if panicked && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s/%s:%d", path.Base(path.Dir(f.File)), path.Base(f.File), f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
	}
	return "unknown place"
}
