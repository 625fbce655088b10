package model

// X of a run, read again.

import (
	"fmt"
	"io"
	"math"
	"slices"

	"aibd/internal/files"
	"aibd/internal/spec"
)

// Observations returns the given columns of X, N x D, after the transformations that d
// asks for. It reads the data again, from the file that d names, relative to the
// working directory. The file must have the SHA-256 noted in sources, and the items
// must have the given ids. An error names the file and its SHA-256.
func Observations(d spec.Data, noted []Source, ids, columns []string) ([][]float64, error) {
	d.Side = "" // covariates are not in X
	read := sources{memory: available()}
	if d.File != "" {
		if err := unchanged(d.File, noted, &read); err != nil {
			return nil, err
		}
	}
	t, err := load(d, &read, read.memory.holds)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(t.ids(), ids) {
		return nil, fmt.Errorf("%s: found other items than those of the run", t.items.Name)
	}
	return t.observations(d, columns)
}

// unchanged reports an error unless a file has the content that is noted of it.
func unchanged(file string, noted []Source, s *sources) error {
	i := slices.IndexFunc(noted, func(of Source) bool { return of.File == file })
	if i < 0 {
		return fmt.Errorf("data.sources: found no %s, expected the file of the data", file)
	}
	expected := noted[i].SHA256
	f, _, err := files.OpenRegular(file, math.MaxInt64)
	if err != nil {
		return fmt.Errorf("%w: the run read one with SHA-256 %s", err, expected)
	}
	defer f.Close()
	if err := s.parse(file, f, func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err }); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if found := s.list[0].SHA256; found != expected {
		return fmt.Errorf("%s: found a file with SHA-256 %s, expected the one of the run, with %s", file, found, expected)
	}
	return nil
}
