package runs

// Sampling: a run on disk as a store of package fit.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
	"time"

	"aibd/draws"
	"aibd/draws/segment"
	"aibd/fit"
	"aibd/internal/files"
	"aibd/internal/model"
	"aibd/mcmc"
)

// task is a chain to sample.
type task struct {
	number int          // of the chain, from zero
	done   atomic.Int64 // scans

	start   *checkpoint // to resume from; nil for a new chain
	retains bool        // from is of the round before, some of whose draws this round has too
	onDisk  int         // draws
	stale   []int       // segments on disk whose draws are to be renumbered
	rec     *recorder   // nil before the first scan and after the last
	elapsed time.Duration
	saved   time.Duration // elapsed at the last checkpoint
	ended   bool          // all is done and saved
}

func newTasks(chains int) []task {
	tasks := make([]task, chains)
	for c := range tasks {
		tasks[c].number = c
	}
	return tasks
}

// Done returns the number of scans that each chain has made, of the chains that Sample
// samples. It may be called while Sample runs, and then may miss a few scans. It is nil for a run that was opened to be
// read.
func (r *Run) Done() []int {
	var done []int
	for i := range r.tasks {
		done = append(done, int(r.tasks[i].done.Load()))
	}
	return done
}

// Scans returns the number of scans that each chain is to make.
func (r *Run) Scans() int { return r.Spec.Sampler.Config().Scans() }

// Sample samples the rest of a round, see fit.Sample. If a new run fails before a chain has saved anything, Sample
// removes its directory.
//
// Sample panics if the run was opened to be read or has been sampled before.
func (r *Run) Sample(ctx context.Context) error {
	if r.tasks != nil && r.problem == nil { // the only chain to sample is complete
		r.Close()
		return nil
	}
	return fit.Sample(ctx, r.problem.Posterior, r.sampling(&Store{Run: r}))
}

// sampling returns the options with which the chains of the run are sampled.
func (r *Run) sampling(s *Store) fit.Options {
	scan := r.problem.Scan()
	return fit.Options{Store: s, Seed: r.Spec.Sampler.Seed, Scan: &scan, Start: r.problem.Start, Clock: time.Now}
}

// Store is a run on disk as a store of package fit.
type Store struct {
	Run       *Run          // the round under way, or the last one
	NextRound ResumeOptions // how further rounds are begun; without More, Chain, Growth and From
	Note      func(notes ...string)

	// What Draws read last: the run as it was opened to be read, and what Kept returned.
	Read     *Run
	Traces   []Trace
	Chains   [][]*draws.Draw
	ReadNote string
}

// Fit samples the run in rounds, see fit.Fit. It sets what the run determines in o.
func (s *Store) Fit(ctx context.Context, o fit.Options) (*fit.Result, error) {
	options := s.Run.sampling(s)
	options.Budget, options.Began, options.Judge, options.Progress = o.Budget, o.Began, o.Judge, o.Progress
	return fit.Fit(ctx, s.Run.problem.Posterior, options)
}

// Begin implements fit.Store.
func (s *Store) Begin() (fit.Round, []fit.Standing) {
	r := s.Run
	if r.tasks == nil || r.sampled.Swap(true) {
		panic("runs: Sample of a run that was opened or sampled before")
	}
	standing := make([]fit.Standing, len(r.tasks))
	for i := range r.tasks {
		t := &r.tasks[i]
		standing[i] = fit.Standing{Chain: t.number, Scans: int(t.done.Load()), Took: t.elapsed}
	}
	return r.Spec.Sampler.ThisRound(), standing
}

// task returns the task of a chain.
func (r *Run) task(chain int) *task { return &r.tasks[chain-r.tasks[0].number] }

// Open implements fit.Store. It makes the directory of the chain.
func (s *Store) Open(chain int) (*mcmc.Checkpoint, error) {
	r, t := s.Run, s.Run.task(chain)
	t.rec = newRecorder(r.disk, r.segmentPath, r.header(chain, 0), t.onDisk)
	start := t.start
	if start == nil {
		return nil, r.makeChainDir(chain)
	}
	t.start = nil // its memory
	if t.retains {
		return &start.State, r.retain(t.rec)
	}
	return &start.State, r.reload(t.rec, r.Spec.Sampler.Config().DrawsAt(start.State.Done))
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

// Record implements fit.Store.
func (s *Store) Record(chain int, d *draws.Draw) error { return s.Run.task(chain).rec.Record(d) }

// Save implements fit.Store. It writes the new draws of a chain, its report and, unless it failed, its checkpoint, if
// CheckpointEvery has passed since the last time.
func (s *Store) Save(chain int, c *mcmc.Chain, took time.Duration, last bool) error {
	r, t := s.Run, s.Run.task(chain)
	t.elapsed = took
	if c != nil {
		t.done.Store(int64(c.Done()))
	}
	if !last && took-t.saved < r.CheckpointEvery {
		return nil
	}
	err := t.rec.flush()
	t.onDisk = t.rec.onDisk
	if err != nil || c == nil { // the state may be wrong; keep the last checkpoint
		return err
	}
	checkpoint, err := c.Checkpoint()
	if err != nil {
		return fmt.Errorf("%s: %w", model.ChainName(chain), err)
	}
	if err := r.writeReport(chain, c, took); err != nil {
		return err
	}
	if err := r.writeCheckpoint(chain, checkpoint, took); err != nil {
		return err
	}
	t.saved = took
	if last {
		t.ended, t.rec = c.Done() == r.Scans(), nil
	}
	return nil
}

// End implements fit.Store. It makes a further round that replaces the one before the round of the run, and lets other
// processes sample the run.
func (s *Store) End(failed error) error {
	r := s.Run
	defer r.Close()
	kept := r.resumed
	for i := range r.tasks {
		kept = kept || r.tasks[i].onDisk > 0 || r.tasks[i].saved > 0
	}
	switch {
	case failed != nil && !kept:
		r.removeUnused()
	case failed == nil && r.Begun() && r.Spec.Sampler.ThisRound().Replaces(r.prior.Spec.Sampler.ThisRound(), slices.Min(r.Done())):
		return r.replace()
	}
	return nil
}

// Draws implements fit.Store.
func (s *Store) Draws() (chains [][]*draws.Draw, err error) {
	least := slices.Min(s.Run.Done())
	if !s.Run.Begun() && s.Run.Spec.Sampler.Config().DrawsAt(least) == 0 {
		return nil, nil // stopped before
	}
	if s.Read = s.Run; s.Run.Begun() {
		if s.Read, err = s.Run.Reopen(); err != nil {
			return nil, err
		}
	}
	s.Traces, s.Chains, s.ReadNote, err = s.Read.Kept()
	return s.Chains, err
}

// Next implements fit.Store. If the next round has begun, its growth stays.
func (s *Store) Next(growth float64) error {
	o := s.NextRound
	o.Growth, o.From = growth, s.Run
	next, notes, err := Resume(s.Run.Dir, o)
	if err != nil {
		return err
	}
	s.Note(notes...)
	next.CheckpointEvery = s.Run.CheckpointEvery
	s.Run = next
	return nil
}

// header returns the header of a segment; both numbers are from zero.
func (r *Run) header(chain, number int) segment.Header {
	return segment.Header{
		N: r.Data.N, Chain: chain, DrawsPerChain: r.Spec.Sampler.Draws, Segment: number, Run: r.fingerprint(),
		Weights: r.Spec.Likelihood.HasWeights(), Shares: r.Data.Shares,
		Cells: r.Data.Bounded, Cutpoints: len(r.Data.Cutpoints), NoiseScales: r.Data.noiseScales(), FurtherTemperatures: r.Data.furtherTemperatures(r.Spec.Prior),
	}
}
