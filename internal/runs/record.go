package runs

// run.json.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"

	"aibd/internal/files"
	"aibd/internal/model"
	"aibd/internal/spec"
)

const recordFile = "run.json"

// format is the version of run.json.
const format = 2

// record is what run.json holds. The same spec, data and program give the same
// bytes: it has no times.
type record struct {
	Aibd   string    `json:"aibd"` // version of the program that made the run
	Format int       `json:"format"`
	Build  buildInfo `json:"build"`
	Seed   uint64    `json:"seed"`
	Given  given     `json:"given"` // settings of the user that are not the default, without the length of the chains
	Spec   spec.Spec `json:"spec"`  // complete, with what was resolved from the data
	Data   DataInfo  `json:"data"`
	// Folder is the directory of relative paths in the spec, as a path from the directory above the run, with
	// slashes. "" is that directory.
	Folder        string    `json:"folder,omitempty"`
	OtherPrograms []Program `json:"others"` // other programs that resumed the run
	CRC32C        string    `json:"crc32c"`
}

// DataInfo describes the data of a run.
type DataInfo struct {
	Hash string `json:"hash"` // see model.Problem
	N    int    `json:"n"`
	D    int    `json:"d"`
	Unit string `json:"unit"` // of the distances
	// TemperatureUnit is the distance by which the prior of the temperature multiplies
	// it, see model.Problem.
	TemperatureUnit  float64                `json:"temperature_unit"`
	IDs              []string               `json:"ids"`
	Columns          []string               `json:"columns"`
	Sources          []model.Source         `json:"sources"`
	Bounded          int                    `json:"bounded,omitempty"`   // cells of X between bounds, whose values the draws have
	Cutpoints        []string               `json:"cutpoints,omitempty"` // names of the unknown cutpoints, whose values the draws have
	FurtherDistances []model.Measured       `json:"further,omitempty"`   // distances after the first
	Noise            []string               `json:"noise,omitempty"`     // columns of X whose noise scales are unknown
	Shares           int                    `json:"shares,omitempty"`    // shares of the variance of the weights, the own one not counted; 0: weights are independent
	Weights          []model.WeightDistance `json:"weights,omitempty"`   // distances that weights follow
}

// Distances returns the units of all distances: one, unless there are several.
func (d DataInfo) Distances() []model.Measured {
	return append([]model.Measured{{Unit: d.Unit, TemperatureUnit: d.TemperatureUnit}}, d.FurtherDistances...)
}

// furtherTemperatures returns the number of temperatures of the law after the first.
func (d DataInfo) furtherTemperatures(p spec.Prior) int {
	if !p.HasDistances() { // weights alone follow distances
		return 0
	}
	return len(d.FurtherDistances)
}

// noiseScales returns the number of noise scales of a draw.
func (d DataInfo) noiseScales() int {
	if len(d.Noise) == 0 {
		return 0
	}
	return d.D
}

// given is a spec that was given. Its JSON has what differs from the default.
type given spec.Spec

// MarshalJSON returns an object.
func (g given) MarshalJSON() ([]byte, error) {
	var values [2]any
	for k, s := range []spec.Spec{spec.Spec(g), spec.Default()} {
		text, err := json.Marshal(s)
		if err == nil {
			d := json.NewDecoder(bytes.NewReader(text))
			d.UseNumber() // a seed may be larger than a float64 is exact
			err = d.Decode(&values[k])
		}
		if err != nil {
			return nil, err
		}
	}
	return json.Marshal(different(values[0], values[1]))
}

// setLength sets the number and the length of the chains, which each round changes.
func (g *given) setLength(o spec.Sampler) {
	s := &g.Sampler
	s.Chains, s.Warmup, s.Round, s.Skip, s.Draws, s.Thin, s.Until = o.Chains, o.Warmup, o.Round, o.Skip, o.Draws, o.Thin, o.Until
}

// different returns what a value of JSON has that another one does not have: of an object the members, of an array
// the elements that differ from the first of the other one.
func different(value, base any) any {
	switch v := value.(type) {
	case map[string]any:
		members, _ := base.(map[string]any)
		for key, member := range v {
			if reflect.DeepEqual(member, members[key]) {
				delete(v, key)
			} else {
				v[key] = different(member, members[key])
			}
		}
	case []any:
		if list, _ := base.([]any); len(list) > 0 {
			for i := range v {
				v[i] = different(v[i], list[0])
			}
		}
	}
	return value
}

// ReadSpec returns the spec of a run.json as it was given, to repeat the run with the program of the given
// version. The paths of its files count from the working directory. The notes say, a line each, why the draws may not be
// the same to the byte: run.json was edited, or another build made the run.
func ReadSpec(name, version string) (s spec.Spec, notes []string, err error) {
	r, edited, err := readRecord(files.OS{}, name)
	if err != nil {
		return s, nil, err
	}
	if edited != nil {
		notes = append(notes, edited.Error())
	}
	if err := (Program{r.Aibd, r.Build}).differs(thisProgram(version)); err != nil {
		notes = append(notes, fmt.Sprintf("%s: %v: the bytes of the draws may differ", name, err))
	}
	source := files.Beside{Source: files.OS{}, Dirs: r.folders(filepath.Dir(name))}
	r.Given.setLength(r.Spec.Sampler)
	s = spec.Spec(r.Given)
	s.Data.Hash = r.Spec.Data.Hash
	return s.WithFiles(source.Path), notes, nil
}

// Resolved returns the resolved data settings of a run.json.
func Resolved(name string) (spec.Data, error) {
	r, _, err := readRecord(files.OS{}, name)
	return r.Spec.Data, err
}

// readRecord reads a run.json. The error edited says that it differs from what was
// written, which people may do on purpose.
func readRecord(s files.Source, name string) (r record, edited, err error) {
	text, err := files.ReadRegular(s, name, maxRecord)
	if err != nil {
		return record{}, nil, err
	}
	if r, err = parseRecord(text, name); err != nil {
		return record{}, nil, err
	}
	if err := intact(text); err != nil {
		edited = fmt.Errorf("%s: edited since it was written: %w", name, err)
	}
	return r, edited, nil
}

func parseRecord(b []byte, name string) (record, error) {
	var first struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(b, &first); err == nil && first.Format != format { // other formats have other keys
		return record{}, fmt.Errorf("%s: found format %d, expected the run.json of a run, format %d", name, first.Format, format)
	}
	r := record{Given: given(spec.Default()), Spec: spec.Default()}
	if err := spec.UnmarshalJSON(b, name, &r); err != nil {
		return record{}, err
	}
	return r, nil
}

// folderOf returns the Folder of a new run in a directory, which is in one that exists.
func folderOf(dir string) (string, error) {
	parent, err := realPath(filepath.Dir(dir))
	if err != nil {
		return "", err
	}
	working, err := realPath(".")
	if err != nil {
		return "", err
	}
	folder, err := filepath.Rel(parent, working)
	switch {
	case err != nil: // another drive
		folder = working
	case folder == ".":
		folder = ""
	}
	return filepath.ToSlash(folder), nil
}

// realPath returns an absolute path without symbolic links.
func realPath(path string) (string, error) {
	real, err := filepath.Abs(path)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	return real, files.Named(path, err)
}

// folders returns the directories of relative paths in the spec of a run in dir, the first to try first: Folder; the
// directory above the run, to which data may have moved with the run; the working directory.
func (r record) folders(dir string) []string {
	in := filepath.Dir(filepath.Clean(dir))
	if r.Folder == "" {
		return []string{in, ""}
	}
	folder := filepath.FromSlash(r.Folder)
	if !filepath.IsAbs(folder) {
		real, err := filepath.EvalSymlinks(in)
		if err != nil {
			real = in
		}
		folder = filepath.Join(real, folder)
	}
	return []string{folder, in, ""}
}

// check reports what readers of a run rely on and the record does not have.
func (r record) check() error {
	if err := r.Spec.Validate(); err != nil {
		return fmt.Errorf("spec: %w", err)
	}
	if d := r.Data; d.N < 2 || len(d.IDs) != d.N || len(d.Columns) != d.D {
		return fmt.Errorf("data: found %d items with %d ids and %d columns with %d names, expected at least 2 items and a name for each", d.N, len(d.IDs), d.D, len(d.Columns))
	}
	extra := 0
	if r.Spec.HasDistances() {
		extra = len(r.Spec.Distance.FurtherDistances)
	}
	if count := len(r.Data.FurtherDistances); count != extra {
		return fmt.Errorf("data: found %d distances after the first, expected %d as in the spec", count, extra)
	}
	near := r.Data.Weights
	if count := r.Data.Shares; count < 0 || len(near) > 0 && count != 1+len(near) {
		return fmt.Errorf("data: found %d shares of the weights and %d distances that weights follow, expected one share more", count, len(near))
	}
	for _, w := range near {
		if w.Distance < 0 || w.Distance > extra || !(w.MinRate >= 0 && w.MaxRate >= w.MinRate) {
			return fmt.Errorf("data: found weights that follow distance %d with rates from %v to %v, expected one of %d and ascending rates", w.Distance+1, w.MinRate, w.MaxRate, extra+1)
		}
	}
	return nil
}

// writeRecord writes run.json to a directory, which is the directory of the run or has a
// temporary name. A larger one than is read again is an error.
func (r *Run) writeRecord(dir string) error {
	r.Given.setLength(spec.Default().Sampler)
	r.Given.Data.Hash = "" // which the same data have
	text, err := marshal(r.record)
	if err == nil && len(text) > maxRecord {
		err = fmt.Errorf("found %d bytes for %d items, expected at most %d: shorten their names", len(text), r.Data.N, maxRecord)
	}
	if err == nil {
		err = errors.Unwrap(writeFile(r.disk, filepath.Join(dir, recordFile), bytes.NewReader(text)))
	}
	return files.Named(filepath.Join(r.Dir, recordFile), err)
}
