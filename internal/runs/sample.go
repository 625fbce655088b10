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

	"aibd/draws/segment"
	"aibd/internal/files"
	"aibd/internal/model"
	"aibd/mcmc"
)

// Done returns the number of scans that each chain has made, of the chains that Sample
// samples. It may be called while Sample runs. It is nil for a run that was opened to be read.
func (r *Run) Done() []int {
	var done []int
	for i := range r.tasks {
		done = append(done, r.tasks[i].scansDone())
	}
	return done
}

// Scans returns the number of scans that each chain is to make.
func (r *Run) Scans() int { return r.Spec.Sampler.Scans() }

// Rate returns how many scans a second all chains together make, by the time of the scans so far. Before the
// first scan it is NaN.
func (r *Run) Rate() float64 {
	scans, seconds := 0, 0.0
	for c := range r.tasks {
		scans, seconds = scans+r.tasks[c].scans, seconds+r.tasks[c].elapsed.Seconds()
	}
	return float64(scans) / seconds * float64(min(runtime.GOMAXPROCS(0), len(r.tasks)))
}

// Sample runs the chains on runtime.GOMAXPROCS cores. The draws do not depend on the number of cores. Chains take turns,
// so that all have about the same number of scans when the run is stopped.
//
// When ctx is done, each running chain finishes its scan and saves its draws and a
// checkpoint, and Sample returns ctx.Err(). The first error of a chain stops the others
// in the same way. A panic in a chain becomes an error that names the chain. If a new run
// fails before a chain has saved anything, Sample removes its directory.
//
// Sample panics if the run was opened to be read or has been sampled before.
func (r *Run) Sample(ctx context.Context) error {
	if r.tasks == nil || r.sampled.Swap(true) {
		panic("runs: Sample of a run that was opened or sampled before")
	}
	defer r.Close()
	inner, stop := context.WithCancel(ctx)
	defer stop()
	s := &schedule{tasks: r.tasks}
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(s.tasks)) {
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

	err := r.end(ctx)
	if err == nil && r.Begun() {
		return r.complete()
	}
	return err
}

// end saves the chains that have not finished, and returns the error of Sample.
func (r *Run) end(ctx context.Context) error {
	var failed error
	for c := range r.tasks {
		failed = cmp.Or(failed, r.tasks[c].err) // the first cause
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

// turn starts a chain if necessary, makes some scans, and finishes the chain after the
// last one. It returns nil when ctx is done. It returns a panic as an error that says where
// it happened.
func (r *Run) turn(ctx context.Context, t *task) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: internal error after %d scans: %v (%s)", model.ChainName(t.number), t.scansDone(), p, origin())
		}
	}()
	began := time.Now()
	if t.chain == nil {
		if err := r.begin(ctx, t); err != nil {
			if errors.Is(err, ctx.Err()) {
				return nil
			}
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

// begin makes the chain, new or from its checkpoint, and its directory.
func (r *Run) begin(ctx context.Context, t *task) (err error) {
	rec := newRecorder(r.disk, r.segmentPath, r.header(t.number, 0), t.onDisk)
	var chain *mcmc.Chain
	if t.from == nil {
		chain, err = r.problem.NewChain(ctx, t.number)
	} else {
		chain, err = r.problem.ResumeChain(t.from.At)
		switch {
		case err != nil:
		case t.retains:
			err = r.retain(rec)
		default:
			err = r.reload(rec, r.Spec.Sampler.DrawsAt(t.from.At.Done))
		}
		t.from = nil
	}
	if err != nil {
		return err
	}
	if err := r.makeChainDir(t.number); err != nil {
		return err
	}
	t.chain, t.rec = chain, rec
	t.running.Store(chain)
	return nil
}

// makeChainDir makes the directory of a chain if it does not exist.
func (r *Run) makeChainDir(c int) error {
	dir := r.chainDir(c)
	if err := r.disk.Mkdir(dir); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return files.Named(dir, err)
	}
	return files.Named(r.Dir, r.disk.SyncDir(r.Dir))
}

// save writes the new draws of a chain, its report and, unless it failed, its checkpoint.
func (r *Run) save(t *task) error {
	err := t.rec.flush()
	t.onDisk = t.rec.onDisk
	if err != nil {
		return err
	}
	if t.err != nil {
		return nil // the state may be wrong; keep the last checkpoint
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

// finish saves a chain and releases its memory.
func (r *Run) finish(t *task) error {
	t.done.Store(int64(t.chain.Done()))
	t.running.Store(nil)
	err := r.save(t)
	t.ended = t.chain.Done() == r.Scans() && err == nil
	t.chain, t.rec = nil, nil
	return err
}

// header returns the header of a segment; both numbers are from zero.
func (r *Run) header(chain, number int) segment.Header {
	return segment.Header{
		N: r.Data.N, Chain: chain, DrawsPerChain: r.Spec.Sampler.Draws, Segment: number, Run: r.fingerprint(),
		Weights: r.Spec.Likelihood.HasWeights(), SigmaW: r.Spec.Likelihood.HasSigmaW(),
		Cells: r.Data.Bounded, Cutpoints: len(r.Data.Cutpoints), NoiseScales: r.Data.noiseScales(), Further: len(r.Data.Further),
	}
}

// origin returns the file and line of the function that panicked. It is called while
// recovering.
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
