// Package quantity makes test quantities of expressions over the columns of X, such as
// "quantile(income, 0.9) - mean(income)".
package quantity

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

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
	if found := named.FindStringSubmatch(text); found != nil && !strings.HasPrefix(found[1], "let ") {
		q.Name, source = strings.TrimSpace(found[1]), found[2]
	}
	c := compiler{Table: t}
	whole, err := c.parse(dotted.ReplaceAllStringFunc(source, func(name string) string { return strings.ReplaceAll(name, ".", dot) }))
	if err != nil {
		at := ""
		if p := (place{}); errors.As(err, &p) {
			at = fmt.Sprintf(", character %d", utf8.RuneCountInString(text)-utf8.RuneCountInString(source)+p.from+1)
		}
		return q, fmt.Errorf("%s%s: %s", hint.Quoted(text), at, strings.ReplaceAll(err.Error(), dot, "."))
	}
	q.Of = func(x [][]float64) float64 {
		if value := whole.of(x); value != nil {
			return value[0]
		}
		return math.NaN()
	}
	q.Rounding = func(x [][]float64) (most float64) {
		at := q.Of(x)
		for _, sign := range []float64{1, -1} { // a shift of all cells does not change an sd
			if change := math.Abs(q.Of(t.nudged(x, sign)) - at); change > most { // not NaN
				most = change
			}
		}
		return most
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

// dotted matches a name. The parser takes a dot for an operator, so it sees the letter dot instead.
var dotted = regexp.MustCompile(`[\pL_][\pL\pN_.]*`)

const dot = "\uA78F"

// named matches a name, = and an expression, but no comparison.
var named = regexp.MustCompile(`(?s)^\s*([\pL_][\pL\pN_ .-]*?)\s*=([^=].*)$`)

// token matches what the parser says of a token.
var token = regexp.MustCompile(`^unexpected token (?:\w+\()?(.*?)\)?$`)

// literal matches the part of an error of a number that repeats the number.
var literal = regexp.MustCompile(`strconv\.\w+: parsing ".*": `)

// place is an error at a character of the source, counted from zero.
type place struct {
	from int
	error
}

func (p place) Unwrap() error { return p.error }

// at returns an error at a node.
func at(n ast.Node, format string, args ...any) error {
	return place{n.Location().From, fmt.Errorf(format, args...)}
}

// term is a part of an expression: a column with a value for each item, or a number, which is one
// value. Its values are nil if they are undefined.
type term struct {
	column bool
	of     func(x [][]float64) []float64
}

// valuesOf returns the values of all terms, or nil if those of one are undefined.
func valuesOf(terms []term, x [][]float64) [][]float64 {
	values := make([][]float64, len(terms))
	for k, t := range terms {
		if values[k] = t.of(x); values[k] == nil {
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

// number returns the term of a constant.
func number(value float64) term {
	return term{of: func([][]float64) []float64 { return []float64{value} }}
}

type compiler struct{ Table }

// parse returns the term of a source, which must be a number.
func (c *compiler) parse(source string) (term, error) {
	grammar := conf.CreateNew()
	for _, f := range builtin.Builtins {
		grammar.Disabled[f.Name] = true
	}
	for _, name := range functionNames() {
		grammar.Functions[name] = nil // which the grammar of its own functions yields to
	}
	tree, err := parser.ParseWithConfig(source, grammar)
	if wrong := (*file.Error)(nil); errors.As(err, &wrong) {
		found := token.ReplaceAllString(literal.ReplaceAllString(wrong.Message, ""), "found $1")
		return term{}, place{wrong.From, errors.New(strings.Replace(found, "found EOF", "found its end", 1) + `, expected an expression such as mean(a) / sd(column("Life Exp"))`)}
	}
	if err != nil {
		return term{}, err
	}
	whole, err := c.term(tree.Node)
	if err == nil && whole.column {
		err = at(tree.Node, "found a column, expected a number, such as its mean(...)")
	}
	return whole, err
}

// term returns the term of a node.
func (c *compiler) term(n ast.Node) (term, error) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return number(float64(n.Value)), nil
	case *ast.FloatNode:
		return number(n.Value), nil
	case *ast.IdentifierNode:
		return c.columnOf(n, n.Value)
	case *ast.UnaryNode:
		if op := unary[n.Operator]; op != nil {
			return c.apply(op, n.Node)
		}
		return term{}, at(n, "found the operator %s, expected one of %s", n.Operator, strings.Join(slices.Sorted(maps.Keys(unary)), " "))
	case *ast.BinaryNode:
		if u, ok := n.Left.(*ast.UnaryNode); ok && strings.Contains("! not", u.Operator) && strings.Contains("< <= > >= == !=", n.Operator) { // which binds not to the left side
			return term{}, at(u, "found %s before the left side of %s, expected parentheses: not (a %s b)", u.Operator, n.Operator, n.Operator)
		}
		if op := binary[n.Operator]; op != nil {
			return c.apply(op, n.Left, n.Right)
		}
		return term{}, at(n, "found the operator %s, expected one of %s", n.Operator, strings.Join(slices.Sorted(maps.Keys(binary)), " "))
	case *ast.CallNode:
		if name, ok := n.Callee.(*ast.IdentifierNode); ok {
			return c.call(n, name.Value, n.Arguments)
		}
	}
	return term{}, at(n, "found %s, expected numbers, columns, operators and functions", hint.Quoted(n.String()))
}

// columnOf returns a column by its name.
func (c *compiler) columnOf(n ast.Node, name string) (term, error) {
	name = strings.ReplaceAll(name, dot, ".")
	v := slices.Index(c.Columns, name)
	if v < 0 {
		return term{}, place{n.Location().From, hint.Unknown("column", name, c.Columns)}
	}
	return term{true, func(x [][]float64) []float64 {
		column := make([]float64, len(x))
		for i, row := range x {
			column[i] = c.Units.Undo(v, row[v])
		}
		return column
	}}, nil
}

// apply applies an operator cell by cell. Missing cells stay missing.
func (c *compiler) apply(op func(a ...float64) float64, nodes ...ast.Node) (term, error) {
	args := make([]term, len(nodes))
	column := false
	for k, n := range nodes {
		var err error
		if args[k], err = c.term(n); err != nil {
			return term{}, err
		}
		column = column || args[k].column
	}
	return term{column, func(x [][]float64) []float64 {
		values, cells := valuesOf(args, x), 1
		if values == nil {
			return nil
		}
		if column {
			cells = len(x)
		}
		out, cell := make([]float64, cells), make([]float64, len(args))
		for i := range out {
			missing := false
			for k, v := range values {
				cell[k] = v[i%len(v)]
				missing = missing || math.IsNaN(cell[k])
			}
			if out[i] = math.NaN(); missing {
				continue
			}
			if out[i] = op(cell...); math.IsNaN(out[i]) {
				return nil
			}
		}
		return out
	}}, nil
}

// call returns the term of a call of a function.
func (c *compiler) call(n *ast.CallNode, name string, nodes []ast.Node) (term, error) {
	if name == "column" {
		if len(nodes) == 1 {
			if s, ok := nodes[0].(*ast.StringNode); ok {
				return c.columnOf(s, s.Value)
			}
		}
		return term{}, at(n, `found %s, expected a name in quotation marks: column("Life Exp")`, hint.Quoted(n.String()))
	}
	if op := cellwise[name]; op != nil && len(nodes) == 1 {
		return c.apply(op, nodes[0])
	}
	f, ok := functions[name]
	switch {
	case cellwise[name] != nil:
		f.arguments = []bool{false}
	case name == "near":
		f.arguments = []bool{true}
	case !ok:
		return term{}, place{n.Location().From, hint.Unknown("function", name, functionNames())}
	}
	if len(nodes) != len(f.arguments) {
		return term{}, at(n, "arguments of %s: found %d, expected %d", name, len(nodes), len(f.arguments))
	}
	args := make([]term, len(nodes))
	for k, node := range nodes {
		var err error
		if args[k], err = c.term(node); err != nil {
			return term{}, err
		}
		if want := (term{column: f.arguments[k]}); want.column != args[k].column {
			return term{}, at(node, "found %s in %s, expected %s", args[k], name, want)
		}
	}
	if name == "near" {
		nearest, err := c.Nearest()
		if err != nil {
			return term{}, at(n, "near: %w", err)
		}
		f.of = func(a ...[]float64) float64 { return predict.Correlation(a[0], neighborMeans(a[0], nearest)) }
	}
	return term{of: func(x [][]float64) []float64 {
		if values := valuesOf(args, x); values != nil {
			if value := f.of(values...); !math.IsNaN(value) {
				return []float64{value}
			}
		}
		return nil
	}}, nil
}
