package spec

// The settings of a spec, as the tags of its fields declare them.

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"aibd/internal/hint"
	"aibd/mcmc"
)

// Setting is one key of a spec. Its field in Spec declares it by these tags:
//
//	toml, json  last part of the key
//	flag        name of the flag and, with _ for -, of the argument in R and Python, if not
//	            the key with dashes; - for none. Package cli says which have a flag.
//	default     value as the flag would be given; of what a Go program sets too, see ofLibrary
//	range       interval such as [0,1) of allowed numbers
//	oneof       what the value is, and the allowed values
//	rare        any text for a setting that the usual list leaves out
//
// In flag, * stands for the flag of the enclosing struct. The default is always allowed. The help is in
// help.txt: a line that says what the setting does, and further lines that explain it.
type Setting struct {
	Key                 Key
	Flag, Default, Help string

	Rare bool // left out of the usual list

	limits string
	oneOf  []string
	index  []int // of the field, in Spec
}

// Settings lists the settings that a text can set, the sub-tables of a table after its own keys. The others
// are only in files.
func Settings() []Setting {
	return slices.DeleteFunc(slices.Clone(settings), func(d Setting) bool { return d.Flag == "" })
}

//go:embed help.txt
var helpText string

// helps has the help of each setting and each table of a spec, by its key.
var helps = func() map[string]string {
	m := map[string]string{}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(helpText), "\n\n") {
		key, help, _ := strings.Cut(paragraph, "\n")
		m[key] = help
	}
	return m
}()

var settings []Setting

func init() { declare(reflect.TypeFor[Spec](), Setting{}) }

// ofLibrary are the defaults that package mcmc has.
var ofLibrary = func() map[Key]any {
	g, c, o := mcmc.DefaultGamma(), mcmc.DefaultConfig(), mcmc.DefaultOptions()
	return map[Key]any{
		"prior.mass.shape": g.Shape, "prior.mass.rate": g.Rate, "prior.temperature.shape": g.Shape, "prior.temperature.rate": g.Rate,
		"sampler.warmup": c.Warmup, "sampler.draws": c.Draws, "sampler.thin": c.Thin,
		"sampler.shuffle_size": o.ShuffleSize, "sampler.insertions": o.Insertions, "sampler.step_correlation": o.Correlation, "sampler.tune": o.Tune,
	}
}()

// declare adds the settings of the struct type t. The parent holds the path, the index and the flag of the enclosing struct.
func declare(t reflect.Type, parent Setting) {
	for _, nested := range []bool{false, true} {
		for f := range t.Fields() {
			get := f.Tag.Get
			if (f.Type.Kind() == reflect.Struct) != nested || get("toml") == "-" {
				continue
			}
			s := Setting{
				Key:     Key(strings.TrimPrefix(string(parent.Key)+"."+get("toml"), ".")),
				Default: get("default"), Rare: get("rare") != "", limits: get("range"), oneOf: strings.Fields(get("oneof")), index: append(slices.Clone(parent.index), f.Index...),
			}
			s.Help = helps[string(s.Key)]
			if value, ok := ofLibrary[s.Key]; ok {
				s.Default = fmt.Sprint(value)
			}
			if nested {
				s.Flag = get("flag")
				declare(f.Type, s)
				continue
			}
			s.Flag = strings.ReplaceAll(cmp.Or(get("flag"), strings.ReplaceAll(get("toml"), "_", "-")), "*", parent.Flag)
			if s.Flag == "-" {
				s.Flag = ""
			}
			settings = append(settings, s)
		}
	}
}

// Default returns the spec with the defaults, which given values replace. Complete and the data
// fill in the rest.
func Default() (s Spec) {
	for _, d := range settings {
		if d.Default != "" {
			if err := d.Set(&s, d.Default); err != nil {
				panic(fmt.Sprintf("spec: default of %s: %v", d.Key, err))
			}
		}
	}
	return s
}

// field returns the field of s.
func (d Setting) field(s *Spec) reflect.Value { return reflect.ValueOf(s).Elem().FieldByIndex(d.index) }

// Synopsis returns the first line of a help.
func Synopsis(help string) string {
	line, _, _ := strings.Cut(help, "\n")
	return line
}

// Table returns the table of the setting and its help.
func (d Setting) Table() (name, help string) {
	name = string(d.Key)[:strings.LastIndex(string(d.Key), ".")]
	return name, helps[name]
}

var typeNames = map[reflect.Kind]string{
	reflect.Float64: "number", reflect.Int: "int", reflect.Uint64: "int", reflect.Slice: "list", reflect.Bool: "bool", reflect.String: "name",
}

// Type returns what the help calls the value: number, int, list, bool or name.
func (d Setting) Type() string {
	t := d.field(new(Spec)).Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return typeNames[t.Kind()]
}

// Set sets the setting from a text as on the command line. Lists of names are separated
// by commas.
func (d Setting) Set(s *Spec, text string) (err error) {
	f := d.field(s)
	open := f.Kind() == reflect.Pointer // may be left to the data
	if open {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	switch v := f.Addr().Interface().(type) {
	case *bool:
		switch *v, err = strconv.ParseBool(text); {
		case err == nil:
		case !open:
			return errors.New("expected true or false")
		case text != "auto":
			return errors.New("expected auto, true or false")
		default:
			d.field(s).SetZero()
		}
	case *int:
		if *v, err = strconv.Atoi(text); err != nil {
			return errors.New("expected a whole number")
		}
	case *uint64:
		if *v, err = strconv.ParseUint(text, 10, 64); err != nil {
			return errors.New("expected a whole number of at least 0")
		}
	case *float64:
		if *v, err = strconv.ParseFloat(text, 64); err != nil {
			return errors.New("expected a number")
		}
	case *[]string:
		*v = []string{} // an empty list differs from the default
		for _, part := range names(text) {
			last := len(*v) - 1
			if d.Key == "data.ordinal" && last >= 0 && strings.Contains((*v)[last], "=") && !strings.Contains(part, "=") {
				(*v)[last] += "," + part // a further label
			} else {
				*v = append(*v, part)
			}
		}
	case *string:
		if d.Key == "distance.kind" {
			if len(s.Distance.FurtherDistances) > 0 { // which the text replaces
				s.Distance = Distance{}
			}
			return s.Distance.set(text)
		}
		*v = text
	default:
		panic("spec: " + string(d.Key) + " has no text")
	}
	return nil
}

// SetOf sets the setting of the distance with a label, as Set does.
func (d Setting) SetOf(s *Spec, label, text string) error {
	all, labels := s.Distance.each(), []string{}
	for m, distance := range all {
		labels = append(labels, distance.Label())
		if distance.Label() != label {
			continue
		}
		one := *s
		one.Distance = distance
		err := d.Set(&one, text)
		all[m] = one.Distance
		s.Distance = join(all)
		if err != nil {
			err = fmt.Errorf("found %q, %w", text, err)
		}
		return err
	}
	if len(labels) == 1 && labels[0] == "" {
		return fmt.Errorf("found the distance %q of a spec without distances, expected --distance or [[distance]]", label)
	}
	return hint.Unknown("distance", label, labels)
}

// names returns the names of a list that are separated by commas.
func names(list string) (all []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// Append adds the names in a text to a list, as a flag that is given again does, and a kind of distance
// to the distances. It sets any other setting.
func (d Setting) Append(s *Spec, text string) error {
	if d.Key == "distance.kind" {
		return s.Distance.add(text)
	}
	list, ok := d.field(s).Addr().Interface().(*[]string)
	if !ok {
		return d.Set(s, text)
	}
	before := *list
	err := d.Set(s, text)
	*list = slices.Concat(before, *list)
	return err
}

// check reports a value that is out of range, none of those allowed, or text that JSON
// cannot hold.
func (d Setting) check(s *Spec) error {
	v := reflect.Indirect(d.field(s))
	texts, _ := d.field(s).Interface().([]string)
	if v.Kind() == reflect.String {
		texts = []string{v.String()}
	}
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return Errorf(d.Key, "found %q, expected text in UTF-8", text)
		}
	}
	if !v.IsValid() || fmt.Sprint(v) == d.Default {
		return nil
	}
	if len(d.oneOf) > 0 && !slices.Contains(d.oneOf[1:], v.String()) {
		if file := v.String(); d.oneOf[0] == "distance" && strings.Contains(file, ".") {
			return Errorf(d.Key, "found the file %s, expected matrix: or tree: before it", hint.Quoted(file))
		}
		return Errorf(d.Key, "%w", hint.Unknown(d.oneOf[0], v.String(), d.oneOf[1:]))
	}
	if d.limits == "" {
		return nil
	}
	x := v.Convert(reflect.TypeFor[float64]()).Float()
	low, high, words := limits(d.limits, v.CanInt())
	if above := x > low || x == low && d.limits[0] == '['; above && (x < high || x == high && strings.HasSuffix(d.limits, "]")) {
		return nil
	}
	return Errorf(d.Key, "found %v, expected %s", v, words)
}

// limits returns the ends of an interval and its description.
func limits(text string, whole bool) (low, high float64, words string) {
	lower, upper, _ := strings.Cut(text[1:len(text)-1], ",")
	low, err := strconv.ParseFloat(lower, 64)
	if err == nil {
		high, err = strconv.ParseFloat(upper, 64)
	}
	switch {
	case err != nil:
		panic("spec: range " + text)
	case whole:
		words = lower + " to " + upper
	case strings.HasPrefix(text, "(") && strings.HasSuffix(text, "]"):
		words = "a number above " + lower + " and at most " + upper
	case !math.IsInf(high, 1) && text[0] == '(':
		words = "a number between " + lower + " and " + upper
	case !math.IsInf(high, 1):
		words = "a number from " + lower + " to " + upper
	case text[0] == '(':
		words = "a finite number above " + lower
	default:
		words = "a finite number of at least " + lower
	}
	return low, high, words
}
