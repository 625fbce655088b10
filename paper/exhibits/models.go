package exhibits

// The models of the application, and their runs.

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"aibd/internal/files"
	"aibd/internal/input"
	"aibd/internal/lists"
	"aibd/internal/runs"
	"aibd/internal/spec"
)

const (
	lawAIBD       = "AIBD"
	lawSequential = "sequential dd-IBP"
)

// variant is one of the models of the application.
type variant struct {
	name  string  // of its run
	law   string  // for people
	shown string  // its temperature, for people
	fixed float64 // its temperature; 0: none, or random
	joint bool    // of the file with the people: see joined
	set   func(*spec.Spec)
}

// orderedModels are the models with a fixed temperature, per standard deviation of age
// or per year, and the items in the order of age.
func orderedModels(standardized bool) []variant {
	var all []variant
	unit := "sd"
	if !standardized {
		unit = "year"
	}
	for _, law := range []struct{ key, name string }{{"aibd", lawAIBD}, {"ddibp", lawSequential}} {
		for _, t := range []float64{0.4, 0.8, 1.2, 1.6, 2.0} {
			all = append(all, variant{
				name: fmt.Sprintf("%s-%.1f-per-%s", law.key, t, unit), law: law.name, shown: fmt.Sprintf("%.1f", t), fixed: t,
				set: func(s *spec.Spec) {
					s.Prior.Law = law.key
					s.Distance.Standardize = standardized
					s.Prior.Temperature.Fixed, s.Prior.Temperature.Value = true, &t
					s.Prior.Permutation = spec.Permutation{Kind: "ordered", Column: "age"}
				},
			})
		}
	}
	return all
}

// randomModels are the AIBD with unknown temperature and order, and the IBP.
func randomModels() []variant {
	return []variant{
		{name: "aibd-random", law: lawAIBD, shown: "random", set: func(*spec.Spec) {}},
		{name: "aibd-random-reciprocal", law: lawAIBD + ", reciprocal", shown: "random", set: func(s *spec.Spec) { s.Prior.Decay = "reciprocal" }},
		ibpModel(),
	}
}

func ibpModel() variant {
	return variant{name: "ibp", law: "IBP", shown: "–", set: func(s *spec.Spec) {
		s.Prior.Law = "ibp"
		s.Distance = spec.Distance{}
	}}
}

// nearnessModels are the AIBD by age, by person, and by both, with a temperature each, all under the
// paper's prior of the temperature.
func nearnessModels() []variant {
	person := spec.Distance{Kind: "same", Name: "person", Columns: []string{"inferred_person"}}
	return []variant{
		{name: "nearness-age", law: lawAIBD, shown: "age", joint: true, set: func(*spec.Spec) {}},
		{name: "nearness-person", law: lawAIBD, shown: "person", joint: true, set: func(s *spec.Spec) { s.Distance = person }},
		{name: "nearness-both", law: lawAIBD, shown: "age and person", joint: true, set: func(s *spec.Spec) {
			s.Distance.FurtherDistances = []spec.Distance{person}
			s.Prior.Temperature.Rate = 0.5 // which the number of distances multiplies
		}},
	}
}

// modelsOf returns the models whose runs an exhibit reads.
func modelsOf(exhibit string) []variant {
	switch exhibit {
	case "application", "people":
		return slices.Concat(orderedModels(true), randomModels())
	case "application-years":
		return append(orderedModels(false), ibpModel())
	case "posteriors":
		return randomModels()
	case "distances":
		return nearnessModels()
	}
	return nil
}

// sampler returns the lengths of the chains.
func (j *job) sampler() spec.Sampler {
	s := spec.Default().Sampler
	s.Seed, s.Until = j.Seed, spec.UntilDraws
	s.Chains, s.Warmup, s.Draws = j.size(50, 2), j.size(1500, 15), j.size(1500, 15)
	return s
}

// spec returns the spec of a model: the paper's priors and distances, with age in
// standard deviations plus 0.00001.
func (j *job) spec(m variant) (spec.Spec, error) {
	s := spec.Default()
	s.Data.File, s.Data.Preset = j.Alzheimers, "alzheimers"
	s.Likelihood.Features = "binary"
	s.Distance = spec.Distance{Kind: "absolute", Columns: []string{"age"}, Standardize: true, Shift: 0.00001}
	s.Sampler = j.sampler()
	if m.joint { // its chains are fewer and longer
		s.Sampler.Chains, s.Sampler.Warmup, s.Sampler.Thin, s.Sampler.Draws = j.size(4, 2), j.size(10_000, 15), j.size(5, 1), j.size(2000, 30)
		var err error
		if s, err = j.joined(s); err != nil {
			return s, err
		}
	}
	m.set(&s)
	return s, nil
}

// joined returns the spec with the inferred people as a further column of the data, beside the age. The
// preset of the application reads no other columns, so the spec has its settings without its name.
func (j *job) joined(s spec.Spec) (spec.Spec, error) {
	p, err := input.Build(s)
	if err != nil {
		return s, err
	}
	s = p.Spec
	a, _, err := j.people()
	if err != nil {
		return s, err
	}
	content, err := os.ReadFile(s.Data.File)
	if err != nil {
		return s, files.Named(s.Data.File, err)
	}
	lines, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil {
		return s, fmt.Errorf("%s: %w", s.Data.File, err)
	}
	for i, person := range append([]string{"inferred_person"}, a.group...) {
		lines[i] = append(lines[i], person)
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(lines); err != nil {
		return s, err
	}
	s.Data.File, s.Data.Preset, s.Data.Hash = j.path("runs/alzheimers-people.csv"), "", ""
	s.Data.ID, s.Data.Columns = "subject", []string{"*SA", "*SI", "*CV", "*FD"}
	if err := os.MkdirAll(filepath.Dir(s.Data.File), 0o777); err != nil {
		return s, files.Named(s.Data.File, err)
	}
	return s, files.Write(context.Background(), s.Data.File, b.Bytes())
}

// prepare returns the run of a model to read. It makes the run, without draws, if necessary.
// It is an ordinary run, in the directory runs.
func (j *job) prepare(m variant) (*runs.Run, error) {
	name := m.name
	if j.Quick {
		name = "quick-" + name
	}
	dir := j.path(filepath.Join("runs", name))
	s, err := j.spec(m)
	if err != nil {
		return nil, err
	}
	problem, err := input.Build(s)
	if err != nil {
		return nil, err
	}
	run, err := runs.Open(dir)
	switch {
	case err == nil && !sameSpec(run.Spec, problem.Spec):
		return nil, fmt.Errorf("%s: found the run of another spec, expected that of %s: remove it, or write elsewhere", dir, m.name)
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
			return nil, files.Named(dir, err)
		}
		if run, err = runs.Create(dir, problem, j.Version); err == nil {
			run.Close()
		}
	}
	return run, err
}

// fit returns the complete run of a model. It makes or continues the run if necessary.
func (j *job) fit(m variant) (*runs.Run, error) {
	run, err := j.prepare(m)
	if err != nil || complete(run) {
		return run, err
	}
	if run, _, err = runs.Resume(run.Dir, runs.ResumeOptions{Version: j.Version}); err != nil {
		return nil, err
	}
	done := func() int { return lists.Sum(run.Done()) }
	fmt.Fprintf(j.Log, "%s: %s\n", j.result.Name, run.Dir)
	stop := j.Meter("scans", run.Scans()*run.Spec.Sampler.Chains, done)
	err = run.Sample(j.ctx)
	stop()
	return run, err
}

// complete reports whether all chains have made all their scans.
func complete(run *runs.Run) bool {
	reports, _ := run.Reports()
	partial := func(r runs.ChainReport) bool { return !r.Complete }
	return len(reports) == run.Spec.Sampler.Chains && !slices.ContainsFunc(reports, partial)
}

// sameSpec reports whether two specs give the same draws. The file of the data may
// have moved: its content is in the hash. A run is sampled for one round, whatever its spec
// says.
func sameSpec(a, b spec.Spec) bool {
	a.Data.File, b.Data.File = "", ""
	a.Sampler.Until, b.Sampler.Until = "", ""
	return reflect.DeepEqual(a, b)
}
