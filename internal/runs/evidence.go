package runs

// The log evidence of a run: evidence.json.

import (
	"fmt"
	"path/filepath"
	"reflect"

	"aibd/internal/checksum"
	"aibd/internal/spec"
)

const evidenceFile = "evidence.json"

// Evidence is the log evidence of the model of a run. The fields before Log say of which data
// and model.
type Evidence struct {
	DataHash    string        `json:"data_hash"`
	Intercept   bool          `json:"intercept"`
	Noise       string        `json:"noise"`
	Prior       spec.Prior    `json:"prior"`
	Distance    spec.Distance `json:"distance,omitzero"` // OwnPrior of the distances
	Log         float64       `json:"log_evidence"`
	Error       float64       `json:"error"`
	Spread      float64       `json:"spread"`
	Populations int           `json:"populations"`
	Members     int           `json:"members"`
	Scans       int           `json:"scans"`
	CRC32C      string        `json:"crc32c"`
}

// Of reports whether the evidence belongs to the data and the model of a run.
func (e *Evidence) Of(r *Run) bool {
	d := r.Spec.Data
	return e.DataHash == r.Data.Hash && e.Intercept == d.HasIntercept() && e.Noise == d.Noise && reflect.DeepEqual(e.Prior, r.Spec.Prior) &&
		reflect.DeepEqual(e.Distance, r.Spec.Distance.OwnPrior())
}

// WriteEvidence keeps a log evidence in the run.
func (r *Run) WriteEvidence(e Evidence) error {
	e.CRC32C = checksum.Zeros
	return writeJSON(r.disk, filepath.Join(r.Dir, evidenceFile), e)
}

// Evidence returns the log evidence that the run keeps. If it keeps none, the error is an
// fs.ErrNotExist. An edited file, and one of other data or another model, is an error.
func (r *Run) Evidence() (*Evidence, error) {
	name, e := filepath.Join(r.Dir, evidenceFile), new(Evidence)
	if err := readJSON(r.source, name, maxRecord, e); err != nil {
		return nil, err
	}
	if !e.Of(r) {
		return nil, fmt.Errorf("%s: found the log evidence of other data or another model, expected that of the run", name)
	}
	return e, nil
}
