package runs

// The draws of a chain on their way to disk.

import (
	"fmt"
	"io"
	"path/filepath"

	"aibd/draws"
)

// segmentDraws is the number of draws a file.
const segmentDraws = 500

// segmentName returns the name of a segment, numbered from zero.
func segmentName(number int) string { return fmt.Sprintf("draws-%05d.parquet", number+1) }

// recorder writes the draws of one chain in segments. After an error it takes no
// more.
type recorder struct {
	disk    disk
	dir     string // of the chain
	segment *draws.Segment
	written int // segments
	err     error
}

// Record keeps d, and writes a segment when it is full.
func (r *recorder) Record(d *draws.Draw) error {
	if r.err != nil {
		return r.err
	}
	if err := r.segment.Record(d); err != nil {
		return err
	}
	if r.segment.Len() == segmentDraws {
		return r.flush()
	}
	return nil
}

// flush writes the draws that no segment holds yet, if any.
func (r *recorder) flush() error {
	if r.err != nil || r.segment.Len() == 0 {
		return r.err
	}
	path := filepath.Join(r.dir, segmentName(r.written))
	r.err = r.disk.write(path, func(w io.Writer) error {
		_, err := r.segment.WriteTo(w)
		return err
	})
	if r.err == nil {
		r.err = syncDir(r.dir)
	}
	if r.err == nil {
		r.segment.Reset()
		r.written++
	}
	return r.err
}
