package spec

// The distances between items.

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"aibd/internal/hint"
	"aibd/internal/lists"
)

// Distance says how the distances between items are computed. The unit of the temperature is
// one over theirs.
type Distance struct {
	Kind        string         `toml:"kind" json:"kind" flag:"*" oneof:"distance absolute euclidean great-circle same cyclic gower matrix tree none"`
	Name        string         `toml:"name" json:"name,omitempty" flag:"-"`
	Columns     []string       `toml:"columns" json:"columns" flag:"*-columns" rare:"yes"`
	Period      float64        `toml:"period" json:"period,omitempty" flag:"*-period" range:"[0,1e300]" rare:"yes"`
	Standardize bool           `toml:"standardize" json:"standardize" flag:"*-standardize" rare:"yes"`
	Shift       float64        `toml:"shift" json:"shift" flag:"*-shift" range:"[0,inf)" rare:"yes"`
	File        string         `toml:"file" json:"file" flag:"*-file" rare:"yes"`
	Temperature OwnTemperature `toml:"temperature" json:"temperature,omitzero" flag:"distance-temperature"`

	FurtherDistances []Distance `toml:"-" json:"-"` // distances after the first, whose similarities multiply; they have none
}

// OwnTemperature is what sets the temperature of a distance apart. What is 0 or nil is as in Prior.Temperature.
type OwnTemperature struct {
	Value *float64 `toml:"value" json:"value,omitempty" flag:"*" range:"(0,inf)"`
	Fixed bool     `toml:"fixed" json:"fixed,omitempty" flag:"fix-*"`
	Shape float64  `toml:"shape" json:"shape,omitempty" flag:"*-shape" range:"[0,inf)"`
	Rate  float64  `toml:"rate" json:"rate,omitempty" flag:"*-rate" range:"[0,inf)"`
}

// HasPoints reports whether the items are points on a line, in space or on the globe.
func (d Distance) HasPoints() bool {
	return d.Kind == "absolute" || d.Kind == "euclidean" || d.Kind == "great-circle"
}

// set sets name, kind and what belongs to them from a text: KIND or KIND:ARGUMENTS, with NAME= in front
// if the distance has a name. Arguments are the columns, separated by commas, or the file. The last
// argument of cyclic is the period if there are two.
func (d *Distance) set(text string) error {
	kind, arguments, ok := strings.Cut(text, ":")
	if name, kindName, named := strings.Cut(kind, "="); named {
		d.Name, kind = strings.TrimSpace(name), kindName
	}
	d.Kind = kind
	switch {
	case !ok:
		return nil
	case strings.TrimSpace(arguments) == "":
		return errors.New("expected columns or a file behind the colon")
	case kind == "matrix" || kind == "tree":
		d.File = arguments
		return nil
	}
	d.Columns = names(arguments)
	if last := len(d.Columns) - 1; kind == "cyclic" && last > 0 {
		period, err := strconv.ParseFloat(d.Columns[last], 64)
		if err != nil {
			return errors.New("expected a column and a number, its period")
		}
		d.Period, d.Columns = period, d.Columns[:last]
	}
	return nil
}

// add adds a distance that a text describes, as set does.
func (d *Distance) add(text string) error {
	var next Distance
	err := next.set(text)
	d.FurtherDistances = append(slices.Clone(d.FurtherDistances), next)
	return err
}

// complete fills in the defaults that depend on the kind.
func (d *Distance) complete() {
	d.FurtherDistances = slices.Clone(d.FurtherDistances)
	for _, columns := range append(lists.Make(len(d.FurtherDistances), func(m int) *[]string { return &d.FurtherDistances[m].Columns }), &d.Columns) {
		if *columns == nil {
			*columns = []string{} // an empty list is the same as none
		}
	}
}

// Per returns the number that divides the distances: distances on the Earth are in 1000 km.
func (d Distance) Per() float64 {
	if d.Kind == "great-circle" {
		return 1000
	}
	return 1
}

// each returns all distances, the first without those after it.
func (d Distance) each() []Distance {
	all := append([]Distance{d}, d.FurtherDistances...)
	all[0].FurtherDistances = nil
	return all
}

// join returns the distances of each as one.
func join(all []Distance) Distance {
	d := all[0]
	if len(all) > 1 {
		d.FurtherDistances = all[1:]
	}
	return d
}

// OwnPrior returns what the prior depends on besides the distances themselves.
func (d Distance) OwnPrior() Distance {
	return join(lists.Map(d.each(), func(one Distance) Distance { return Distance{Temperature: one.Temperature} }))
}

// Distances returns all distances, each with the temperature and its prior, in the unit of
// Prior.TemperatureUnit. The spec must be complete.
func (s Spec) Distances() []Distance {
	all := s.Distance.each()
	for m := range all {
		d, p := &all[m], s.Prior
		t := p.Temperature
		t.Rate *= float64(len(all)) // see docs/theory/decisions/distances.md
		t0 := d.Temperature
		if t0.Shape != 0 || t0.Rate != 0 {
			t.Fixed = false
		}
		t.Fixed = t.Fixed || t0.Fixed || p.Decay == given
		t.Value, t.Shape, t.Rate = cmp.Or(t0.Value, t.Value), cmp.Or(t0.Shape, t.Shape), cmp.Or(t0.Rate, t.Rate)
		d.Temperature = OwnTemperature(t)
	}
	return all
}

// HasTemperature reports whether the law has a temperature on which its decay depends. The spec must be
// complete.
func (s Spec) HasTemperature() bool { return s.Prior.Law != "ibp" && s.Prior.Decay != given }

// RandomTemperatures returns the numbers of the distances, from zero, whose temperatures are unknown. The spec
// must be complete.
func (s Spec) RandomTemperatures() (random []int) {
	if !s.HasTemperature() {
		return nil
	}
	for m, d := range s.Distances() {
		if !d.Temperature.Fixed {
			random = append(random, m)
		}
	}
	return random
}

// Label returns the name of the distance, or else its columns or its file.
func (d Distance) Label() string {
	switch {
	case d.Name != "":
		return d.Name
	case d.File != "":
		return d.File
	case len(d.Columns) > 0:
		return hint.Listed(d.Columns, 2)
	}
	return d.Kind
}

// About adds the name of one of several distances to an error about it.
func (d Distance) About(err error) error {
	var settingError *Error
	if !errors.As(err, &settingError) {
		return err
	}
	return &Error{settingError.Key, "%s: " + settingError.format, append([]any{hint.Quoted(d.Label())}, settingError.args...)}
}

// validateSeveral checks several distances beside each other.
func (s Spec) validateSeveral(v *firstError) {
	all := s.Distance.each()
	for m, d := range all {
		if len(all) == 1 {
			return
		}
		const kind, name = Key("distance.kind"), Key("distance.name")
		v.refuse(d.Kind == "" || d.Kind == "none", kind, "%s: found %s, expected a distance", hint.Quoted(d.Label()), cmp.Or(d.Kind, "none"))
		again := slices.ContainsFunc(all[:m], func(before Distance) bool { return before.Label() == d.Label() })
		v.refuse(again, name, "found two distances %s, expected different names, such as again=%s", hint.Quoted(d.Label()), d.text())
	}
}

// text returns the text of set, without the name.
func (d Distance) text() string {
	columns := strings.Join(d.Columns, ",")
	if d.Period != 0 {
		columns += "," + strconv.FormatFloat(d.Period, 'g', -1, 64)
	}
	return d.Kind + ":" + cmp.Or(d.File, columns)
}
