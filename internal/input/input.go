// Package input reads the files that a spec names, each once.
package input

import (
	"aibd/internal/model"
	"aibd/internal/spec"
)

// Build reads the files that a spec names, relative to the working directory, and returns its
// problem, see model.Build.
func Build(s spec.Spec) (*model.Problem, error) { return New().Build(s) }

// Build reads the files of a spec and returns its problem, see model.Build.
func (f *Files) Build(s spec.Spec) (*model.Problem, error) {
	in, err := f.Read(s)
	if err != nil {
		return nil, err
	}
	return model.Build(in)
}

// Read reads the files of a spec. Errors name the file, the row and the column.
func (f *Files) Read(s spec.Spec) (*model.Input, error) {
	r, err := f.begin(s)
	if err != nil {
		return nil, err
	}
	return r.finish(r.items, r.side, r.held, r.distances, r.init)
}

// ReadPrior reads the files of the law of a spec. The items come from the data, if the spec names
// any.
func (f *Files) ReadPrior(s spec.Spec) (*model.Input, error) {
	r, err := f.begin(s)
	if err != nil {
		return nil, err
	}
	r.fits = f.memory().Holds
	if s.Data.File == "" && s.Data.Builtin == "" {
		return r.finish(r.distances)
	}
	return r.finish(r.items, r.side, r.distances)
}
