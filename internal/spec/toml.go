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
// and the line; for an unknown key they propose the nearest key. ParseTOML does
// not validate the values, see Validate.
func ParseTOML(b []byte, name string) (Spec, error) {
	s := Default()
	b = bytes.TrimPrefix(b, []byte("\ufeff")) // the mark that some editors put before text
	// The strict decoder of the library collects all unknown keys, in time that grows with the
	// square of their number.
	line, path, several := scan(b)
	if path != nil {
		return Spec{}, fmt.Errorf("%s: line %d: %w", name, line, unknownKey(reflect.TypeFor[Spec](), path))
	}
	var into any = &s
	in := file{&s.Data, nil, &s.Likelihood, &s.Prior, &s.Sampler}
	if several {
		into = &in
	}
	err := toml.Unmarshal(b, into)
	if len(in.Distance) > 0 {
		s.Distance = join(in.Distance)
	}
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

// file is a Spec with an array of distances.
type file struct {
	Data       *Data       `toml:"data"`
	Distance   []Distance  `toml:"distance"`
	Likelihood *Likelihood `toml:"likelihood"`
	Prior      *Prior      `toml:"prior"`
	Sampler    *Sampler    `toml:"sampler"`
}

// scan returns the line and the path of the first key that Spec does not have, or nil, and whether the distances
// are an array of tables. It stops at text that is not TOML.
func scan(text []byte) (line int, path []string, several bool) {
	var p unstable.Parser
	p.Reset(text)
	var table []string
	for p.NextExpression() {
		n, within := p.Expression(), table
		if n.Kind == unstable.Table || n.Kind == unstable.ArrayTable {
			within, table = nil, pathOf(n, nil)
		}
		if node, unknown := unknownIn(n, within); unknown != nil {
			return p.Shape(node.Raw).Start.Line, unknown, false
		}
		array := n.Kind == unstable.ArrayTable || n.Kind == unstable.KeyValue && n.Value().Kind == unstable.Array
		several = several || array && slices.EqualFunc(pathOf(n, within), []string{"distance"}, strings.EqualFold)
	}
	return 0, nil, several
}

// unknownIn returns the path of the first key that Spec does not have in an expression of a table,
// and the beginning of the path there. Names match as they do in the library, without case.
func unknownIn(n *unstable.Node, table []string) (node *unstable.Node, path []string) {
	key := n.Key()
	if !key.Next() {
		return nil, nil
	}
	node, path = key.Node(), pathOf(n, table)
	t := reflect.TypeFor[Spec]()
	for i, name := range path {
		if t.Kind() != reflect.Struct {
			return nil, nil // the decoder returns the error
		}
		below, ok := fieldOf(t, func(key string) bool { return strings.EqualFold(key, name) })
		if !ok {
			return node, path[:i+1]
		}
		t = below
	}
	if n.Kind != unstable.KeyValue || t.Kind() != reflect.Struct {
		return nil, nil
	}
	return unknownBelow(n.Value(), path)
}

// unknownBelow is unknownIn for a table as a value, or an array of such.
func unknownBelow(value *unstable.Node, path []string) (*unstable.Node, []string) {
	for child := value.Children(); child.Next(); {
		below := unknownIn
		if value.Kind == unstable.Array {
			below = unknownBelow
		}
		if node, unknown := below(child.Node(), path); unknown != nil {
			return node, unknown
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
	isDistance := func(d Setting) bool { return strings.HasPrefix(string(d.Key), "distance.") }
	begin := slices.IndexFunc(settings, isDistance)
	tail := settings[begin:]
	count := slices.IndexFunc(tail, func(d Setting) bool { return !isDistance(d) })
	s.write(&b, settings[:begin])
	for _, d := range s.Distance.each() {
		one := s
		one.Distance = d
		one.write(&b, tail[:count])
	}
	s.write(&b, tail[count:])
	return b.Bytes()
}

// write writes some settings.
func (s Spec) write(b *bytes.Buffer, some []Setting) {
	table := ""
	for _, d := range some {
		if above, help := d.Table(); above != table {
			table = above
			header := "[" + table + "]"
			if table == "distance" {
				header = "[" + header + "]" // of an array
			}
			fmt.Fprintf(b, "\n%s%s\n", comment(help), header)
		}
		key, v := string(d.Key)[len(table)+1:], d.field(&s)
		b.WriteString(comment(d.Help))
		if (v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice) && v.IsNil() {
			fmt.Fprintf(b, "# %s = ...\n", key)
			continue
		}
		line, err := toml.Marshal(map[string]any{key: v.Interface()})
		if err != nil {
			panic("spec: " + err.Error()) // numbers, text and lists of them never fail
		}
		b.Write(line)
	}
}

// comment returns the lines of a text as comments.
func comment(text string) string { return "# " + strings.ReplaceAll(text, "\n", "\n# ") + "\n" }
