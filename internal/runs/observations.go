package runs

// X of a run, read again.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Observations returns X of the run, N x D, after everything that was done to it. It is
// read again from the file that the spec names, relative to the working directory, which
// must be the same to the byte; nothing else that the run was made from is needed. An
// error names the file and its SHA-256.
func (r *Run) Observations() ([][]float64, error) {
	d := r.Spec.Data
	d.Side = "" // covariates are not in X
	files := sources{memory: available()}
	if d.File != "" {
		if err := r.unchanged(d.File, &files); err != nil {
			return nil, err
		}
	}
	t, err := load(d, &files, files.memory.holds)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(t.ids(), r.Data.IDs) {
		return nil, fmt.Errorf("%s: found other items than in %s", t.items.Name, filepath.Join(r.Dir, recordFile))
	}
	return t.observations(d, r.Data.Columns)
}

// unchanged reports an error unless a file has the content that it had for the run.
func (r *Run) unchanged(file string, s *sources) error {
	i := slices.IndexFunc(r.Data.Sources, func(of Source) bool { return of.File == file })
	if i < 0 {
		return fmt.Errorf("%s: data.sources: found no %s, expected the file of the data", filepath.Join(r.Dir, recordFile), file)
	}
	expected := r.Data.Sources[i].SHA256
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
