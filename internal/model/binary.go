package model

// Columns of two values: which are binary although the spec does not say so.

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/spec"
)

// minAlike is the number of items from which on it means something that columns look like categories,
// codes or each other: fewer cells may by chance.
const minAlike = 5

// openToBinary reports whether columns of two values may be binary by default: the spec does not say
// which are, and has no setting of a table of numbers.
func openToBinary(s spec.Spec) bool {
	d := s.Data
	return (len(d.Binary) == 0 || slices.Contains(d.Binary, spec.AutoBinary)) && d.Builtin == "" && d.Preset == "" && d.Center && d.Noise == "" && s.Sampler.Init != spec.InitSubsample
}

// openToAll reports whether all columns may be binary by default: no setting names columns of another kind.
func openToAll(s spec.Spec) bool {
	d := s.Data
	return openToBinary(s) && len(d.Ordinal)+len(d.Log)+len(d.Log1p)+len(d.Hellinger)+len(d.Count) == 0
}

// twoValues returns the values of a column that has two: any in enough rows, or 0 and 1 or text in fewer. It
// returns nil for other columns.
func (in *Input) twoValues(column string) []string {
	values, err := in.Items.Different(column, 2)
	if err != nil || len(values) != 2 || in.Items.N() < minAlike {
		return nil
	}
	numbers, text := 0, 0
	for _, value := range values {
		if _, err := strconv.ParseFloat(value, 64); err == nil {
			numbers++
		} else if !strings.ContainsAny(value[:1], "<>") { // which begin limits
			text++
		}
	}
	if presence(values) || text == 2 || numbers == 2 && in.Items.N() >= 2*perFewValue {
		return values
	}
	return nil
}

// hasTwo reports whether a column has two values.
func (in *Input) hasTwo(column string) bool {
	values, err := in.Items.Different(column, 2)
	return err == nil && len(values) == 2
}

// isLogical reports whether the values of a column are TRUE and FALSE.
func (in *Input) isLogical(column string) bool {
	values, err := in.Items.Different(column, 2)
	return err == nil && len(values) == 2 && !slices.ContainsFunc(values, func(v string) bool {
		return !strings.EqualFold(v, "true") && !strings.EqualFold(v, "false")
	}) && !strings.EqualFold(values[0], values[1])
}

// presence reports whether two values are 0 and 1.
func presence(values []string) bool {
	return slices.Contains(values, "0") && slices.Contains(values, "1")
}

// fillBinary makes all columns of X binary if each has two values. If only some have, it makes those of
// 0 and 1 binary if the spec leaves this open and the other columns keep their noise scales, which takes two
// columns of numbers, or none, and those of TRUE and FALSE. It returns notes on both and on the others. If the spec asks for
// all, columns of numbers that have more than two values stay.
func (in *Input) fillBinary(s *spec.Spec, columns []string) []string {
	all, auto := openToAll(*s), false
	if slices.Contains(s.Data.Binary, spec.AutoBinary) {
		auto = openToBinary(*s)
		s.Data.Binary = []string{}
	}
	if slices.Contains(s.Data.Binary, spec.NoBinary) {
		return nil
	}
	if slices.Contains(s.Data.Binary, spec.AllBinary) {
		return in.narrow(s, columns)
	}
	categories, err := in.categories(s.Data, columns)
	if err != nil {
		return nil // observations returns the error
	}
	transforms := map[string]spec.Key{} // the setting that transforms or counts a column
	for _, group := range transformed(&s.Data) {
		names, err := in.selected(group.key, group.patterns, columns)
		if err != nil {
			return nil
		}
		for _, name := range names {
			transforms[name] = group.key
		}
	}
	var two, zeroOne, logical []string
	numbers, counted := 0, in.counted(columns)
	for j, column := range columns {
		if categories[j] != nil {
			continue
		}
		values := in.twoValues(column)
		if in.isLogical(column) && !isWord(column) {
			logical = append(logical, column)
			if values != nil {
				two = append(two, column)
			}
			continue
		}
		numbers++
		if transforms[column] == "data.count" || values == nil || counted[column] {
			continue
		}
		two = append(two, column)
		if presence(values) && transforms[column] == "" && !isWord(column) {
			zeroOne = append(zeroOne, column)
		}
	}
	const asNumbers, asText = "(--binary none takes them as numbers)", "(--binary none leaves text out)"
	if two != nil && len(two) == len(columns) && all {
		s.Data.Binary = []string{spec.AllBinary}
		instead, numeric := asNumbers, lists.Positions(in.Items.NumericColumns())
		if slices.ContainsFunc(columns, func(column string) bool { _, ok := numeric[column]; return !ok }) {
			instead = asText
		}
		return []string{"each column has two values: all are binary " + instead}
	}
	var notes []string
	take := func(what, instead string, names []string) {
		s.Data.Binary = append(s.Data.Binary, names...)
		two = slices.DeleteFunc(two, func(c string) bool { return slices.Contains(names, c) })
		notes = append(notes, fmt.Sprintf("%s only: %s; they are binary %s", what, hint.Listed(names, 3), instead))
	}
	if auto && zeroOne != nil && numbers-len(zeroOne) != 1 {
		take("0 and 1", asNumbers, zeroOne)
	}
	if auto && logical != nil {
		take("TRUE and FALSE", asText, logical)
	}
	if len(two) > 0 {
		option := cmp.Or(flag("binary", s.Data.Binary, two, columns), "--binary")
		notes = append(notes, fmt.Sprintf("two different values: %s; features may fit them exactly (%s takes categories)", hint.Listed(two, 3), option))
	}
	return notes
}

// counted returns the columns of numbers that look like counts, some only as others do: two counts of a rare species.
func (in *Input) counted(columns []string) map[string]bool {
	numeric := lists.Positions(in.Items.NumericColumns())
	names := slices.DeleteFunc(slices.Clone(columns), func(column string) bool { _, ok := numeric[column]; return !ok })
	x, _, err := in.Items.Limited(names)
	if err != nil || len(names) == 0 {
		return nil
	}
	o := Observed{X: x, Units: slices.Repeat(dataset.Units{dataset.Identity}, len(names)), Categories: make([]*Categories, len(names))}
	shapes, _ := o.shapes()
	like := map[string]bool{}
	for j, s := range shapes {
		if s == countLike {
			like[names[j]] = true
		}
	}
	return like
}

// isWord reports whether the name of a column is a word of the setting.
func isWord(column string) bool {
	return slices.Contains([]string{spec.AllBinary, spec.NoBinary, spec.AutoBinary}, column)
}

// narrow replaces all by the columns of two values if columns of numbers among them have more, and returns a note.
func (in *Input) narrow(s *spec.Spec, columns []string) []string {
	var two, several []string
	for _, column := range columns {
		if in.hasTwo(column) {
			two = append(two, column)
		} else {
			several = append(several, column)
		}
	}
	numeric := lists.Positions(in.Items.NumericColumns())
	text := slices.ContainsFunc(several, func(column string) bool { _, ok := numeric[column]; return !ok })
	three := slices.ContainsFunc(several, func(column string) bool { // a typing error, maybe
		values, err := in.Items.Different(column, 3)
		return err == nil && len(values) == 3
	})
	if two == nil || several == nil || text || three || slices.ContainsFunc(columns, isWord) || len(s.Data.Ordinal) > 0 {
		return nil // as it is, or observations returns an error
	}
	s.Data.Binary = two
	return []string{fmt.Sprintf("one value, or more than two: %s; --binary all takes the other columns", hint.Listed(several, 3))}
}
