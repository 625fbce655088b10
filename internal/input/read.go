package input

// What the files of a spec say, file by file.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"aibd/dataset"
	"aibd/feature"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/internal/words"
	"aibd/similarity"
)

// A reader fills an input.
type reader struct {
	*Files
	in   *model.Input
	fits func(dataset.Extent) error // checks the extent of the data file before it is read

	rows []int // of the sample of the data file, if the items are one
}

// begin returns a reader of the files of a spec.
func (f *Files) begin(s spec.Spec) (*reader, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	in := &model.Input{OpenLaw: s.Prior.Law == "", Spec: s.Complete(), Given: s, Sources: []model.Source{}, Memory: f.memory()}
	if decay := s.Prior.Decay; in.Spec.Prior.Law == "ibp" && decay != "" && decay != spec.Default().Prior.Decay {
		in.Notes = append(in.Notes, fmt.Sprintf("the decay %s is not used: the law is ibp", decay))
	}
	return &reader{Files: f, in: in, fits: func(e dataset.Extent) error {
		return model.Forecast(s.CompleteFor(s.Data.Items(e.Rows)), f.memory())(e)
	}}, nil
}

// finish returns the input after some steps.
func (r *reader) finish(steps ...func() error) (*model.Input, error) {
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.in, nil
}

// form returns how tables are read.
func form(d spec.Data) []dataset.Option {
	return []dataset.Option{dataset.Marks(d.Missing...), dataset.Header(d.Header)}
}

// advised adds to the error of a table what to do about it.
func advised(err error) error {
	switch {
	case errors.Is(err, dataset.ErrHeader):
		return fmt.Errorf("%w (--set data.header=true takes the numbers for names)", err)
	case errors.Is(err, dataset.ErrIDs):
		return fmt.Errorf("%w (--id - numbers the items, --id NAME takes another column)", err)
	}
	return err
}

// named reads a table of items that are named as in the data. It must have names if the spec names
// their column.
func (r *reader) named(file string, names model.Names) (*dataset.Table, error) {
	d := r.in.Spec.Data
	t, err := read(r, file, fmt.Sprint(names, d.Missing, d.Header), r.memory().Holds, func(text io.Reader, name string) (*dataset.Table, error) {
		return dataset.ReadNamed(text, name, names.Column, names.Numbers, append(form(d), dataset.Like(names.Decimals))...)
	})
	if err == nil {
		r.form(t)
	}
	if err == nil && t.IDs == nil && d.ID != "" && d.ID != dataset.None {
		return nil, fmt.Errorf("%s: %w", file, hint.Unknown("column", d.ID, t.Columns))
	}
	return t, err
}

// items reads the data. Built-in data and presets come with covariates.
func (r *reader) items() error {
	d := r.in.Spec.Data
	if d.Builtin != "" || d.Preset == "alzheimers" {
		set, err := once(r.Files, reading{file: d.Builtin, as: "a built-in set"}, func() (*dataset.Set, error) { return dataset.Load(d.Builtin) })
		if d.Builtin == "" {
			set, err = read(r, d.File, "", anyExtent, dataset.ParseAlzheimers)
		}
		if err == nil {
			r.in.Items, r.in.Side = set.X, set.Side
		}
		return err
	}
	items, err := read(r, d.File, fmt.Sprint(d.ID, d.Missing, d.Header), r.fits, func(text io.Reader, name string) (*dataset.Table, error) {
		t, err := dataset.ReadTable(text, name, d.ID, form(d)...)
		if err == nil && looksLikeNames(t) {
			t = t.NamedByNumbers()
		}
		return t, advised(err)
	})
	if err != nil {
		return err
	}
	r.in.Items = r.sampled(items)
	if s := r.in.Given.CompleteFor(r.in.Items.N()); r.in.OpenLaw && s.Prior.Law != r.in.Spec.Prior.Law {
		r.in.Spec = s
		r.note(fmt.Sprintf("more than %d items: the law is ibp, and the weights of near items are alike (--prior aibd lets near items share features too)", spec.ManyItems))
	}
	r.form(items)
	if items.EmptyRows > 0 {
		r.note(fmt.Sprintf("%s: %s with only empty cells at the end: not used", items.Name, words.Plural(items.EmptyRows, "row")))
	}
	r.note(repeatedName(items))
	r.note(perhapsCodes(items, r.in.Spec))
	if items.NumericHeader {
		r.note(fmt.Sprintf("%s: the first line names the columns by numbers: %s", items.Name, hint.Listed(items.Columns, 4)))
	}
	return nil
}

// form notes how a file differs from plain CSV.
func (r *reader) form(t *dataset.Table) {
	if t.Form != "" {
		r.note(t.Name + ": " + t.Form)
	}
}

// note adds a note, unless it is empty.
func (r *reader) note(note string) {
	if note != "" {
		r.in.Notes = append(r.in.Notes, note)
	}
}

// looksLikeNames reports whether the first column of a table holds distinct whole numbers that
// increase, have leading zeros, or whose column is called like names.
func looksLikeNames(t *dataset.Table) bool {
	numbers := t.Numbers()
	if numbers == nil {
		return false
	}
	increasing := len(numbers) >= minIncreasing && slices.IsSortedFunc(numbers, func(a, b string) int {
		x, _ := strconv.ParseFloat(a, 64) // of a number
		y, _ := strconv.ParseFloat(b, 64)
		return cmp.Compare(x, y)
	})
	return increasing || model.LeadingZeros(numbers) || slices.Contains(calledLikeNames, strings.ToLower(t.Columns[0]))
}

// perhapsCodes returns a line if the first column of a table may hold codes of the items, which are data: distinct whole
// numbers, all of the same number of digits, and at least minDigits.
func perhapsCodes(t *dataset.Table, s spec.Spec) string {
	numbers := t.Numbers()
	if len(numbers) < minIncreasing || s.Data.ID == dataset.None || len(s.Data.Columns) > 0 {
		return ""
	}
	column := t.Columns[0]
	for _, cell := range numbers {
		if len(cell) != len(numbers[0]) || len(cell) < minDigits || strings.Trim(cell, "0123456789") != "" {
			return ""
		}
	}
	if slices.ContainsFunc(s.Distances(), func(d spec.Distance) bool { return slices.Contains(d.Columns, column) }) {
		return ""
	}
	return fmt.Sprintf("%s: distinct whole numbers, perhaps codes of the items: --id %s (--id - keeps the numbers)", column, column)
}

// minDigits is the number of digits from which on numbers may be codes.
const minDigits = 3

// repeatedName returns a line if the first column would name the items, as in looksLikeNames, except that less than a tenth
// of its numbers occur again.
func repeatedName(t *dataset.Table) string {
	column := t.Columns[0]
	values, err := t.Float(column)
	if err != nil || t.Numbers() != nil || t.IDColumn == column || slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) }) {
		return ""
	}
	if !slices.IsSorted(values) && !slices.Contains(calledLikeNames, strings.ToLower(column)) {
		return ""
	}
	last := lists.Positions(values)
	if again := len(values) - len(last); again == 0 || 10*again >= len(values) {
		return ""
	}
	first := 0
	for last[values[first]] == first {
		first++
	}
	return fmt.Sprintf("%s: %v occurs again in a later line, so the column is data and does not name the items (--columns '!%s' leaves it out)", t.Where(first, column), values[first], column)
}

// minIncreasing is the number of items from which on increasing numbers are names: fewer
// measurements may increase by chance.
const minIncreasing = 5

var calledLikeNames = []string{
	"case", "code", "date", "individual", "item", "key", "no", "nr", "observation", "participant", "patient",
	"patient_id", "person", "respondent", "sample", "sample_id", "site", "station", "subject_id", "year",
}

// side replaces the covariates of a set by those of the side file, if there is one. Its
// ids are in the column that has them in the data file. The data file itself may be named again.
func (r *reader) side() error {
	d := r.in.Spec.Data
	if d.Side == "" || d.Side == d.File || d.Preset == "alzheimers" {
		return nil
	}
	side, err := r.named(d.Side, r.in.Names())
	if err != nil {
		return err
	}
	var note string
	if r.in.Whole == nil {
		r.in.Side, note, err = r.in.Items.Align(side)
	} else if side, note, err = r.in.Whole.Align(side); err == nil {
		r.in.Side = side.Sample(r.rows)
	}
	r.note(note)
	return err
}

// held reads the names of hidden cells.
func (r *reader) held() (err error) {
	if file := r.in.Spec.Data.HoldoutFile; file != "" {
		r.in.Held, err = read(r, file, "", anyExtent, func(text io.Reader, name string) ([][2]string, error) {
			return dataset.ReadPairs(text, name, "an item and a variable")
		})
	}
	return err
}

// distances reads distances or proximities.
func (r *reader) distances() (err error) {
	law := r.in.Spec.Prior
	if file := law.ProximityFile(); file != "" {
		if r.in.Distances, err = r.matrix(file); errors.Is(err, fs.ErrNotExist) {
			// It may be a misspelled word.
			err = spec.Errorf("prior.proximity", "expected sequential, symmetric or a file: %w", err)
		}
		return err
	}
	if !r.in.Spec.HasDistances() {
		return nil
	}
	for k, d := range r.in.Spec.Distances() {
		m, err := r.distance(d)
		if err != nil {
			return err
		}
		if k == 0 {
			r.in.Distances = m
		} else {
			r.in.FurtherMatrices = append(r.in.FurtherMatrices, m)
		}
	}
	return nil
}

// distance reads a distance, nil if it is not from a file.
func (r *reader) distance(d spec.Distance) (*similarity.Matrix, error) {
	items := r.in.Items
	switch d.Kind {
	case "matrix":
		return r.matrix(d.File)
	case "tree":
		if items == nil {
			return nil, spec.Errorf("distance.file", "found the tree %s without data, expected the items that are its tips", d.File)
		}
		return r.noted(read(r, d.File, fmt.Sprintf("tree of %p", items), anyExtent, func(text io.Reader, name string) (m notedMatrix, err error) {
			m.Matrix, m.note, err = items.ReadTree(text, name)
			return m, err
		}))
	}
	return nil, nil
}

// A notedMatrix is a matrix with a note on how its rows are matched.
type notedMatrix struct {
	*similarity.Matrix
	note string
}

// noted adds the note of a matrix.
func (r *reader) noted(m notedMatrix, err error) (*similarity.Matrix, error) {
	r.note(m.note)
	return m.Matrix, err
}

// matrix reads a square matrix of the items.
func (r *reader) matrix(file string) (*similarity.Matrix, error) {
	items := r.in.Items
	return r.noted(read(r, file, fmt.Sprintf("%p", items), r.memory().HoldsMatrix, func(text io.Reader, name string) (m notedMatrix, err error) {
		if items == nil {
			m.Matrix, err = dataset.ReadMatrix(text, name)
		} else {
			m.Matrix, m.note, err = items.ReadMatrix(text, name)
		}
		return m, err
	}))
}

// init reads Z at the start, or if features have weights G, if it comes from a file.
func (r *reader) init() (err error) {
	file := r.in.Spec.Sampler.InitFile()
	if file == "" {
		return nil
	}
	if r.in.Spec.Likelihood.HasWeights() {
		r.in.Init, err = read(r, file, "", anyExtent, feature.ReadWeighted)
	} else {
		r.in.Init.Z, err = read(r, file, "", anyExtent, feature.ReadText)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = spec.Errorf("sampler.init", "%w", err)
	}
	return err
}
