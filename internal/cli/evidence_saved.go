package cli

// The log evidence of a run, which aibd evidence RUN keeps in the run for aibd compare.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/spec"
)

// evidenceFile is the file of a run with its log evidence.
const evidenceFile = "evidence.json"

// savedEvidence is the log evidence of the model of a run.
type savedEvidence struct {
	DataHash    string     `json:"data_hash"`
	Intercept   bool       `json:"intercept"`
	Noise       string     `json:"noise"`
	Prior       spec.Prior `json:"prior"`
	Log         float64    `json:"log_evidence"`
	Error       float64    `json:"error"`
	Spread      float64    `json:"spread"`
	Populations int        `json:"populations"`
	Members     int        `json:"members"`
	Scans       int        `json:"scans"`
}

// of reports whether the evidence is that of the data and the model of a run.
func (e *savedEvidence) of(run *runs.Run) bool {
	d := run.Spec.Data
	return e.DataHash == run.Data.Hash && e.Intercept == d.HasIntercept() && e.Noise == d.Noise && reflect.DeepEqual(e.Prior, run.Spec.Prior)
}

// estimate returns the estimate with a name for sentences.
func (e *savedEvidence) estimate(name string) *results.Evidence {
	return &results.Evidence{Name: name, Prior: e.Prior, Noise: e.Noise, Logs: make([]float64, e.Populations), Log: e.Log, Spread: e.Spread}
}

// keep writes the log evidence of the first prior into the run in dir, if that has the same data
// and model.
func (e evidence) keep(dir string) error {
	run, err := runs.Open(dir)
	if err != nil {
		return err
	}
	return keepEvidence(run, e.problem, e.estimates[0], e.size)
}

// keepEvidence writes the log evidence of a problem into a run, if that has the same data and model.
func keepEvidence(run *runs.Run, p *model.Problem, e *results.Evidence, size results.EvidenceSize) error {
	saved := savedEvidence{p.DataHash, p.Spec.Data.HasIntercept(), e.Noise, e.Prior, e.Log, e.StdErr(), e.Spread, len(e.Logs), size.Members, size.Scans}
	if !saved.of(run) {
		return nil
	}
	b, err := json.MarshalIndent(saved, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(run.Dir, evidenceFile), append(b, '\n'))
}

// evidenceOf returns the log evidence that a run keeps, nil if it keeps none. It returns an error
// if the file cannot be read, is of other data or another model, or has a bad number of populations.
func evidenceOf(run *runs.Run) (*savedEvidence, error) {
	file := filepath.Join(run.Dir, evidenceFile)
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e := new(savedEvidence)
	if err := json.Unmarshal(b, e); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if e.Populations < 2 || e.Populations > maxPopulation {
		return nil, fmt.Errorf("%s: found %d populations, expected 2 to %d (aibd evidence %s makes it again)", file, e.Populations, maxPopulation, run.Dir)
	}
	if !e.of(run) {
		return nil, fmt.Errorf("%s: found the log evidence of other data or another model, expected that of the run (aibd evidence %s makes it again)", file, run.Dir)
	}
	return e, nil
}
