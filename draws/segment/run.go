package segment

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"aibd/draws"
)

// ReadRun reads the draws of all chains of a run of aibd fit from its directory, such as os.DirFS("aibd-run"):
// chains[c][t] is draw t of chain c. They are in the units that run.json of the directory gives. Of a run under way it
// reads what is on disk: chains may differ in length, and those after the last one with draws are not there.
//
// ReadRun returns an error if it finds no draws, a damaged segment, or a gap between segments.
func ReadRun(dir fs.FS) (chains [][]*draws.Draw, err error) {
	paths, err := fs.Glob(dir, "chain-*/draws-*.parquet") // those of a chain in order
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, errors.New("found no draws, expected the directory of a run")
	}
	var next []int // segment, by chain
	run := ""
	for _, path := range paths {
		content, err := fs.ReadFile(dir, path)
		if err != nil {
			return nil, err
		}
		r, err := NewReader(bytes.NewReader(content), int64(len(content)), path)
		if err != nil {
			return nil, err
		}
		h := r.header
		for len(chains) <= h.Chain {
			chains, next = append(chains, nil), append(next, 0)
		}
		if path == paths[0] {
			run = h.Run
		}
		if h.Segment != next[h.Chain] || h.Run != run {
			return nil, fmt.Errorf("%s: found segment %d of chain %d of run %s, expected segment %d of run %s", path, h.Segment+1, h.Chain+1, h.Run, next[h.Chain]+1, run)
		}
		next[h.Chain]++
		for d, err := range r.Draws() {
			if err != nil {
				return nil, err
			}
			chains[h.Chain] = append(chains[h.Chain], d)
		}
	}
	return chains, nil
}
