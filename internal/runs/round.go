package runs

// Rounds: a run whose chains continue, and keep draws from longer windows, until they agree.
//
// run.json states the last round whose draws come from most scans, or the first. While the next
// one is sampled, its segments have names of their own beside the others. When the draws of the
// next round replace them (fit.Round.Replaces), run.json changes to it first, and then its segments take the
// names of the old ones. A process that dies in between leaves a run of the next round
// with some segments to rename: readers find them under both names, Resume renames them.

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"aibd/fit"
	"aibd/internal/files"
)

// nextRound returns the round after r with a window that is growth times as long. Its chains continue those of r.
func (r *Run) nextRound(growth float64) *Run {
	n := &Run{
		Dir: r.Dir, record: r.record, CheckpointEvery: r.CheckpointEvery,
		source: r.source, disk: r.disk, inputs: r.inputs, problem: r.problem, lock: r.lock, edited: r.edited, resumed: r.resumed, prior: r,
	}
	n.Spec.Sampler = r.Spec.Sampler.Next(growth)
	if n.problem != nil {
		p := *r.problem
		p.Spec.Sampler = n.Spec.Sampler
		n.problem = &p
	}
	return n
}

// next returns the round after r that has the fingerprint, or nil if there is none.
func (r *Run) next(fingerprint string) *Run {
	for _, growth := range fit.Growths {
		if n := r.nextRound(growth); n.fingerprint() == fingerprint {
			return n
		}
	}
	return nil
}

// Next returns the round after r, of which a chain has a checkpoint, or nil if none has begun.
func (r *Run) Next() *Run {
	if r.Begun() {
		return nil
	}
	for c := range r.Spec.Sampler.Chains {
		if p, err := r.readCheckpoint(c); err == nil && p.Run != r.fingerprint() {
			return r.next(p.Run)
		}
	}
	return nil
}

// UnderWay returns the round of the chains of the reports: the next one if a chain has made more
// scans than r has, and otherwise r.
func (r *Run) UnderWay(reports []ChainReport) *Run {
	if slices.ContainsFunc(reports, func(c ChainReport) bool { return c.Scans > r.Scans() }) {
		if n := r.Next(); n != nil {
			return n
		}
	}
	return r
}

// Begun reports whether r is a round after the complete one that run.json states.
func (r *Run) Begun() bool { return r.prior != nil }

// retain records the draws of a chain of the round before that are draws of this round too.
func (r *Run) retain(rec *recorder) error {
	before, round := r.prior.Spec.Sampler.ThisRound(), r.Spec.Sampler.ThisRound()
	for d, err := range r.prior.Draws(rec.chain) {
		if err != nil {
			return err
		}
		var ok bool
		if d.Iteration, ok = round.Retains(d.Iteration, before); !ok {
			continue
		}
		if err := rec.Record(d); err != nil {
			return err
		}
	}
	return nil
}

// Before returns the number of scans of a chain in the round before, or 0 if r has not Begun.
func (r *Run) Before() int {
	if !r.Begun() {
		return 0
	}
	return r.prior.Scans()
}

// segmentPath returns the name of the file of a segment; both numbers are from zero.
func (r *Run) segmentPath(chain, number int) string {
	name := segmentName(number)
	if r.Begun() {
		name = begunName(number)
	}
	return filepath.Join(r.chainDir(chain), name)
}

// begunName returns the name of a segment of a round that is not complete. It does not end
// in .parquet: programs that read all such files of a run see one round.
func begunName(number int) string { return fmt.Sprintf("draws-%05d.next", number+1) }

// replace makes the round, whose draws are on disk, the one that run.json states. It removes the segments of the
// round before that have no successor yet.
func (r *Run) replace() error {
	if err := r.writeRecord(r.Dir); err != nil {
		return err
	}
	r.prior = nil
	if err := r.settle(); err != nil || r.ended() {
		return err
	}
	for i := range r.tasks {
		t, size := &r.tasks[i], segmentDraws(r.Data.N)
		for number := (t.onDisk + size - 1) / size; ; number++ {
			name := r.segmentPath(t.number, number)
			if err := r.disk.Remove(name); errors.Is(err, fs.ErrNotExist) {
				break
			} else if err != nil {
				return files.Named(name, err)
			}
		}
	}
	return nil
}

// settle renames the segments of the round of run.json that still have the names of a
// round that is not complete.
func (r *Run) settle() error {
	return r.eachBegun(func(name string, chain, number int) (changed bool, err error) {
		if _, err := r.readSegment(name, chain, number); err != nil {
			return false, nil // of the next round
		}
		return true, r.disk.Rename(name, r.segmentPath(chain, number))
	})
}

// discard removes the segments of a round that is not complete. They may be left from a process that
// died before its first checkpoint of a round of another length.
func (r *Run) discard() error {
	return r.eachBegun(func(name string, _, _ int) (changed bool, err error) { return true, r.disk.Remove(name) })
}

// eachBegun calls do for each segment that has the name of a round that is not complete, with its
// chain and number from zero. If do reports a change, the directory is synced.
func (r *Run) eachBegun(do func(name string, chain, number int) (changed bool, err error)) error {
	for c := range r.Spec.Sampler.Chains {
		dir := r.chainDir(c)
		entries, err := files.Names(r.source, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		changed := false
		for _, base := range entries {
			var number int
			if _, err := fmt.Sscanf(base, "draws-%d.next", &number); err != nil || base != begunName(number-1) {
				continue
			}
			name := filepath.Join(dir, base)
			done, err := do(name, c, number-1)
			if err != nil {
				return files.Named(name, err)
			}
			changed = changed || done
		}
		if changed {
			if err := files.Named(dir, r.disk.SyncDir(dir)); err != nil {
				return err
			}
		}
	}
	return nil
}

// replaced reports whether run.json states another round than r, or more draws, and makes r that round.
func (r *Run) replaced() bool {
	now, err := reopen(r.source, r.inputs, r.Dir)
	if err != nil || now.fingerprint() == r.fingerprint() && now.Spec.Sampler.Draws == r.Spec.Sampler.Draws {
		return false
	}
	r.record, r.edited = now.record, now.edited
	return true
}
