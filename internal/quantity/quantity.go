// Package quantity makes test quantities of expressions over the columns of X, such as
// "quantile(income, 0.9) - mean(income)".
package quantity

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/predict"
)

// Table has the columns of X, their units and the nearest items.
type Table struct {
	Columns []string
	Units   dataset.Units // of X; quantities see the values of the file
	// Nearest returns the nearest other items of each item, for near. It returns an error if items
	// have no distances.
	Nearest func() ([][]int, error)
}

// Parse returns the quantity that text defines: an expression, or a name, = and an expression. The
// quantity takes X as the model sees it; columns in the expression are in the units of the file.
// Operators and functions such as log apply to columns, cell by cell, and to numbers; mean and the
// like turn a column into a number, which the value must be. A comparison is 1 where it holds and 0
// elsewhere. Missing cells do not count. The quantity is NaN if a part of it is undefined, such as the
// logarithm of a negative cell. An error names the expression, the character, what was found and what
// was expected.
func Parse(text string, t Table) (predict.Quantity, error) {
	q := predict.Quantity{Name: strings.TrimSpace(text)}
	source := text
	if match := named.FindStringSubmatch(text); match != nil {
		q.Name, source = strings.TrimSpace(match[1]), match[2]
	}
	whole, err := t.parse(source)
	if err != nil {
		character := ""
		if p := (place{}); errors.As(err, &p) {
			character = fmt.Sprintf(", character %d", utf8.RuneCountInString(text)-utf8.RuneCountInString(source)+p.pos+1)
		}
		return q, fmt.Errorf("%s%s: %s", hint.Quoted(text), character, strings.ReplaceAll(err.Error(), dot, "."))
	}
	q.Value = func(x [][]float64) float64 {
		if value := whole.value(x); value != nil {
			return value[0]
		}
		return math.NaN()
	}
	q.Rounding = func(x [][]float64) (largest float64) {
		value := q.Value(x)
		for _, sign := range []float64{1, -1} { // a shift of all cells does not change an sd
			if change := math.Abs(q.Value(t.nudged(x, sign)) - value); change > largest { // not NaN
				largest = change
			}
		}
		return largest
	}
	return q, nil
}

// nudged returns x with each cell raised by 1e-13 of its size in the units of the file, times sign in
// odd rows.
func (t Table) nudged(x [][]float64, sign float64) [][]float64 {
	moved := make([][]float64, len(x))
	for i, row := range x {
		size := 1e-13
		if i%2 == 1 {
			size *= sign
		}
		for j, v := range row {
			moved[i] = append(moved[i], v+size*math.Abs(t.Units.Linear(j, v))/t.Units.Scale(j))
		}
	}
	return moved
}

// named matches a name, = and an expression, but no comparison.
var named = regexp.MustCompile(`(?s)^\s*([\pL_][\pL\pN_ .-]*?)\s*=([^=].*)$`)

// term is a part of an expression: a column with a value for each item, or a number, which is one
// value. Its values are nil if they are undefined.
type term struct {
	column bool
	value  func(x [][]float64) []float64
}

// valuesOf returns the values of all terms, or nil if those of one are undefined.
func valuesOf(terms []term, x [][]float64) [][]float64 {
	values := make([][]float64, len(terms))
	for k, t := range terms {
		if values[k] = t.value(x); values[k] == nil {
			return nil
		}
	}
	return values
}

func (t term) String() string {
	if t.column {
		return "a column"
	}
	return "a number"
}
