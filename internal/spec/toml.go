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

// ParseTOML reads a spec in TOML, laid over Default. Error messages begin with the name
// and the line; for an unknown key they propose the nearest known one. ParseTOML does
// not validate the values, see Validate.
func ParseTOML(b []byte, name string) (Spec, error) {
	s := Default()
	b = bytes.TrimPrefix(b, []byte("\ufeff")) // the mark that some editors put before text
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

// plain returns a message of the TOML library without Go types.
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
	case "bool", "*bool":
		return "true or false"
	case "int", "*int", "uint64":
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

// TOML returns the complete spec in TOML, with the help of every setting as a comment.
// ParseTOML turns it back into s.Complete().
func (s Spec) TOML() []byte {
	s = s.Complete()
	var b bytes.Buffer
	b.WriteString("# A spec for aibd fit. Paths are relative to the working directory.\n")
	table := ""
	for _, d := range settings {
		dot := strings.LastIndex(string(d.Key), ".")
		if above := string(d.Key)[:dot]; above != table {
			table = above
			fmt.Fprintf(&b, "\n# %s\n[%s]\n", tables[table], table)
		}
		key, v := string(d.Key)[dot+1:], d.field(&s)
		fmt.Fprintf(&b, "# %s\n", d.Help)
		if v.Kind() == reflect.Pointer && v.IsNil() {
			fmt.Fprintf(&b, "# %s = ...\n", key)
			continue
		}
		line, err := toml.Marshal(map[string]any{key: v.Interface()})
		if err != nil {
			panic("spec: " + err.Error()) // numbers, text and lists of them never fail
		}
		b.Write(line)
	}
	return b.Bytes()
}
