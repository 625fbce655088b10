package feature

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Weighted is an allocation whose ones have weights.
type Weighted struct {
	Z       *Allocation
	Weights []float64 // one for each one of Z, feature by feature, items ascending; nil: all are 1
}

// ReadWeighted reads one matrix G in the text form of ReadAllWeighted.
func ReadWeighted(r io.Reader, name string) (Weighted, error) {
	all, err := ReadAllWeighted(r, name)
	return only(all, err, name)
}

// ReadAllWeighted reads matrices G, at least one, in text form: a line an item, with the weight of each feature, 0 of those
// that the item lacks. Cells are separated by commas, semicolons, blanks or tabs. What ReadTexts reads, it reads
// too. A first line whose first cell is not a number has names of columns, and then the first cell of each
// line is a name, as aibd estimate --csv writes it. Errors start with name and give line, column, what was found
// and what was expected.
func ReadAllWeighted(r io.Reader, name string) ([]Weighted, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if binary, err := ReadTexts(bytes.NewReader(text), name); err == nil {
		all := make([]Weighted, len(binary))
		for i, z := range binary {
			all[i].Z = z
		}
		return all, nil
	}
	var all []Weighted
	var g [][]float64
	named, first := false, 0 // of the matrix under way
	end := func() {
		if len(g) > 0 {
			all = append(all, weightedOf(g))
		}
		g, named = nil, false
	}
	for i, line := range strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n") {
		text := bytes.TrimSpace([]byte(line))
		switch {
		case len(text) == 0:
			end()
			continue
		case text[0] == '#':
			continue
		}
		cell, tail := cut(text)
		if _, err := weight(cell); err != nil && len(g) == 0 && !named {
			named = true
			continue
		}
		if named {
			text = tail
		}
		var row []float64
		for len(text) > 0 {
			cell, text = cut(text)
			w, err := weight(cell)
			if err != nil {
				return nil, fmt.Errorf("%s: line %d, column %d: found %q, %w", name, i+1, len(row)+1, cell, err)
			}
			row = append(row, w)
		}
		if len(g) == 0 {
			first = i + 1
		} else if len(row) != len(g[0]) {
			return nil, fmt.Errorf("%s: line %d has %d entries, expected %d as in line %d", name, i+1, len(row), len(g[0]), first)
		}
		g = append(g, row)
	}
	if end(); len(all) == 0 {
		return nil, fmt.Errorf("%s: found no rows, expected a line of weights for each item", name)
	}
	return all, nil
}

// weight returns the weight in a cell.
func weight(cell []byte) (float64, error) {
	w, err := strconv.ParseFloat(string(bytes.Trim(cell, `"`)), 64)
	if err != nil || math.IsNaN(w) || math.IsInf(w, 0) {
		return 0, errors.New("expected a finite number, the weight of a feature")
	}
	return w, nil
}

// weightedOf returns the features of g that an item has.
func weightedOf(g [][]float64) (w Weighted) {
	w.Z, w.Weights = New(len(g)), []float64{}
	for k := range g[0] {
		index := -1
		for i, row := range g {
			if row[k] == 0 {
				continue
			}
			if index < 0 {
				index = w.Z.Append()
			}
			w.Z.Flip(i, index)
			w.Weights = append(w.Weights, row[k])
		}
	}
	return w
}
