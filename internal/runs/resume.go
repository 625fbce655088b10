package runs

// Going on with a run that was stopped, killed, or is to be longer.

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"time"

	"aibd/draws"
	"aibd/internal/model"
)

// ResumeOptions says how to go on with a run.
type ResumeOptions struct {
	// More is the number of draws to add to those planned for each chain.
	More int
	// Version is that of the program.
	Version string
	// OtherBuild goes on although another build of the program has made the run,
	// whose draws may differ from those of this one. run.json will say so.
	OtherBuild bool
}

// Resume opens a run to go on sampling it, from the checkpoints of its chains: with
// the same draws, to the byte, as if it had never been stopped. It reads the data
// again, which must not have changed. Draws on disk are read too; a chain with a
// damaged file is sampled again from its start, with the same draws, and a note
// says so. The run is locked until Sample returns or Close is called.
//
// With More, the run is from then on what it would be had it been made with as many
// draws in the first place.
//
// It returns an error if the run was made by another build of the program, is being
// sampled by another process, or holds files of another run.
func Resume(dir string, o ResumeOptions) (*Run, []string, error) {
	return resume(dir, o, realDisk{})
}

func resume(dir string, o ResumeOptions, disk disk) (*Run, []string, error) {
	dir = filepath.Clean(dir)
	if _, err := Open(dir); err != nil {
		return nil, nil, err // there is nothing to lock
	}
	lock, err := acquire(dir)
	if err != nil {
		return nil, nil, err
	}
	r, err := Open(dir)
	if err == nil {
		r.disk, r.lock, r.resumed, r.CheckpointEvery = disk, lock, true, defaultCheckpointEvery
		var notes []string
		if notes, err = r.recallAll(o); err == nil {
			return r, notes, nil
		}
	}
	lock.release()
	return nil, nil, err
}

// recallAll makes the run ready to be sampled. It changes nothing before all is known
// to be in order.
func (r *Run) recallAll(o ResumeOptions) (notes []string, err error) {
	changed, err := r.prepare(o)
	if err != nil {
		return nil, err
	}
	r.tasks = newTasks(r.Spec.Sampler.Chains)
	for c := range r.tasks {
		note, err := r.recall(&r.tasks[c])
		if err != nil {
			return nil, err
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	if changed {
		// First: a run that dies in between is the longer one, with some segments from
		// before.
		if err := r.writeRecord(r.Dir); err != nil {
			return nil, err
		}
	}
	for c := range r.tasks {
		for _, segment := range r.tasks[c].stale {
			if err := r.renumber(c, segment); err != nil {
				return nil, err
			}
		}
	}
	return notes, nil
}

// prepare brings the record to what is asked for, and builds the problem. It reports
// whether the record has changed.
func (r *Run) prepare(o ResumeOptions) (changed bool, err error) {
	if err := r.record.differs(o.Version); err != nil {
		if !o.OtherBuild {
			return false, fmt.Errorf("%s: %w", filepath.Join(r.Dir, recordFile), err)
		}
		other := Other{Aibd: o.Version, Build: thisBuild()}
		if n := len(r.record.Others); n == 0 || r.record.Others[n-1] != other {
			r.record.Others = append(r.record.Others, other)
			changed = true
		}
	}
	if o.More > 0 {
		r.Spec.Sampler.Draws += min(o.More, math.MaxInt32) // of which the sum is refused, too
		if err := r.Spec.Validate(); err != nil {
			return false, err
		}
		r.record.Spec = r.Spec
		changed = true
	}
	if r.problem, err = model.Build(r.Spec); err != nil {
		return false, fmt.Errorf("the data of %s: %w", r.Dir, err)
	}
	return changed, nil
}

// recall finds out where a chain stood. The note says, in one line, what is damaged
// and what becomes of it.
func (r *Run) recall(t *task) (note string, err error) {
	damage, err := r.sound(t)
	if err != nil {
		return "", err
	}
	from, err := r.readCheckpoint(t.number)
	var damaged damagedError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil // it had not come far
	case errors.As(err, &damaged):
		return r.again(t, damaged), nil
	case err != nil:
		return "", err
	}
	if drawn := r.Spec.Sampler.DrawsAt(from.At.Done); drawn > t.onDisk {
		if damage == nil {
			damage = fmt.Errorf("%s: found %d draws, expected at least the %d before the checkpoint", r.chainDir(t.number), t.onDisk, drawn)
		}
		return r.again(t, damage), nil
	}
	t.from = &from
	t.scans = from.At.Done
	t.done.Store(int64(t.scans))
	t.elapsed = time.Duration(from.Seconds * float64(time.Second))
	t.saved = t.elapsed
	t.ended = t.scans == r.Scans()
	return "", nil
}

// again says that a chain starts again for what is damaged.
func (r *Run) again(t *task, damage error) string {
	return fmt.Sprintf("%v; %s is sampled again from its start, with the same draws", damage, model.ChainName(t.number))
}

// sound counts the draws of a chain, from the first one on, that can be read, notes
// which segments are from when the run was to be shorter, and returns what is wrong
// with the file that ends them, if any is.
func (r *Run) sound(t *task) (damage, err error) {
	header := r.header(t.number)
	for number := 0; ; number++ {
		reader, err := openSegment(filepath.Join(r.chainDir(t.number), segmentName(number)), header)
		var damaged damagedError
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case errors.As(err, &damaged):
			return damaged, nil
		case err != nil:
			return nil, err
		}
		t.onDisk += reader.Len()
		if reader.Header() != header {
			t.stale = append(t.stale, number)
		}
		if reader.Len() < model.SegmentDraws(r.Data.N) {
			return nil, nil
		}
	}
}

// renumber writes a segment anew that is from when the run was to be shorter: the
// number of a draw among those of all chains depends on it.
func (r *Run) renumber(chain, number int) error {
	name := filepath.Join(r.chainDir(chain), segmentName(number))
	reader, err := openSegment(name, r.header(chain))
	if err != nil {
		return err
	}
	segment := draws.NewSegment(r.header(chain))
	for d, err := range reader.Draws() {
		if err != nil {
			return err
		}
		if err := segment.Record(d); err != nil {
			return err
		}
	}
	return writeSegment(r.disk, name, segment)
}

// reload fills the recorder of a chain that goes on with the draws that its last
// segment had before the checkpoint.
func (r *Run) reload(rec *recorder, drawn int) error {
	rec.full = drawn / rec.size
	pending := drawn % rec.size
	if pending == 0 {
		return nil
	}
	reader, err := openSegment(filepath.Join(rec.dir, segmentName(rec.full)), rec.header)
	if err != nil {
		return err
	}
	for d, err := range reader.Draws() {
		if err != nil {
			return err
		}
		if err := rec.segment.Record(d); err != nil || rec.segment.Len() == pending {
			return err
		}
	}
	return fmt.Errorf("%s: found %d draws in the last segment, expected at least %d", rec.dir, rec.segment.Len(), pending)
}
