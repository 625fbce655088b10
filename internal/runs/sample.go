package runs

// Sampling: the chains of a run on several cores.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"

	"aibd/draws"
	"aibd/internal/files"
	"aibd/internal/model"
	"aibd/mcmc"
)

// Done returns the number of scans that each chain has made. It may be called
// while Sample runs. It is nil for a run that was opened to be read.
func (r *Run) Done() []int {
	var done []int
	for i := range r.tasks {
		done = append(done, r.tasks[i].scansDone())
	}
	return done
}

// Scans returns the number of scans that each chain is to make.
func (r *Run) Scans() int { return r.Spec.Sampler.Scans() }

// Sample runs the chains, as many at a time as there are cores to use; 0 uses all.
// The draws do not depend on that number. If there are more chains they take
// turns, so that all are about equally far whenever the run is stopped.
//
// When ctx is done, each chain under way finishes its scan and writes its draws and
// where it stands, and Sample returns ctx.Err(): Resume goes on from there. The
// first error of a chain ends the others in the same way. A panic in a chain is
// returned as an error that names the chain. If a new run fails before anything of
// a chain is on disk, its directory is removed.
//
// Sample panics if the run was opened to be read or has been sampled before.
func (r *Run) Sample(ctx context.Context, cores int) error {
	if r.problem == nil || r.sampled.Swap(true) {
		panic("runs: Sample of a run that was opened or sampled before")
	}
	defer r.Close()
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	s := &schedule{tasks: r.tasks}
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

	return r.end(ctx)
}

// end saves the chains that are still under way, and returns what became of the
// run.
func (r *Run) end(ctx context.Context) error {
	var failed error
	for c := range r.tasks {
		failed = cmp.Or(failed, r.tasks[c].err) // before what else may follow from it
	}
	finished, kept := true, r.resumed
	for c := range r.tasks {
		t := &r.tasks[c]
		if t.chain != nil {
			failed = cmp.Or(failed, r.finish(t))
		}
		finished = finished && t.ended
		kept = kept || t.onDisk > 0 || t.saved > 0
	}
	if failed == nil && !finished {
		return ctx.Err()
	}
	if failed != nil && !kept {
		r.removeUnused()
	}
	return failed
}

// turn makes some scans of a chain, after its start if it has not begun, and
// finishes it if they were the last. That ctx is done is no error; a panic is one,
// which says where it happened.
func (r *Run) turn(ctx context.Context, t *task) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: internal error after %d scans: %v (%s)", model.ChainName(t.number), t.scansDone(), p, origin())
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
	t.elapsed += time.Since(began) // by the monotonic clock, which never jumps
	switch {
	case err == nil:
		return r.finish(t)
	case err != errTurnOver && err != ctx.Err():
		return err
	case t.elapsed-t.saved >= r.CheckpointEvery:
		return r.save(t)
	}
	return nil
}

// begin makes the chain, at its start or where it stood, and its directory.
func (r *Run) begin(t *task) (err error) {
	dir := r.chainDir(t.number)
	rec := newRecorder(r.disk, dir, r.header(t.number), t.onDisk)
	var chain *mcmc.Chain
	if t.from == nil {
		chain, err = r.problem.NewChain(t.number)
	} else {
		chain, err = r.problem.ResumeChain(t.from.At)
		if err == nil {
			err = r.reload(rec, r.Spec.Sampler.DrawsAt(t.from.At.Done))
		}
		t.from = nil
	}
	if err != nil {
		return err
	}
	if err := r.disk.mkdir(dir); err == nil {
		if err := syncDir(r.disk, r.Dir); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return files.Named(dir, err)
	}
	t.chain, t.rec = chain, rec
	t.running.Store(chain)
	return nil
}

// save writes the draws of a chain that are not on disk yet, how it went and, if it
// can go on, where it stands.
func (r *Run) save(t *task) error {
	err := t.rec.flush()
	t.onDisk = t.rec.onDisk
	if err != nil {
		return err
	}
	if t.err != nil {
		return nil // the state is not to be trusted; the last checkpoint stays
	}
	at, err := t.chain.Checkpoint()
	if err != nil {
		return fmt.Errorf("%s: %w", model.ChainName(t.number), err)
	}
	if err := r.writeReport(t.number, t.chain, t.elapsed); err != nil {
		return err
	}
	if err := r.writeCheckpoint(t.number, at, t.elapsed); err != nil {
		return err
	}
	t.saved = t.elapsed
	return nil
}

// finish saves a chain and lets go of it.
func (r *Run) finish(t *task) error {
	t.done.Store(int64(t.chain.Done()))
	t.running.Store(nil)
	err := r.save(t)
	t.ended = t.chain.Done() == r.Scans() && err == nil
	t.chain, t.rec = nil, nil // their memory is for others
	return err
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
