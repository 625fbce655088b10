package segment

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"aibd/draws"
)

// ReadRun reads the draws of all chains of a run of aibd fit from its directory, such as os.DirFS("aibd-run"):
// chains[c][t] is draw t of chain c.
// They are in the units that run.json of the directory gives. Of a run under way it reads what is on disk, so that
// chains may differ in length. It returns an error if the directory has no draws or a segment is damaged or missing.
func ReadRun(dir fs.FS) (chains [][]*draws.Draw, err error) {
	paths, err := fs.Glob(dir, "chain-*/draws-*.parquet")
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, errors.New("found no draws, expected the directory of a run")
	}
	var all []*Reader
	for _, path := range paths {
		content, err := fs.ReadFile(dir, path)
		if err != nil {
			return nil, err
		}
		r, err := NewReader(bytes.NewReader(content), int64(len(content)), path)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *Reader) int {
		return cmp.Or(cmp.Compare(a.header.Chain, b.header.Chain), cmp.Compare(a.header.Segment, b.header.Segment))
	})
	next := 0 // segment of the chain
	for _, r := range all {
		if r.header.Chain >= len(chains) {
			chains, next = append(chains, nil), 0
		}
		c := len(chains) - 1
		if r.header.Chain != c || r.header.Segment != next || r.header.Run != all[0].header.Run {
			return nil, fmt.Errorf("%s: found segment %d of chain %d of run %s, expected segment %d of chain %d of run %s",
				r.name, r.header.Segment+1, r.header.Chain+1, r.header.Run, next+1, c+1, all[0].header.Run)
		}
		for d, err := range r.Draws() {
			if err != nil {
				return nil, err
			}
			chains[c] = append(chains[c], d)
		}
		next++
	}
	return chains, nil
}
