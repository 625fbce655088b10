package runs

// Reading a run again and again while it is sampled.

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"aibd/draws/segment"
	"aibd/internal/files"
)

// Follower reads the draws of a run as they grow. Its fields describe the last Update.
type Follower struct {
	Run     *Run          // the round under way, or the last one
	Stated  *Run          // the round that run.json states, which is complete if another one is under way
	Reports []ChainReport // that can be read, by chain; of both rounds
	Traces  []Trace       // by chain, all draws of the round on disk
	Damage  []string      // files that cannot be used, a line each
	Restart int           // grows when Traces starts over

	below  files.Below
	name   string
	record fs.FileInfo // run.json
	chains []followedChain
}

// followedChain is where the reading of a chain stands.
type followedChain struct {
	last   fs.FileInfo // the last segment read
	damage string
}

// Follow returns a Follower of a run in a directory with the given name below another, see
// OpenBelow.
func Follow(below files.Below, name string) *Follower { return &Follower{below: below, name: name} }

// Update reads what is new. An error is about run.json, and is an fs.ErrNotExist if the run
// was removed.
func (f *Follower) Update() error {
	path := filepath.Join(f.below.Root.Name(), f.name, recordFile)
	info, err := f.below.Dir().Stat(path)
	if err != nil {
		f.Stated, f.Run = nil, nil // another run may take its place
		return files.Named(path, err)
	}
	if f.Stated == nil || !sameFile(f.record, info) {
		if f.Stated, err = OpenBelow(f.below, f.name); err != nil {
			return err
		}
		f.record = info
	}
	var damage string
	if f.Reports, damage = f.Stated.Reports(); damage != "" {
		f.Damage = []string{damage}
	} else {
		f.Damage = nil
	}
	round := f.Stated.UnderWay(f.Reports)
	if f.Run == nil || round.fingerprint() != f.Run.fingerprint() ||
		round.Spec.Sampler.Chains != f.Run.Spec.Sampler.Chains || round.Spec.Sampler.Draws != f.Run.Spec.Sampler.Draws {
		f.Restart++
		f.Traces = make([]Trace, round.Spec.Sampler.Chains)
		f.chains = make([]followedChain, len(f.Traces))
		for c := range f.Traces {
			f.Traces[c].Chain = c
		}
	}
	f.Run = round
	for c := range f.Traces {
		f.followChain(c)
		if damage := f.chains[c].damage; damage != "" {
			f.Damage = append(f.Damage, damage)
		}
	}
	return nil
}

// followChain reads the new draws of a chain, up to the first segment that is missing or
// cannot be used.
func (f *Follower) followChain(c int) {
	size := segmentDraws(f.Run.Data.N)
	for {
		drawn := f.Traces[c].Len()
		number := drawn / size
		info, err := f.Run.statSegment(c, number)
		if errors.Is(err, fs.ErrNotExist) || err == nil && sameFile(f.chains[c].last, info) {
			return
		}
		f.chains[c] = followedChain{last: info}
		longer := f.Traces[c].cut(number * size)
		if err == nil {
			var reader *segment.Reader
			if reader, err = f.Run.openSegment(c, number); err == nil {
				err = f.Run.extend(&longer, reader.Rows())
			}
		}
		if err != nil {
			f.chains[c].damage = err.Error()
			return
		}
		f.Traces[c] = longer
		if longer.Len() < (number+1)*size {
			return
		}
	}
}

// Common returns the draws of most chains, in traces of equal length, as Scalars does. It
// returns nil if there are none.
func (f *Follower) Common() []Trace {
	length := common(f.Traces)
	if length == 0 {
		return nil
	}
	var traces []Trace
	for _, t := range f.Traces {
		if t.Len() >= length {
			traces = append(traces, t.cut(length))
		}
	}
	return traces
}

// sameFile reports whether a file has not changed.
func sameFile(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
