package model

// Columns of two values: which are binary although the spec does not say so.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aibd/internal/hint"
	"aibd/internal/spec"
)

// minAlike is the number of items from which on it means something that columns look like categories,
// codes or each other: fewer cells may by chance.
const minAlike = 5

// openToBinary reports whether columns of two values may be binary by default: the spec names no
// categories and has no setting of columns of numbers.
func openToBinary(s spec.Spec) bool {
	d := s.Data
	return len(d.Binary)+len(d.Ordinal)+len(d.Log)+len(d.Log1p)+len(d.Hellinger)+len(d.Count) == 0 && d.Builtin == "" && d.Preset == "" && d.Center && d.Noise == "" && s.Sampler.Init != spec.InitSubsample
}

// twoValues reports whether a column has two values: any in enough rows, or 0 and 1 or text in fewer.
func (in *Input) twoValues(column string) bool {
	values, err := in.Items.Different(column, 2)
	if err != nil || len(values) != 2 || in.Items.N() < minAlike {
		return false
	}
	numbers, text := 0, 0
	for _, value := range values {
		if _, err := strconv.ParseFloat(value, 64); err == nil {
			numbers++
		} else if !strings.ContainsAny(value[:1], "<>") { // which begin limits
			text++
		}
	}
	presence := slices.Contains(values, "0") && slices.Contains(values, "1")
	return presence || text == 2 || numbers == 2 && in.Items.N() >= 2*perFewValue
}

// fillBinary makes all columns of X binary if each has two values, and returns a note. If only some
// have, the note names them.
func (in *Input) fillBinary(s *spec.Spec, columns []string) string {
	categories, err := in.categories(s.Data, columns)
	if err != nil {
		return "" // observations returns the error
	}
	counts, err := in.selected("data.count", s.Data.Count, columns)
	if err != nil {
		return ""
	}
	var two []string
	for j, column := range columns {
		if categories[j] == nil && !slices.Contains(counts, column) && in.twoValues(column) {
			two = append(two, column)
		}
	}
	propose := "features may fit them exactly (--binary NAME makes a column binary)"
	switch {
	case two == nil || slices.Contains(s.Data.Binary, spec.NoBinary):
		return ""
	case len(two) == len(columns) && openToBinary(*s):
		s.Data.Binary = []string{spec.AllBinary}
		return "each column has two values: all are binary (--binary none takes them as numbers)"
	}
	return fmt.Sprintf("two different values: %s; %s", hint.Listed(two, 3), propose)
}
