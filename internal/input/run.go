package input

// The files of a run, read again.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/permutation"
	"aibd/internal/spec"
	"aibd/similarity"
)

// A Run reads the files of a run again. They must have the SHA-256 that is noted, and the items the
// ids of the run.
type Run struct {
	files   *Files
	spec    spec.Spec // complete
	sources []model.Source
	ids     []string
}

// Run returns the files of a run with a complete spec, which read the sources and found items with
// the given ids.
func (f *Files) Run(s spec.Spec, sources []model.Source, ids []string) *Run {
	return &Run{f, s, sources, ids}
}

// Build returns the problem of another spec of the same files.
func (r *Run) Build(s spec.Spec) (*model.Problem, error) { return r.files.Build(s) }

// Problem returns what the spec builds. An error about a file names its SHA-256.
func (r *Run) Problem() (*model.Problem, error) {
	p, err := r.Build(r.spec)
	for _, s := range r.sources {
		if r.files.sum(s.File) != s.SHA256 {
			return nil, r.unchanged(s.File, err)
		}
	}
	if err == nil && !slices.Equal(p.IDs, r.ids) {
		return nil, fmt.Errorf("%s: found other items than those of the run", r.spec.Data.Source())
	}
	return p, err
}

// Places returns the places of the items, see model.Input.Places.
func (r *Run) Places() (*model.Places, error) {
	in, err := r.covariates()
	if err != nil {
		return nil, err
	}
	return in.Places()
}

// Newcomers reads new items from a file with the columns of X, and their covariates from it or from
// side, unless that is "".
func (r *Run) Newcomers(seen *model.Observed, columns []string, file, side string) (*model.Newcomers, error) {
	s := r.spec
	if err := model.TakesNewcomers(s); err != nil {
		return nil, err
	}
	before := s.Data
	s.Data.File, s.Data.Side = file, side
	fresh := &reader{Files: New(), in: &model.Input{Spec: s}}
	var err error
	named := seen.Names
	if side != "" && before.Side != "" { // numbers are written as in the side file of the run too
		run, err := r.covariates()
		if err != nil {
			return nil, err
		}
		named.Decimals = run.Names().Decimals
	}
	if fresh.in.Items, err = fresh.named(file, named); err != nil {
		return nil, err
	}
	if err := fresh.side(); err != nil {
		names := fresh.in.Names().Column
		if !errors.Is(err, fs.ErrNotExist) && names != seen.Names.Column && slices.ContainsFunc(s.Distances(), func(d spec.Distance) bool { return slices.Contains(d.Columns, names) }) {
			return nil, fmt.Errorf("%s: found the names of the items in the column %s, which the distances use, expected them in a column of another name", file, hint.Quoted(names))
		}
		return nil, err
	}
	if side == "" && before.Side != "" && before.Side != before.File {
		var missing []string
		for _, d := range s.Distances() {
			for _, column := range d.Columns {
				if !fresh.in.Items.Has(column) && !strings.ContainsAny(column, `*?[\`) && !slices.Contains(missing, column) {
					missing = append(missing, column)
				}
			}
		}
		if missing != nil {
			return nil, fmt.Errorf("%s: found no %s, which the run took from %s: give --side", file, hint.Listed(missing, 10), before.Side)
		}
	}
	return model.BuildNewcomers(fresh.in, seen, columns, func() (*model.Input, []*similarity.Matrix, error) {
		in, err := r.covariates()
		if err != nil {
			return nil, nil, err
		}
		along := make([]*similarity.Matrix, len(s.Distances()))
		for k, d := range s.Distances() {
			if d.Kind == "tree" {
				if along[k], err = r.along(d.File, fresh.in.Items); err != nil {
					return nil, nil, err
				}
			}
		}
		return in, along, nil
	})
}

// along returns the distances of the items of the run, and then of new ones, along the tree of a file. A new item
// with the name of an item of the run is the same tip.
func (r *Run) along(file string, fresh *dataset.Table) (*similarity.Matrix, error) {
	if fresh.IDs == nil {
		return nil, fmt.Errorf("%s: found no names of items, expected tips of %s", fresh.Name, file)
	}
	tips, run := slices.Clone(r.ids), dataset.LookupTip(r.ids)
	tipOf := permutation.Identity(len(tips)) // by item, its tip
	for _, id := range fresh.IDs {
		tip, ok := run(id)
		if !ok {
			tip, tips = len(tips), append(tips, id)
		}
		tipOf = append(tipOf, tip)
	}
	all, err := read(&reader{Files: r.files, in: &model.Input{}}, file, fmt.Sprintf("tips of %p", fresh), anyExtent, func(text io.Reader, name string) (*similarity.Matrix, error) {
		m, _, err := dataset.ReadTree(text, name, tips, fresh.Name)
		return m, err
	})
	if err := r.unchanged(file, err); err != nil {
		return nil, err
	}
	return similarity.NewMatrix(lists.Map(tipOf, func(row int) []float64 {
		return lists.Map(tipOf, func(column int) float64 { return all.At(row, column) })
	}))
}

// items reads the data of the run.
func (r *Run) items() (*reader, error) {
	data := &reader{Files: r.files, in: &model.Input{Spec: r.spec}, fits: r.files.memory().Holds}
	if err := r.unchanged(r.spec.Data.File, data.items()); err != nil {
		return nil, err
	}
	if !slices.Equal(data.in.IDs(), r.ids) {
		return nil, fmt.Errorf("%s: found other items than those of the run", data.in.Items.Name)
	}
	return data, nil
}

// covariates reads the data of the run and its covariates.
func (r *Run) covariates() (*model.Input, error) {
	reader, err := r.items()
	if err == nil {
		err = r.unchanged(r.spec.Data.Side, reader.side())
	}
	if err != nil {
		return nil, err
	}
	return reader.in, nil
}

// unchanged reports an error unless a file of the run, "" for none, has the content that is noted of
// it. Reading the file gave the error err, which may be nil.
func (r *Run) unchanged(file string, err error) error {
	if file == "" {
		return err
	}
	i := slices.IndexFunc(r.sources, func(source model.Source) bool { return source.File == file })
	if i < 0 {
		return fmt.Errorf("data.sources: found no %s, expected the file of the data", file)
	}
	want, got := r.sources[i].SHA256, r.files.sum(file)
	switch {
	case got == "" && err != nil:
		return fmt.Errorf("%w: the run read one with SHA-256 %s", err, want)
	case got != want:
		return fmt.Errorf("%s: found a file with SHA-256 %s, expected the one of the run, with %s", file, got, want)
	}
	return err
}
