package runs

// Resuming a run that was stopped, and lengthening it.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"aibd/draws/segment"
	"aibd/internal/files"
	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/internal/verdict"
)

// ResumeOptions says how to resume a run.
type ResumeOptions struct {
	AddedDraws int     // draws to add to each chain, which fixes the length of the run
	Chain      int     // sample this chain only, numbered from 1; 0: all
	Growth     float64 // above 0: continue the next round, or begin one with a window that is Growth times as long, one of fit.Growths
	Version    string  // of the program
	OtherBuild bool    // resume a run of another build, whose draws may differ; run.json records it
	From       *Run    // the run as this process sampled it, whose data need not be read again; nil: none
}

// Resume opens a run to continue sampling it from the checkpoints of its chains. The
// draws are the same, to the byte, as if it had never been stopped. With More the run
// becomes what it would be if it had been made with that many draws.
//
// If the next round has begun, the run returned is that round. With Growth it is the next round: the one that has
// begun, or else a new one with a window that is Growth times as long. The spec has its skip and thinning. The draws of the round
// before stay until Sample has made all of the next.
//
// Resume reads the data again, which must not have changed, and the draws. A chain with a
// damaged file, or with a segment that belongs elsewhere, is sampled again from its start,
// with the same draws, and a note says so. The run is locked until Sample returns or Close
// is called.
//
// With Chain the run can only sample that chain, while other processes sample others. Its
// length must be fixed. Resume reads no data if the chain is complete.
//
// Resume returns an error if another build made the run, if run.json was edited, if a
// checkpoint belongs to another run. It returns a HeldError if another process is sampling the
// run or the chain.
func Resume(dir string, o ResumeOptions) (*Run, []string, error) {
	return resume(dir, o, plain)
}

func resume(dir string, o ResumeOptions, wrap func(files.Disk) files.Disk) (*Run, []string, error) {
	dir = filepath.Clean(dir)
	r, err := Open(dir)
	if err != nil {
		return nil, nil, err // there is nothing to lock
	}
	var lock lock
	if o.Chain == 0 {
		lock, err = acquire(r.source, dir)
	} else if err = r.checkChain(o); err == nil {
		r.disk = wrap(r.disk)
		lock, err = r.acquireChain(o.Chain - 1)
	}
	if err != nil {
		return nil, nil, err
	}
	r, err = reopen(r.source, r.inputs, dir)
	if err == nil {
		r.disk, r.lock, r.resumed, r.CheckpointEvery = wrap(r.disk), lock, true, defaultCheckpointEvery
		var notes []string
		if notes, err = r.recallAll(o); err == nil && (o.Growth > 0 || o.AddedDraws == 0 && r.ended() && r.Next() != nil) {
			r, notes, err = r.beginNext(o.Growth, notes)
		}
		if err == nil {
			return r, notes, nil
		}
	}
	lock.release()
	return nil, nil, err
}

// Apart returns an error if the chains of the run cannot be sampled by different processes.
func (r *Run) Apart() error {
	if r.Spec.Sampler.Until != spec.UntilDraws || r.Next() != nil {
		return fmt.Errorf("%s: found a run that is sampled in rounds, which need all its chains, expected one of fixed length (aibd fit --prepare)", r.Dir)
	}
	return nil
}

// checkChain returns an error if the chain of o cannot be sampled without the others.
func (r *Run) checkChain(o ResumeOptions) error {
	switch chains := r.Spec.Sampler.Chains; {
	case o.Chain < 1 || o.Chain > chains:
		return fmt.Errorf("%s: found chain %d, expected 1 to %d", r.Dir, o.Chain, chains)
	case o.AddedDraws > 0 || o.OtherBuild || o.Growth > 0:
		return fmt.Errorf("%s: found a change of the run, expected none while its chains are sampled apart", r.Dir)
	}
	return r.Apart()
}

// adopt takes the problem of run, if r differs from it in the length of its chains only.
func (r *Run) adopt(run *Run) {
	if run == nil || run.problem == nil {
		return
	}
	r.inputs = run.inputs
	p := *run.problem
	p.Spec.Sampler = r.Spec.Sampler
	if reflect.DeepEqual(p.Spec, r.Spec) {
		r.problem = &p
	}
}

// Reopen opens the run in the directory of r to read its draws. It does not read the data again if r
// was sampled.
func (r *Run) Reopen() (*Run, error) {
	now, err := reopen(r.source, r.inputs, r.Dir)
	if err == nil {
		now.adopt(r)
	}
	return now, err
}

// recallAll makes the run ready to be sampled. It changes nothing if it returns an error
// about what it finds.
func (r *Run) recallAll(o ResumeOptions) (notes []string, err error) {
	if o.Chain > 0 {
		if err := r.checkChain(o); err != nil {
			return nil, err // it changed just before it was locked
		}
	}
	changed, err := r.prepare(o)
	if err != nil {
		return nil, err
	}
	if err := r.settle(); err != nil {
		return nil, err
	}
	r.tasks = newTasks(r.Spec.Sampler.Chains)
	if o.Chain > 0 {
		r.tasks = r.tasks[o.Chain-1 : o.Chain]
	}
	if notes, err = r.recallChains(); err != nil {
		return nil, err
	}
	if o.Chain == 0 || !r.tasks[0].ended {
		r.adopt(o.From)
		if r.problem, err = r.Problem(); err != nil {
			return nil, err
		}
	}
	if changed {
		// First: a run that dies in between is the longer one, with some segments from
		// before.
		if err := r.writeRecord(r.Dir); err != nil {
			return nil, err
		}
	}
	for i := range r.tasks {
		for _, segment := range r.tasks[i].stale {
			if err := r.renumber(r.tasks[i].number, segment); err != nil {
				return nil, err
			}
		}
	}
	return notes, nil
}

// recallChains restores the states of the chains of the tasks.
func (r *Run) recallChains() (notes []string, err error) {
	for c := range r.tasks {
		note, err := r.recall(&r.tasks[c])
		if err != nil {
			return nil, err
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	return notes, nil
}

// ended reports whether all chains to sample have made their scans.
func (r *Run) ended() bool {
	for c := range r.tasks {
		if !r.tasks[c].ended {
			return false
		}
	}
	return true
}

// beginNext returns the round after a complete one. If none has begun, it begins one with a window that
// is growth times as long. The damage is what recallAll notes about r.
func (r *Run) beginNext(growth float64, damage []string) (*Run, []string, error) {
	if !r.ended() {
		return nil, nil, fmt.Errorf("%s: found %s, expected a complete round before the next: aibd resume %s completes it",
			r.Dir, cmp.Or(strings.Join(damage, "; "), "a round that is not complete"), verdict.Quoted(r.Dir))
	}
	r.tasks = nil // the states of their chains
	n := r.Next()
	if n == nil {
		n = r.nextRound(growth)
		if err := n.Spec.Validate(); err != nil {
			return nil, nil, err
		}
		if err := n.discard(); err != nil {
			return nil, nil, err
		}
	}
	n.tasks = newTasks(n.Spec.Sampler.Chains)
	notes, err := n.recallChains()
	return n, notes, err
}

// prepare updates the record by the options. It reports whether the record has changed.
func (r *Run) prepare(o ResumeOptions) (changed bool, err error) {
	name := filepath.Join(r.Dir, recordFile)
	if r.edited != nil {
		return false, fmt.Errorf("%w: restore it, or make a new run with aibd fit %s", r.edited, verdict.Quoted(name))
	}
	other := thisProgram(o.Version)
	if err := (Program{r.Aibd, r.Build}).differs(other); err != nil {
		if !o.OtherBuild {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		if n := len(r.OtherPrograms); n == 0 || r.OtherPrograms[n-1] != other {
			r.OtherPrograms = append(r.OtherPrograms, other)
			changed = true
		}
	}
	if o.AddedDraws > 0 {
		if r.Next() != nil {
			return false, fmt.Errorf("%s: found draws of a further round, expected none: aibd resume %s completes that round, then it can be lengthened", r.Dir, verdict.Quoted(r.Dir))
		}
		r.Spec.Sampler.Until = spec.UntilDraws
		r.Spec.Sampler.Draws += min(o.AddedDraws, math.MaxInt32) // Validate refuses the sum
		if err := r.Spec.Validate(); err != nil {
			return false, err
		}
		changed = true
	}
	return changed, nil
}

// recall restores the state of a chain from its checkpoint. The note says, in one line,
// what is damaged.
func (r *Run) recall(t *task) (note string, err error) {
	damage, err := r.sound(t)
	if err != nil {
		return "", err
	}
	checkpoint, err := r.readCheckpoint(t.number)
	var damaged damagedError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil // it had not come far
	case errors.As(err, &damaged):
		return again(t, damaged), nil
	case err != nil:
		return "", err
	}
	if !r.Begun() && checkpoint.Run != r.fingerprint() {
		checkpoint.State.Done = r.Scans() // it has begun the next round
	}
	t.retains = r.Begun() && checkpoint.Run == r.prior.fingerprint()
	if drawn := r.Spec.Sampler.Config().DrawsAt(checkpoint.State.Done); drawn > t.onDisk && !t.retains {
		if damage == nil {
			damage = fmt.Errorf("%s: found %d draws, expected at least the %d before the checkpoint", r.chainDir(t.number), t.onDisk, drawn)
		}
		return again(t, damage), nil
	}
	t.start = &checkpoint
	t.done.Store(int64(checkpoint.State.Done))
	t.elapsed = time.Duration(checkpoint.Seconds * float64(time.Second))
	t.saved = t.elapsed
	t.ended = checkpoint.State.Done == r.Scans()
	return "", nil
}

// again returns the note on a chain that is sampled again.
func again(t *task, damage error) string {
	return fmt.Sprintf("%v; %s is sampled again from its start, with the same draws", damage, model.ChainName(t.number))
}

// sound counts the draws of a chain up to the first segment that cannot be used, and
// returns the damage of that segment. It notes the segments from before the run was
// made longer.
func (r *Run) sound(t *task) (damage, err error) {
	for number := 0; ; number++ {
		reader, err := r.openSegment(t.number, number)
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
		if reader.Header() != r.header(t.number, number) {
			t.stale = append(t.stale, number)
		}
		if reader.Len() < segmentDraws(r.Data.N) {
			return nil, nil
		}
	}
}

// renumber rewrites a segment from before the run was made longer: the number of a draw
// among those of all chains depends on the length.
func (r *Run) renumber(chain, number int) error {
	reader, err := r.openSegment(chain, number)
	if err != nil {
		return err
	}
	rewritten := segment.New(r.header(chain, number))
	for d, err := range reader.Draws() {
		if err != nil {
			return err
		}
		if err := rewritten.Record(d); err != nil {
			return err
		}
	}
	return writeFile(r.disk, r.segmentPath(chain, number), rewritten)
}

// reload fills the recorder of a resumed chain with the draws of its last segment before
// the checkpoint.
func (r *Run) reload(rec *recorder, drawn int) error {
	rec.full = drawn / rec.size
	rec.segment.Reset(rec.full)
	pending := drawn % rec.size
	if pending == 0 {
		return nil
	}
	reader, err := r.openSegment(rec.chain, rec.full)
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
	return fmt.Errorf("%s: found %d draws in the last segment, expected at least %d", r.chainDir(rec.chain), rec.segment.Len(), pending)
}
