package runs

// run.json.

import (
	"fmt"

	"aibd/internal/model"
	"aibd/internal/spec"
)

// format is the version of run.json.
const format = 1

// record is what run.json holds. The same spec, data and program give the same
// bytes: there is no clock in it.
type record struct {
	Aibd   string    `json:"aibd"` // version of the program that made the run
	Format int       `json:"format"`
	Build  buildInfo `json:"build"`
	Seed   uint64    `json:"seed"`
	Spec   spec.Spec `json:"spec"` // complete
	Data   DataInfo  `json:"data"`
	// Others are the programs that went on with the run, where they differ from the
	// one that made it.
	Others []Other `json:"others"`
}

// Other is a program that went on with a run that it had not made.
type Other struct {
	Aibd  string    `json:"aibd"`
	Build buildInfo `json:"build"`
}

// DataInfo describes the data of a run.
type DataInfo struct {
	Hash    string         `json:"hash"` // see model.Problem
	N       int            `json:"n"`
	D       int            `json:"d"`
	Unit    string         `json:"unit"` // of the distances
	IDs     []string       `json:"ids"`
	Columns []string       `json:"columns"`
	Sources []model.Source `json:"sources"`
}

// ParseJSON returns the spec in the text of a run.json. The name is for error
// messages, which give the line.
func ParseJSON(b []byte, name string) (spec.Spec, error) {
	r, err := parseRecord(b, name)
	if err != nil {
		return spec.Spec{}, err
	}
	return r.Spec, nil
}

func parseRecord(b []byte, name string) (record, error) {
	r := record{Spec: spec.Default()}
	if err := spec.UnmarshalJSON(b, name, &r); err != nil {
		return record{}, err
	}
	if r.Format != format {
		return record{}, fmt.Errorf("%s: found format %d, expected the run.json of a run, format %d", name, r.Format, format)
	}
	return r, nil
}
