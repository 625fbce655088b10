package runs

// Writing the draws of a chain.

import (
	"fmt"

	"aibd/draws"
	"aibd/draws/segment"
	"aibd/internal/files"
	"aibd/internal/model"
)

// segmentDraws is model.SegmentDraws, except in tests of runs with many short segments.
var segmentDraws = model.SegmentDraws

// segmentName returns the name of a segment, numbered from zero.
func segmentName(number int) string { return fmt.Sprintf("draws-%05d.parquet", number+1) }

// recorder writes the draws of one chain in segments. It may write the last one before it
// is full, and again when it is. After an error it records nothing.
type recorder struct {
	disk    files.Disk
	path    func(chain, number int) string // of a segment
	chain   int
	segment *segment.Segment
	size    int // draws of a full segment
	full    int // segments written that are full
	onDisk  int // draws, in order from the first; there may be more than were recorded
	err     error
}

func newRecorder(d files.Disk, path func(chain, number int) string, h segment.Header, onDisk int) *recorder {
	return &recorder{disk: d, path: path, chain: h.Chain, segment: segment.New(h), size: segmentDraws(h.N), onDisk: onDisk}
}

// drawn returns the number of draws recorded.
func (r *recorder) drawn() int { return r.full*r.size + r.segment.Len() }

// Record keeps d, and writes a segment when it is full.
func (r *recorder) Record(d *draws.Draw) error {
	if r.err != nil {
		return r.err
	}
	if err := r.segment.Record(d); err != nil {
		return err
	}
	if r.segment.Len() < r.size {
		return nil
	}
	if r.write(); r.err == nil {
		r.full++
		r.segment.Reset(r.full)
	}
	return r.err
}

// flush writes the draws that are not on disk yet, if any.
func (r *recorder) flush() error {
	// A resumed chain repeats the draws after its checkpoint. Do not replace a longer
	// file by a shorter one.
	if r.err == nil && r.drawn() > r.onDisk {
		r.write()
	}
	return r.err
}

// write writes the segment in hand.
func (r *recorder) write() {
	r.err = writeFile(r.disk, r.path(r.chain, r.full), r.segment)
	if r.err == nil {
		r.onDisk = max(r.onDisk, r.drawn())
	}
}
