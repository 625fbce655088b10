package spec

// Specs as TOML.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// ParseTOML reads a spec in TOML, laid over Default. Error messages begin with the name
// and the line; for an unknown key they propose the nearest known one. ParseTOML does
// not validate the values, see Validate.
func ParseTOML(b []byte, name string) (Spec, error) {
	s := Default()
	b = bytes.TrimPrefix(b, []byte("\ufeff")) // the mark that some editors put before text
	// The strict decoder of the library collects all unknown keys, in time that grows with the
	// square of their number.
	if line, path := firstUnknown(b); path != nil {
		return Spec{}, fmt.Errorf("%s: line %d: %w", name, line, unknownKey(reflect.TypeFor[Spec](), path))
	}
	err := toml.Unmarshal(b, &s)
	var wrong *toml.DecodeError
	switch {
	case err == nil:
		return s, nil
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

// firstUnknown returns the line and the path of the first key that Spec does not have, or nil. It
// stops at text that is not TOML.
func firstUnknown(text []byte) (line int, path []string) {
	var p unstable.Parser
	p.Reset(text)
	var table []string
	for p.NextExpression() {
		n, within := p.Expression(), table
		if n.Kind == unstable.Table || n.Kind == unstable.ArrayTable {
			within, table = nil, pathOf(n, nil)
		}
		if at, unknown := unknownIn(n, within); unknown != nil {
			return p.Shape(at.Raw).Start.Line, unknown
		}
	}
	return 0, nil
}

// unknownIn returns the path of the first key that Spec does not have in an expression of a table,
// and the beginning of the path there. Names match as they do in the library, without case.
func unknownIn(n *unstable.Node, table []string) (at *unstable.Node, path []string) {
	key := n.Key()
	if !key.Next() {
		return nil, nil
	}
	at, path = key.Node(), pathOf(n, table)
	t := reflect.TypeFor[Spec]()
	for i, name := range path {
		if t.Kind() != reflect.Struct {
			return nil, nil // the decoder tells what is wrong
		}
		below, ok := fieldOf(t, func(key string) bool { return strings.EqualFold(key, name) })
		if !ok {
			return at, path[:i+1]
		}
		t = below
	}
	if n.Kind != unstable.KeyValue || n.Value().Kind != unstable.InlineTable {
		return nil, nil
	}
	for of := n.Value().Children(); of.Next(); {
		if at, unknown := unknownIn(of.Node(), path); unknown != nil {
			return at, unknown
		}
	}
	return nil, nil
}

// pathOf returns the path of a key in a table.
func pathOf(n *unstable.Node, table []string) []string {
	path := slices.Clone(table)
	for key := n.Key(); key.Next(); {
		path = append(path, string(key.Node().Data))
	}
	return path
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

var typeWords = map[string]string{
	"bool": "true or false", "int": "a whole number", "uint64": "a whole number", "float64": "a number", "string": "text in quotes",
	"[]string": "a list", "[]int": "a list",
}

// typeName returns what a Go type of a spec is called in errors.
func typeName(t string) string { return cmp.Or(typeWords[strings.TrimPrefix(t, "*")], "a table") }

// TOML returns the complete spec in TOML, with the help of every setting as a comment.
// ParseTOML turns it back into s.Complete().
func (s Spec) TOML() []byte {
	s = s.Complete()
	var b bytes.Buffer
	b.WriteString("# A spec for aibd fit. Paths are relative to the working directory.\n")
	table := ""
	for _, d := range settings {
		if above, help := d.Table(); above != table {
			table = above
			fmt.Fprintf(&b, "\n# %s\n[%s]\n", help, table)
		}
		key, v := string(d.Key)[len(table)+1:], d.field(&s)
		fmt.Fprintf(&b, "# %s\n", d.Help)
		if (v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice) && v.IsNil() {
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
