package cli

// The flags of the settings of a spec. They are laid over a spec from elsewhere, so that
// the command line has the last word.

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"aibd/internal/spec"
)

const (
	// permutationKey is the setting of --permutation, which sets the order too.
	permutationKey = spec.Key("prior.permutation.kind")
	// orderKey is the setting of --order-by, which implies the kind.
	orderKey = spec.Key("prior.permutation.column")
)

// specFlags are the flags of a command that set a spec.
type specFlags struct {
	all    []spec.Setting
	set    []specChange // in the order of the command line
	laid   bool         // over a spec: errors from then on are about both
	onFile bool         // that spec is from a file
}

type specChange struct {
	key    spec.Key
	change func(*spec.Spec) error
}

// addSpecFlags registers the flags of some settings. Errors of c call these settings by
// their flags.
func addSpecFlags(c *cobra.Command, settings []spec.Setting) *specFlags {
	all := &specFlags{}
	for _, s := range settings {
		if s.Flag == "" {
			continue
		}
		if s.Key == permutationKey {
			s.Help = "Order in which the items arrive: random (unknown, uniform), fixed (the order of the rows), a list of all items, counted from 1, such as 3,1,2, or a file with such a list."
		}
		all.all = append(all.all, s)
		f := c.Flags().VarPF(&specValue{all, s, s.Default}, s.Flag, "", s.Help)
		putInGroup(f, s.Group)
		if s.Type() == "bool" {
			f.NoOptDefVal = "true"
		}
	}
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error { return all.rename(run(c, args)) }
	return all
}

// apply lays the flags that were given over s.
func (all *specFlags) apply(s *spec.Spec) error {
	if all.given(string(orderKey)) && all.given(string(permutationKey)) {
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

// given reports whether a flag was given whose key starts with one of the prefixes.
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

// name returns the flag that a setting was given by, or could have been if there is no
// other place for it; otherwise the key.
func (all *specFlags) name(key spec.Key) string {
	flagged := key
	switch key {
	case "prior.permutation.order":
		flagged = permutationKey
	case "distance.more":
		flagged = "distance.kind"
	case permutationKey:
		if all.given(string(orderKey)) {
			flagged = orderKey
		}
	}
	i := slices.IndexFunc(all.all, func(s spec.Setting) bool { return s.Key == flagged })
	if i < 0 || all.onFile && !all.given(string(flagged)) {
		return string(key)
	}
	return "--" + all.all[i].Flag
}

// specValue is the pflag.Value of one setting.
type specValue struct {
	all     *specFlags
	setting spec.Setting
	text    string
}

func (v *specValue) String() string { return v.text }

// Type is what the help calls the value. pflag prints no name for bool.
func (v *specValue) Type() string {
	if v.setting.Key == permutationKey {
		return "order"
	}
	return v.setting.Type()
}

// Set takes the value from the command line.
func (v *specValue) Set(text string) error {
	if strings.HasPrefix(text, "--") {
		return errors.New("expected a value before the next flag")
	}
	change := func(s *spec.Spec) error { return setPermutation(s, text) }
	if v.setting.Key != permutationKey {
		if err := v.setting.Set(new(spec.Spec), text); err != nil {
			return err
		}
		set := v.setting.Set
		if v.all.given(string(v.setting.Key)) {
			set = v.setting.Append
		}
		change = func(s *spec.Spec) error {
			if v.setting.Key == orderKey {
				s.Prior.Permutation.Kind, s.Prior.Permutation.Order = "ordered", nil
			}
			return set(s, text)
		}
	}
	v.text = text
	v.all.set = append(v.all.set, specChange{v.setting.Key, change})
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
