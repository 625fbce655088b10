package model

// X of a run, read again.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"aibd/internal/spec"
)

// Observations returns the given columns of X, N x D, after the transformations that d
// asks for. It reads the data again, from the file that d names, relative to the
// working directory. The file must have the SHA-256 noted in sources, and the items
// must have the given ids. An error names the file and its SHA-256.
func Observations(d spec.Data, noted []Source, ids, columns []string) ([][]float64, error) {
	d.Side = "" // covariates are not in X
	files := sources{memory: available()}
	if d.File != "" {
		if err := unchanged(d.File, noted, &files); err != nil {
			return nil, err
		}
	}
	t, err := load(d, &files, files.memory.holds)
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
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		// A pipe would be waited for.
		return fmt.Errorf("%s: found no regular file, expected the one of the run, with SHA-256 %s", file, expected)
	}
	err = s.read(file, func(r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w, expected the one of the run, with SHA-256 %s", err, expected)
	}
	if err != nil {
		return err
	}
	if found := s.list[len(s.list)-1].SHA256; found != expected {
		return fmt.Errorf("%s: found a file with SHA-256 %s, expected the one of the run, with %s", file, found, expected)
	}
	return nil
}
