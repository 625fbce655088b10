package model

// Columns of two values: which are binary although the spec does not say so.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aibd/internal/hint"
	"aibd/internal/spec"
	"aibd/mcmc"
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
	return presence(values) || text == 2 || numbers == 2 && in.Items.N() >= 2*perFewValue
}

// presence reports whether two values are 0 and 1.
func presence(values []string) bool {
	return slices.Contains(values, "0") && slices.Contains(values, "1")
}

// fillBinary makes all columns of X binary if each has two values. If only some have, it makes those of
// 0 and 1 binary if the spec leaves this open. It returns notes on both and on the others.
func (in *Input) fillBinary(s *spec.Spec, columns []string) (notes []string) {
	auto, all := slices.Contains(s.Data.Binary, spec.AutoBinary), openToAll(*s)
	open := auto && openToBinary(*s) && mcmc.DefaultFeatures(in.Items.N()) != mcmc.Binary
	if auto {
		s.Data.Binary = []string{}
	}
	categories, err := in.categories(s.Data, columns)
	if err != nil {
		return nil // observations returns the error
	}
	numbers := map[string]spec.Key{} // columns that a setting transforms, or counts
	for _, of := range transformed(&s.Data) {
		names, err := in.selected(of.key, of.patterns, columns)
		if err != nil {
			return nil
		}
		for _, name := range names {
			numbers[name] = of.key
		}
	}
	var two, zeroOne []string
	for j, column := range columns {
		of := numbers[column]
		if categories[j] != nil || of == "data.count" || !in.twoValues(column) {
			continue
		}
		if values, _ := in.Items.Different(column, 2); open && of == "" && presence(values) {
			zeroOne = append(zeroOne, column)
			continue
		}
		two = append(two, column)
	}
	const instead = "(--binary none takes them as numbers)"
	switch {
	case len(two)+len(zeroOne) == 0 || slices.Contains(s.Data.Binary, spec.NoBinary):
		return nil
	case len(two)+len(zeroOne) == len(columns) && all:
		s.Data.Binary = []string{spec.AllBinary}
		return []string{"each column has two values: all are binary " + instead}
	}
	if s.Data.Binary = append(s.Data.Binary, zeroOne...); zeroOne != nil {
		notes = append(notes, fmt.Sprintf("0 and 1 only: %s; they are binary %s", hint.Listed(zeroOne, 3), instead))
	}
	if two != nil {
		notes = append(notes, fmt.Sprintf("two different values: %s; features may fit them exactly (--binary NAME makes a column binary)", hint.Listed(two, 3)))
	}
	return notes
}
