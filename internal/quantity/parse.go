package quantity

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/predict"
)

// dotted matches a name. The parser takes a dot for an operator, so it sees the letter dot instead.
var dotted = regexp.MustCompile(`[\pL_][\pL\pN_.]*`)

const dot = "\uA78F"

// token matches what the parser says of a token.
var token = regexp.MustCompile(`^unexpected token (?:\w+\()?(.*?)\)?$`)

// place is an error at a character of the source, counted from zero.
type place struct {
	pos int
	error
}

// errorAt returns an error at a node.
func errorAt(n ast.Node, format string, args ...any) error {
	return place{n.Location().From, fmt.Errorf(format, args...)}
}

// grammar has the functions of this package, not those of the library.
var grammar = func() *conf.Config {
	g := conf.CreateNew()
	for _, f := range builtin.Builtins {
		g.Disabled[f.Name] = true
	}
	for _, name := range functionNames() {
		g.Functions[name] = nil
	}
	return g
}()

// parse returns the term of a source, which must be a number.
func (t Table) parse(source string) (term, error) {
	source = dotted.ReplaceAllStringFunc(source, func(name string) string { return strings.ReplaceAll(name, ".", dot) })
	tree, err := parser.ParseWithConfig(source, grammar)
	if wrong := (*file.Error)(nil); errors.As(err, &wrong) {
		message := strings.Replace(token.ReplaceAllString(wrong.Message, "found $1"), "found EOF", "found its end", 1)
		return term{}, place{wrong.From, errors.New(message + `, expected an expression such as mean(a) / sd(column("Life Exp"))`)}
	} else if err != nil {
		return term{}, err
	}
	whole, err := t.compile(tree.Node)
	if err == nil && whole.column {
		err = errorAt(tree.Node, "found a column, expected a number, such as its mean(...)")
	}
	return whole, err
}

// compile returns the term of a node.
func (t Table) compile(n ast.Node) (term, error) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return number(float64(n.Value)), nil
	case *ast.FloatNode:
		return number(n.Value), nil
	case *ast.IdentifierNode:
		return t.columnOf(n, n.Value)
	case *ast.UnaryNode:
		if op := unary[n.Operator]; op != nil {
			return t.apply(op, n.Node)
		}
	case *ast.BinaryNode:
		if u, ok := n.Left.(*ast.UnaryNode); ok && strings.Contains("! not", u.Operator) && strings.Contains("< <= > >= == !=", n.Operator) { // which binds not to the left side
			return term{}, errorAt(u, "found %s before the left side of %s, expected parentheses: not (a %s b)", u.Operator, n.Operator, n.Operator)
		}
		if op := binary[n.Operator]; op != nil {
			return t.apply(op, n.Left, n.Right)
		}
		return term{}, errorAt(n, "found the operator %s, expected one of %s", n.Operator, strings.Join(slices.Sorted(maps.Keys(binary)), " "))
	case *ast.CallNode:
		if name, ok := n.Callee.(*ast.IdentifierNode); ok {
			return t.call(n, name.Value, n.Arguments)
		}
	}
	return term{}, errorAt(n, "found %s, expected numbers, columns, operators and functions", hint.Quoted(n.String()))
}

// number returns the term of a constant.
func number(value float64) term {
	return term{value: func([][]float64) []float64 { return []float64{value} }}
}

// columnOf returns a column by its name.
func (t Table) columnOf(n ast.Node, name string) (term, error) {
	name = strings.ReplaceAll(name, dot, ".")
	v := slices.Index(t.Columns, name)
	if v < 0 {
		return term{}, place{n.Location().From, hint.Unknown("column", name, t.Columns)}
	}
	return term{true, func(x [][]float64) []float64 {
		return lists.Map(x, func(row []float64) float64 { return t.Units.Undo(v, row[v]) })
	}}, nil
}

// apply applies an operator cell by cell. Missing cells stay missing.
func (t Table) apply(op operator, nodes ...ast.Node) (term, error) {
	args, err := t.compileAll(nodes)
	if err != nil {
		return term{}, err
	}
	column := slices.ContainsFunc(args, func(t term) bool { return t.column })
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

// compileAll returns the terms of nodes.
func (t Table) compileAll(nodes []ast.Node) ([]term, error) {
	terms := make([]term, len(nodes))
	for k, n := range nodes {
		var err error
		if terms[k], err = t.compile(n); err != nil {
			return nil, err
		}
	}
	return terms, nil
}

// call returns the term of a call of a function.
func (t Table) call(n ast.Node, name string, nodes []ast.Node) (term, error) {
	f, ok := functions[name]
	switch {
	case name == "column", cellwise[name] != nil:
		f.arguments = []bool{false}
	case name == "near":
		f.arguments = []bool{true}
	case !ok:
		return term{}, place{n.Location().From, hint.Unknown("function", name, functionNames())}
	}
	if len(nodes) != len(f.arguments) {
		return term{}, errorAt(n, "arguments of %s: found %d, expected %d", name, len(nodes), len(f.arguments))
	}
	if name == "column" {
		if s, ok := nodes[0].(*ast.StringNode); ok {
			return t.columnOf(s, s.Value)
		}
		return term{}, errorAt(nodes[0], `found %s, expected a name in quotation marks: column("Life Exp")`, hint.Quoted(nodes[0].String()))
	}
	if op := cellwise[name]; op != nil {
		return t.apply(op, nodes[0])
	}
	args, err := t.compileAll(nodes)
	if err != nil {
		return term{}, err
	}
	for k, arg := range args {
		if want := (term{column: f.arguments[k]}); want.column != arg.column {
			return term{}, errorAt(nodes[k], "found %s in %s, expected %s", arg, name, want)
		}
	}
	if name == "near" {
		nearest, err := t.Nearest()
		if err != nil {
			return term{}, errorAt(n, "near: %w", err)
		}
		f.value = func(a ...[]float64) float64 { return predict.Correlation(a[0], neighborMeans(a[0], nearest)) }
	}
	return term{value: func(x [][]float64) []float64 {
		if values := valuesOf(args, x); values != nil {
			if value := f.value(values...); !math.IsNaN(value) {
				return []float64{value}
			}
		}
		return nil
	}}, nil
}
