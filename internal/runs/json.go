package runs

// Specs as JSON: the member "spec" of run.json.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
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
	Spec   Spec      `json:"spec"` // complete
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
	Hash    string   `json:"hash"` // see Problem
	N       int      `json:"n"`
	D       int      `json:"d"`
	Unit    string   `json:"unit"` // of the distances
	IDs     []string `json:"ids"`
	Columns []string `json:"columns"`
	Sources []Source `json:"sources"`
}

// Source is a file that was read.
type Source struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// ParseJSON returns the spec in the text of a run.json. The name is for error
// messages, which give the line.
func ParseJSON(b []byte, name string) (Spec, error) {
	r, err := parseRecord(b, name)
	if err != nil {
		return Spec{}, err
	}
	return r.Spec, nil
}

func parseRecord(b []byte, name string) (record, error) {
	r := record{Spec: Default()}
	// Keys first: an unknown one is the likely reason for whatever else is wrong.
	d := json.NewDecoder(bytes.NewReader(b))
	if err := checkKeys(d, reflect.TypeFor[record](), nil); err != nil && err != errStop {
		return record{}, at(name, b, d.InputOffset(), err)
	}
	err := json.Unmarshal(b, &r)
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return record{}, at(name, b, syntax.Offset, err)
	case errors.As(err, &wrong):
		wrongType := fmt.Errorf("found %s, expected %s", wrong.Value, typeName(wrong.Type.String()))
		if wrong.Field != "" {
			wrongType = fmt.Errorf("%s: %w", wrong.Field, wrongType)
		}
		return record{}, at(name, b, wrong.Offset, wrongType)
	case err != nil:
		return record{}, fmt.Errorf("%s: %w", name, err)
	case r.Format != format:
		return record{}, fmt.Errorf("%s: found format %d, expected the run.json of a run, format %d", name, r.Format, format)
	}
	return r, nil
}

// at says where in a file an error is.
func at(name string, b []byte, offset int64, err error) error {
	line := 1 + bytes.Count(b[:min(offset, int64(len(b)))], []byte("\n"))
	return fmt.Errorf("%s: line %d: %w", name, line, err)
}

// checkKeys reads an object of the struct type t, at the given path of a record,
// and reports its first key that t does not have. Everything else that may be
// wrong is for Unmarshal to report: checkKeys stops there.
func checkKeys(d *json.Decoder, t reflect.Type, path []string) (unknown error) {
	if t.Kind() != reflect.Struct {
		var any json.RawMessage
		if d.Decode(&any) != nil {
			return errStop
		}
		return nil
	}
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return errStop
	}
	for d.More() {
		token, err := d.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return errStop
		}
		below := append(path[:len(path):len(path)], key)
		f, ok := fieldOf(t, key)
		if !ok {
			return unknownKey(reflect.TypeFor[record](), below)
		}
		if err := checkKeys(d, f, below); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return errStop
	}
	return nil
}

// errStop ends checkKeys without a finding.
var errStop = errors.New("stop")
