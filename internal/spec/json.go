package spec

// Strict JSON, and keys that do not exist.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"aibd/internal/hint"
	"aibd/internal/lists"
)

// UnmarshalJSON reads the JSON text b into the struct that into points to. An unknown
// key, a syntax error and a wrong type are errors that give the line. The name is for
// error messages.
func UnmarshalJSON[T any](b []byte, name string, into *T) error {
	// Keys first: an unknown one is the likely reason for whatever else is wrong.
	d := json.NewDecoder(bytes.NewReader(b))
	if err := checkKeys(d, reflect.TypeFor[T](), reflect.TypeFor[T](), nil); err != nil && err != errStop {
		return locate(name, b, d.InputOffset(), err)
	}
	err := json.Unmarshal(b, into)
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return locate(name, b, syntax.Offset, err)
	case errors.As(err, &wrong):
		wrongType := fmt.Errorf("found %s, expected %s", wrong.Value, typeName(wrong.Type.String()))
		if wrong.Field != "" {
			wrongType = fmt.Errorf("%s: %w", wrong.Field, wrongType)
		}
		return locate(name, b, wrong.Offset, wrongType)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// locate says where in a file an error is.
func locate(name string, b []byte, offset int64, err error) error {
	line := 1 + bytes.Count(b[:min(offset, int64(len(b)))], []byte("\n"))
	return fmt.Errorf("%s: line %d: %w", name, line, err)
}

// checkKeys reads an object of the struct type t, or an array of such, at the given path of top,
// and reports its first key that t does not have. Everything else that may be
// wrong is for Unmarshal to report: checkKeys stops there.
func checkKeys(d *json.Decoder, top, t reflect.Type, path []string) (unknown error) {
	if t.Kind() != reflect.Struct {
		var any json.RawMessage
		return stopped(d.Decode(&any))
	}
	switch token, err := d.Token(); {
	case err == nil && token == json.Delim('{'):
		return checkMembers(d, top, t, path)
	case err != nil || token != json.Delim('['):
		return errStop
	}
	for d.More() {
		if token, err := d.Token(); err != nil || token != json.Delim('{') {
			return errStop
		}
		if err := checkMembers(d, top, t, path); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return stopped(err)
}

// checkMembers reads the rest of an object.
func checkMembers(d *json.Decoder, top, t reflect.Type, path []string) (unknown error) {
	for d.More() {
		token, err := d.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return errStop
		}
		below := append(path[:len(path):len(path)], key)
		f, ok := fieldOf(t, func(name string) bool { return name == key })
		if !ok {
			return unknownKey(top, below)
		}
		if err := checkKeys(d, top, f, below); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return stopped(err)
}

// stopped returns errStop in place of an error.
func stopped(err error) error {
	if err != nil {
		return errStop
	}
	return nil
}

// errStop ends checkKeys without a finding.
var errStop = errors.New("stop")

// keyOf returns the key of a field, without options such as omitempty.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key
}

// fieldOf returns the type of the value at the first key of the struct type t that matches.
func fieldOf(t reflect.Type, matches func(key string) bool) (reflect.Type, bool) {
	for f := range t.Fields() {
		if matches(keyOf(f)) {
			return f.Type, true
		}
	}
	return nil, false
}

// unknownKey returns the error about the first key of path, read from t
// downwards, that does not exist. There must be one.
func unknownKey(t reflect.Type, path []string) error {
	for i, key := range path {
		below, ok := fieldOf(t, func(name string) bool { return name == key })
		if ok {
			t = below
			continue
		}
		kind := "key"
		if i > 0 {
			kind += " of " + strings.Join(path[:i], ".")
		}
		var keys []string
		for f := range t.Fields() {
			keys = append(keys, keyOf(f))
		}
		return hint.Unknown(kind, key, keys)
	}
	panic("spec: every key of " + strings.Join(path, ".") + " exists")
}

// table is a distance as an object of JSON.
type table Distance

// MarshalJSON returns an array of all distances.
func (d Distance) MarshalJSON() ([]byte, error) {
	all := lists.Map(d.each(), func(one Distance) table { return table(one) })
	return json.Marshal(all)
}

// UnmarshalJSON reads an array of distances.
func (d *Distance) UnmarshalJSON(b []byte) error {
	var all []table
	err := json.Unmarshal(b, &all)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("distance: found %s, expected a list", wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("distance.%s: found %s, expected %s", wrong.Field, wrong.Value, typeName(wrong.Type.String()))
	case err == nil && len(all) == 0:
		return errors.New("distance: found an empty array, expected a distance, of kind none if there is none")
	case err != nil:
		return err
	}
	*d = Distance(all[0])
	for _, one := range all[1:] {
		d.FurtherDistances = append(d.FurtherDistances, Distance(one))
	}
	return nil
}
