package cli

// The flags that stand for the keys of a spec, one to one. They are laid over a
// spec from elsewhere, so that the command line has the last word.

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aibd/internal/spec"
)

// A flagGroup is a heading of the help with the flags below it: their names and
// the paths of the keys of spec.Spec that they set.
type flagGroup struct {
	heading string
	flags   [][2]string
}

var (
	sourceFlags = flagGroup{"Data", [][2]string{
		{"builtin", "data.builtin"},
		{"file", "data.file"},
		{"side", "data.side"},
		{"id", "data.id"},
	}}
	observationFlags = flagGroup{"Data", [][2]string{
		{"preset", "data.preset"},
		{"columns", "data.columns"},
		{"log", "data.log"},
		{"center", "data.center"},
		{"scale", "data.scale"},
	}}
	distanceFlags = flagGroup{"Distance", [][2]string{
		{"distance", "distance.kind"},
		{"distance-columns", "distance.columns"},
		{"distance-standardize", "distance.standardize"},
		{"distance-per", "distance.per"},
		{"distance-shift", "distance.shift"},
		{"distance-file", "distance.file"},
	}}
	lawFlags = flagGroup{"Law of the allocation", [][2]string{
		{"prior", "prior.law"},
		{"proximity", "prior.proximity"},
		{"decay", "prior.decay"},
		{"decay-shift", "prior.decay_shift"},
		{"window-width", "prior.window_width"},
		{"mass", "prior.mass.value"},
		{"temperature", "prior.temperature.value"},
		{"permutation", permutationPath},
		{"order-by", orderPath},
	}}
	unknownFlags = flagGroup{"Priors of the other unknowns", [][2]string{
		{"fix-mass", "prior.mass.fixed"},
		{"mass-shape", "prior.mass.shape"},
		{"mass-rate", "prior.mass.rate"},
		{"fix-temperature", "prior.temperature.fixed"},
		{"temperature-shape", "prior.temperature.shape"},
		{"temperature-rate", "prior.temperature.rate"},
		{"sigma-x", "prior.sigma_x.value"},
		{"fix-sigma-x", "prior.sigma_x.fixed"},
		{"max-sigma-x", "prior.sigma_x.max"},
		{"sigma-x-shape", "prior.sigma_x.shape"},
		{"sigma-x-rate", "prior.sigma_x.rate"},
		{"sigma-a", "prior.sigma_a.value"},
		{"fix-sigma-a", "prior.sigma_a.fixed"},
		{"max-sigma-a", "prior.sigma_a.max"},
		{"sigma-a-shape", "prior.sigma_a.shape"},
		{"sigma-a-rate", "prior.sigma_a.rate"},
	}}
	samplerFlags = flagGroup{"Sampler", [][2]string{
		{"seed", "sampler.seed"},
		{"chains", "sampler.chains"},
		{"warmup", "sampler.warmup"},
		{"draws", "sampler.draws"},
		{"thin", "sampler.thin"},
		{"anneal", "sampler.anneal"},
		{"clusters", "sampler.clusters"},
		{"sums", "sampler.sums"},
		{"combinations", "sampler.combinations"},
		{"births", "sampler.births"},
		{"other-updates", "sampler.other_updates"},
		{"shuffle-size", "sampler.shuffle_size"},
		{"insertions", "sampler.insertions"},
		{"step-temperature", "sampler.step_temperature"},
		{"step-sigma-x", "sampler.step_sigma_x"},
		{"step-sigma-a", "sampler.step_sigma_a"},
		{"step-correlation", "sampler.step_correlation"},
		{"tune", "sampler.tune"},
		{"truncation", "sampler.truncation"},
		{"init", "sampler.init"},
	}}
)

// permutationPath is the table of which --permutation sets kind and order.
const permutationPath = "prior.permutation"

// orderPath is the key of --order-by, which implies the kind.
const orderPath = "prior.permutation.column"

// subjects are the headings of the tables of a prior.
var subjects = map[string]string{
	"mass": "Mass", "temperature": "Temperature", "permutation": "Permutation", "sigma_x": "SigmaX", "sigma_a": "SigmaA",
}

// without returns the group without the flags of the given names.
func (g flagGroup) without(names ...string) flagGroup {
	g.flags = slices.DeleteFunc(slices.Clone(g.flags), func(f [2]string) bool { return slices.Contains(names, f[0]) })
	return g
}

// specFlags are the flags of a command that stand for keys of a spec.
type specFlags struct {
	names  map[string]string // of the flags, by the paths of their keys
	set    []specChange      // in the order of the command line
	laid   bool              // over a spec: errors from then on are about both
	onFile bool              // that spec is from a file
}

type specChange struct {
	path   string
	change func(*spec.Spec) error
}

// addSpecFlags registers the flags of the groups. Errors of c will call keys by them.
func addSpecFlags(c *cobra.Command, groups ...flagGroup) *specFlags {
	all := &specFlags{names: map[string]string{}}
	defaults := spec.Default()
	for _, g := range groups {
		inGroup(c.Flags(), g.heading, func() {
			for _, f := range g.flags {
				all.add(c.Flags(), f[0], f[1], &defaults)
			}
		})
	}
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error { return all.rename(run(c, args), givenTexts(c, args)) }
	return all
}

func (all *specFlags) add(flags *pflag.FlagSet, name, path string, defaults *spec.Spec) {
	all.names[path] = name
	v := &specValue{all: all, path: path}
	if path == permutationPath {
		v.text = defaults.Prior.Permutation.Kind
		flags.Var(v, name, "Order in which the items arrive: random (unknown, uniform), fixed (the order of the rows), a list such as 3,1,2 of the items counted from 1, or a file with such a list.")
		return
	}
	field, help := keyOf(defaults, path)
	v.kind = field.Kind()
	v.text = keyText(field)
	if parts := strings.Split(path, "."); len(parts) == 3 {
		// What is one of mass, temperature and so on does not name it.
		help = subjects[parts[1]] + ": " + strings.ToLower(help[:1]) + help[1:]
	}
	f := flags.VarPF(v, name, "", help)
	if v.kind == reflect.Bool {
		f.NoOptDefVal = "true"
	}
}

// apply lays the flags that were given over s.
func (all *specFlags) apply(s *spec.Spec) error {
	if all.given(orderPath) && slices.ContainsFunc(all.set, func(set specChange) bool { return set.path == permutationPath }) {
		return usageError{errors.New("found both --permutation and --order-by, expected one of them")}
	}
	for _, set := range all.set {
		if err := set.change(s); err != nil {
			return err
		}
	}
	all.laid = true
	return nil
}

// given reports whether a flag was given whose path starts with one of the
// prefixes.
func (all *specFlags) given(prefixes ...string) bool {
	return slices.ContainsFunc(all.set, func(set specChange) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(set.path, p) })
	})
}

// keyOf returns the field of s at a path of keys and what it is for.
func keyOf(s *spec.Spec, path string) (reflect.Value, string) {
	v, help := reflect.ValueOf(s).Elem(), ""
next:
	for key := range strings.SplitSeq(path, ".") {
		for f, field := range v.Fields() {
			if f.Tag.Get("toml") == key {
				v, help = field, f.Tag.Get("help")
				continue next
			}
		}
		panic("cli: a spec has no key " + path)
	}
	return v, help
}

// keyText is the value of a key as its flag would be given; empty if there is
// none.
func keyText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return fmt.Sprint(v.Elem())
	case reflect.Slice:
		return strings.Join(v.Interface().([]string), ",")
	}
	return fmt.Sprint(v)
}

// specValue is the pflag.Value of one key.
type specValue struct {
	all  *specFlags
	path string
	kind reflect.Kind // Invalid for the permutation
	text string
}

func (v *specValue) String() string { return v.text }

// Type is what the help calls the value.
func (v *specValue) Type() string {
	switch v.kind {
	case reflect.Pointer, reflect.Float64:
		return "number"
	case reflect.Int, reflect.Uint64:
		return "int"
	case reflect.Slice:
		return "list"
	case reflect.Bool:
		return "bool" // pflag writes no name for it
	case reflect.Invalid:
		return "order"
	}
	return "name"
}

// Set takes the value from the command line.
func (v *specValue) Set(text string) error {
	change := func(s *spec.Spec) error { return setPermutation(s, text) }
	if v.kind != reflect.Invalid {
		value, err := v.parse(text)
		if err != nil {
			return err
		}
		change = func(s *spec.Spec) error {
			field, _ := keyOf(s, v.path)
			field.Set(value.Convert(field.Type()))
			if v.path == orderPath {
				s.Prior.Permutation.Kind, s.Prior.Permutation.Order = "ordered", nil
			}
			return nil
		}
	}
	v.text = text
	v.all.set = append(v.all.set, specChange{v.path, change})
	return nil
}

func (v *specValue) parse(text string) (reflect.Value, error) {
	switch v.kind {
	case reflect.Bool:
		x, err := strconv.ParseBool(text)
		if err != nil {
			return reflect.Value{}, fmt.Errorf("expected true or false")
		}
		return reflect.ValueOf(x), nil
	case reflect.Int:
		x, err := strconv.Atoi(text)
		if err != nil {
			return reflect.Value{}, fmt.Errorf("expected a whole number")
		}
		return reflect.ValueOf(x), nil
	case reflect.Uint64:
		x, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return reflect.Value{}, fmt.Errorf("expected a whole number of at least 0")
		}
		return reflect.ValueOf(x), nil
	case reflect.Float64, reflect.Pointer:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return reflect.Value{}, fmt.Errorf("expected a number")
		}
		if v.kind == reflect.Pointer {
			return reflect.ValueOf(&x), nil
		}
		return reflect.ValueOf(x), nil
	case reflect.Slice:
		list := []string{} // an empty list is not the default
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		return reflect.ValueOf(list), nil
	}
	return reflect.ValueOf(text), nil
}

// setPermutation sets the order from the text of --permutation.
func setPermutation(s *spec.Spec, text string) error {
	p := spec.Permutation{Kind: text}
	if text != "random" && text != "fixed" {
		p.Kind = "fixed"
		name, content := "--permutation", text
		if !isList(text) {
			b, err := readFile(text)
			if err != nil {
				return fmt.Errorf("--permutation: expected random, fixed, a list of items or a file with one: %w", err)
			}
			name, content = text, string(b)
		}
		for _, word := range strings.FieldsFunc(content, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
			item, err := strconv.Atoi(word)
			if err != nil {
				return fmt.Errorf("%s: found %q, expected the number of an item, counted from 1", name, word)
			}
			p.Order = append(p.Order, item)
		}
		if len(p.Order) == 0 {
			return fmt.Errorf("%s: found no items, expected their numbers, counted from 1, in the order in which they arrive", name)
		}
	}
	s.Prior.Permutation = p
	return nil
}

// isList reports whether the text is made of what lists of numbers are made of.
func isList(text string) bool {
	return strings.Trim(text, "0123456789, -+.eE") == ""
}
