package runs

// The draws of a chain on their way to disk.

import (
	"fmt"
	"io"
	"path/filepath"

	"aibd/draws"
	"aibd/internal/model"
)

// segmentName returns the name of a segment, numbered from zero.
func segmentName(number int) string { return fmt.Sprintf("draws-%05d.parquet", number+1) }

// recorder writes the draws of one chain in segments. The last one may be written
// before it is full, and again when it is. After an error it takes no more.
type recorder struct {
	disk    disk
	dir     string // of the chain
	header  draws.Header
	segment *draws.Segment
	size    int // draws of a full segment
	full    int // segments written that are full
	onDisk  int // draws, in order from the first; there may be more than were recorded
	err     error
}

func newRecorder(d disk, dir string, h draws.Header, onDisk int) *recorder {
	return &recorder{disk: d, dir: dir, header: h, segment: draws.NewSegment(h), size: model.SegmentDraws(h.N), onDisk: onDisk}
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
		r.segment.Reset()
		r.full++
	}
	return r.err
}

// flush writes the draws that are not on disk yet, if any.
func (r *recorder) flush() error {
	// A chain that goes on from a checkpoint draws again what was drawn after it:
	// the same draws, to the byte. A shorter file would replace a longer one.
	if r.err == nil && r.drawn() > r.onDisk {
		r.write()
	}
	return r.err
}

// write writes the segment in hand.
func (r *recorder) write() {
	r.err = writeSegment(r.disk, filepath.Join(r.dir, segmentName(r.full)), r.segment)
	if r.err == nil {
		r.onDisk = max(r.onDisk, r.drawn())
	}
}

// writeSegment writes the file of a segment.
func writeSegment(d disk, name string, s *draws.Segment) error {
	return replace(d, name, func(w io.Writer) error {
		_, err := s.WriteTo(w)
		return err
	})
}
