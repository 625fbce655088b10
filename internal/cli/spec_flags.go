package cli

// The settings of a spec on the command line: some have a flag, and --set KEY=VALUE sets any. They are laid
// over a spec from elsewhere, so that the command line has the last word.

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"aibd/internal/hint"
	"aibd/internal/spec"
)

const (
	// permutationKey is the setting of --permutation, which sets the order too.
	permutationKey = spec.Key("prior.permutation.kind")
	// orderKey is the column that gives the order, which implies the kind.
	orderKey = spec.Key("prior.permutation.column")
)

// mainFlags heads the flags that are enough for most fits.
const mainFlags = "Usual flags"

type flagGroup struct {
	heading string
	keys    []spec.Key
}

// flagged are the settings that have a flag, by heading of the help and in its order. All settings are keys
// of --set.
var flagged = []flagGroup{
	{mainFlags, []spec.Key{"data.columns", "data.side", "data.id", "distance.kind", "prior.law", "likelihood.features", "sampler.seed"}},
	{"Columns and cells", []spec.Key{"data.builtin", "data.missing", "data.binary", "data.ordinal", "data.count", "data.log", "data.log1p", "data.hellinger",
		"data.center", "data.scale", "data.holdout", "data.holdout_unit"}},
	{"Prior of the allocation", []spec.Key{"prior.decay", permutationKey}},
	{"Sampler", []spec.Key{"sampler.chains", "sampler.warmup", "sampler.draws", "sampler.thin"}},
}

// hasFlag reports whether a setting has a flag in all verbs.
func hasFlag(key spec.Key) bool {
	return slices.ContainsFunc(flagged, func(group flagGroup) bool { return slices.Contains(group.keys, key) })
}

// specFlags are the settings of a command that the command line can set.
type specFlags struct {
	all    []*specValue
	set    []specChange // in the order of the command line
	laid   bool         // over a spec: errors from then on are about both
	onFile bool         // that spec is from a file
}

type specChange struct {
	key      spec.Key
	change   func(*spec.Spec) error
	distance string // the distance of the setting, if its key names one
}

// addSpecFlags registers --set for some settings and the flags that they have, in this command also those of
// the keys in also. Errors of c call these settings by their flags.
func addSpecFlags(c *cobra.Command, settings []spec.Setting, also ...spec.Key) *specFlags {
	all := &specFlags{}
	for _, s := range settings {
		all.all = append(all.all, &specValue{all: all, setting: s, text: s.Default})
	}
	for _, group := range append(slices.Clone(flagged), flagGroup{"Fixed values", also}) {
		for _, key := range group.keys {
			if v := all.value(key); v != nil {
				v.addTo(c, group.heading)
			}
		}
	}
	set := c.Flags().VarPF(&setValue{all}, "set", "", "Set any other setting by its key (aibd settings lists all).")
	putInGroup(set, mainFlags)
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error { return all.rename(run(c, args)) }
	return all
}

// addTo registers the flag of the setting.
func (v *specValue) addTo(c *cobra.Command, heading string) {
	v.flag = true
	f := c.Flags().VarPF(v, v.setting.Flag, "", spec.Synopsis(v.setting.Help))
	putInGroup(f, heading)
	if v.setting.Type() == "bool" {
		f.NoOptDefVal = "true"
	}
}

// value returns the setting at a key, nil if the command has none.
func (all *specFlags) value(key spec.Key) *specValue {
	i := slices.IndexFunc(all.all, func(v *specValue) bool { return v.setting.Key == key })
	if i < 0 {
		return nil
	}
	return all.all[i]
}

// apply lays the flags that were given over s.
func (all *specFlags) apply(s *spec.Spec) error {
	if all.given(string(orderKey)) && all.given(string(permutationKey)) {
		return usageError{errors.New("found both --permutation and " + string(orderKey) + ", expected one of them")}
	}
	for _, named := range []bool{false, true} { // first what gives distances their names
		for _, set := range all.set {
			if (set.distance != "") != named {
				continue
			}
			if err := set.change(s); err != nil {
				return err
			}
		}
	}
	if err := all.oneDistance(*s); err != nil {
		return err
	}
	if all.given(string(orderKey)) {
		s.Prior.Permutation.Kind, s.Prior.Permutation.Order = "ordered", nil
	}
	all.laid = true
	return nil
}

// oneDistance returns an error if there are several distances and a key does not name its distance.
func (all *specFlags) oneDistance(s spec.Spec) error {
	if len(s.Distance.FurtherDistances) == 0 {
		return nil
	}
	for _, set := range all.set {
		if tail, ok := strings.CutPrefix(string(set.key), "distance."); ok && set.distance == "" && !hasFlag(set.key) {
			return usageError{fmt.Errorf("%s: found %d distances, expected the name of one (--set distance.%s.%s=VALUE) or [[distance]] in a spec file",
				set.key, 1+len(s.Distance.FurtherDistances), s.Distance.FurtherDistances[0].Label(), tail)}
		}
	}
	return nil
}

// setFile sets the file of the data.
func (all *specFlags) setFile(file string) {
	all.set = append(all.set, specChange{key: "data.file", change: func(s *spec.Spec) error { s.Data.File = file; return nil }})
}

// given reports whether a setting was given whose key starts with one of the prefixes.
func (all *specFlags) given(prefixes ...string) bool {
	return slices.ContainsFunc(all.set, func(set specChange) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(string(set.key), p) })
	})
}

// renamedError is an error in which settings are called by their flags.
type renamedError struct {
	error
	text string
}

func (e renamedError) Error() string { return e.text }
func (e renamedError) Unwrap() error { return e.error }

// rename calls the settings in an error by their flags, except those that a spec from a
// file has.
func (all *specFlags) rename(err error) error {
	var about *spec.Error
	if !all.laid || !errors.As(err, &about) {
		return err
	}
	return renamedError{err, strings.Replace(err.Error(), about.Error(), about.Text(all.name), 1)}
}

// name returns the flag that gave a setting. If only a flag can give it, name returns this flag,
// and otherwise the key.
func (all *specFlags) name(key spec.Key) string {
	flagged := key
	switch key {
	case "prior.permutation.order":
		flagged = permutationKey
	case "distance.name", "distance.columns", "distance.file", "distance.period":
		if !all.given(string(key)) && all.given("distance.kind") {
			flagged = "distance.kind"
		}
	case permutationKey:
		if all.given(string(orderKey)) {
			return string(orderKey)
		}
	}
	v := all.value(flagged)
	if v == nil || !v.flag || all.onFile && !all.given(string(flagged)) {
		return string(key)
	}
	return "--" + v.setting.Flag
}

// files returns the files that settings on the command line name.
func (all *specFlags) files() []string {
	s := spec.Default()
	for _, set := range all.set {
		_ = set.change(&s) // the command reports the error
	}
	return s.Files()
}

// setValue is the pflag.Value of --set.
type setValue struct{ all *specFlags }

func (*setValue) String() string { return "" }
func (*setValue) Type() string   { return "KEY=VALUE" }

// Set takes a key and its value from the command line.
func (v *setValue) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("--set: found %s, expected KEY=VALUE (aibd settings lists the keys)", hint.Quoted(text))
	}
	if target := v.all.value(spec.Key(name)); target == nil {
		if v.all.setOf(name, value) {
			return nil
		}
		return fmt.Errorf("--set: %w (aibd settings lists all)", v.all.unknown(name))
	} else if err := target.Set(value); err != nil {
		return fmt.Errorf("%s: found %q, %w", name, value, err)
	}
	return nil
}

// setOf takes a key of a distance with its name, as distance.year.decay, and reports whether it is one.
func (all *specFlags) setOf(name, value string) bool {
	label, ok := strings.CutPrefix(name, "distance.")
	for _, v := range all.all {
		tail, ofDistance := strings.CutPrefix(string(v.setting.Key), "distance.")
		if label, hasTail := strings.CutSuffix(label, "."+tail); ok && ofDistance && hasTail && label != "" {
			all.set = append(all.set, specChange{v.setting.Key, func(s *spec.Spec) error {
				if err := v.setting.SetOf(s, label, value); err != nil {
					return usageError{fmt.Errorf("%s: %w", name, err)}
				}
				return nil
			}, label})
			return true
		}
	}
	return false
}

// unknown returns the error for a key that does not exist. It proposes the key of a flag or of an argument in R and Python.
func (all *specFlags) unknown(name string) error {
	var keys []string
	for _, v := range all.all {
		if v.setting.Flag == strings.ReplaceAll(name, "_", "-") {
			return fmt.Errorf("unknown key %q, did you mean %q?", name, v.setting.Key)
		}
		keys = append(keys, string(v.setting.Key))
	}
	return hint.Unknown("key", name, keys)
}

// specValue is the pflag.Value of one setting.
type specValue struct {
	all     *specFlags
	setting spec.Setting
	flag    bool // whether it has a flag in the command
	text    string
}

func (v *specValue) String() string { return v.text }
func (v *specValue) Type() string   { return v.setting.Type() } // in the help; pflag prints no name for bool

// Set takes the value from the command line.
func (v *specValue) Set(text string) error {
	if strings.HasPrefix(text, "--") {
		return errors.New("expected a value before the next flag")
	}
	key, change := v.setting.Key, v.setting.Set
	switch {
	case key == permutationKey:
		change = setPermutation
	case slices.ContainsFunc(v.all.set, func(set specChange) bool { return set.key == key && set.distance == "" }):
		change = v.setting.Append
	}
	if key != permutationKey {
		if err := v.setting.Set(new(spec.Spec), text); err != nil {
			return err
		}
	}
	v.text = text
	v.all.set = append(v.all.set, specChange{key: key, change: func(s *spec.Spec) error { return change(s, text) }})
	return nil
}

// setPermutation sets the order from the text of --permutation.
func setPermutation(s *spec.Spec, text string) error {
	p := spec.Permutation{Kind: text}
	if text != "random" && text != "fixed" {
		p.Kind = "fixed"
		name, content := "--permutation", text
		if strings.Trim(text, "0123456789, -+.eE") != "" { // not a list of numbers
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
