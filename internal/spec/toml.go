package spec

// Specs as TOML.

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// ParseTOML reads a spec in TOML, laid over Default. The name is for error
// messages, which give the line; an unknown key is an error that proposes the
// nearest known one. What the values are is for Validate to judge.
func ParseTOML(b []byte, name string) (Spec, error) {
	s := Default()
	decoder := toml.NewDecoder(bytes.NewReader(b)).DisallowUnknownFields()
	err := decoder.Decode(&s)
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case err == nil:
		return s, nil
	case errors.As(err, &unknown):
		first := &unknown.Errors[0]
		line, _ := first.Position()
		return Spec{}, fmt.Errorf("%s: line %d: %w", name, line, unknownKey(reflect.TypeFor[Spec](), first.Key()))
	case errors.As(err, &wrong):
		line, _ := wrong.Position()
		where := fmt.Sprintf("%s: line %d: ", name, line)
		if key := wrong.Key(); len(key) > 0 {
			where += strings.Join(key, ".") + ": "
		}
		return Spec{}, errors.New(where + plain(wrong.Error()))
	}
	return Spec{}, fmt.Errorf("%s: %s", name, plain(err.Error()))
}

var mismatch = regexp.MustCompile(`^cannot decode TOML (\S+) into .* of type (\S+)$`)

// plain puts a message of the TOML library in words that need no knowledge of Go.
func plain(message string) string {
	message = strings.TrimPrefix(message, "toml: ")
	if m := mismatch.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("found %s, expected %s", m[1], typeName(m[2]))
	}
	return message
}

// typeName returns what a Go type of a spec is called in errors.
func typeName(t string) string {
	switch t {
	case "bool":
		return "true or false"
	case "int", "uint64":
		return "a whole number"
	case "float64", "*float64":
		return "a number"
	case "string":
		return "text in quotes"
	case "[]string", "[]int":
		return "a list"
	}
	return "a table"
}

// TOML returns the complete spec in TOML, every key with a comment on what it
// means. ParseTOML turns it back into s.Complete().
func (s Spec) TOML() []byte {
	var b bytes.Buffer
	b.WriteString("# A spec for aibd fit. Paths are relative to the working directory.\n")
	writeTable(&b, reflect.ValueOf(s.Complete()), "")
	return b.Bytes()
}

// writeTable writes the keys of a struct and then its tables, as TOML demands.
func writeTable(b *bytes.Buffer, v reflect.Value, path string) {
	for f, field := range v.Fields() {
		if f.Type.Kind() == reflect.Struct {
			continue
		}
		key := f.Tag.Get("toml")
		fmt.Fprintf(b, "# %s\n", f.Tag.Get("help"))
		if field.Kind() == reflect.Pointer && field.IsNil() {
			fmt.Fprintf(b, "# %s = ...\n", key)
			continue
		}
		line, err := toml.Marshal(map[string]any{key: field.Interface()})
		if err != nil {
			panic("spec: " + err.Error()) // numbers, text and lists of them never fail
		}
		b.Write(line)
	}
	for f, field := range v.Fields() {
		if f.Type.Kind() != reflect.Struct {
			continue
		}
		key := path + f.Tag.Get("toml")
		fmt.Fprintf(b, "\n# %s\n[%s]\n", f.Tag.Get("help"), key)
		writeTable(b, field, key+".")
	}
}
