package quantity

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/scanner"
	"unicode"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/predict"
)

// place is an error at a byte of the source, counted from zero.
type place struct {
	from int
	error
}

func (p place) Unwrap() error { return p.error }

// precedence holds the binary operators; those of a greater number bind more tightly.
var precedence = map[string]int{
	"or": 1, "||": 1, "and": 2, "&&": 2, "<": compares, "<=": compares, ">": compares, ">=": compares, "==": compares, "!=": compares,
	"+": 4, "-": 4, "*": 6, "/": 6, "^": power, "**": power,
}

const (
	compares = 3
	negates  = 5 // not and !
	signs    = 7 // + and - before an operand
	power    = 8 // binds to the right
)

// parser compiles an expression while it reads it: an operand, then operators that bind more tightly
// than the one before.
type parser struct {
	Table
	scanner scanner.Scanner
	kind    rune   // of the next token
	text    string // of the next token
	at      int    // where the next token begins
	wrong   string // what the scanner found
}

// operand is a term and where it stands. A negation without parentheses binds not to the left side of a
// comparison, but reads as if it did.
type operand struct {
	term
	at      int
	negated string // the operator
}

// parse returns the term of a source, which must be a number.
func (t Table) parse(source string) (term, error) {
	p := parser{Table: t}
	p.scanner.Init(strings.NewReader(source))
	p.scanner.Mode = scanner.ScanIdents | scanner.ScanFloats
	p.scanner.IsIdentRune = func(r rune, i int) bool {
		return r == '_' || unicode.IsLetter(r) || i > 0 && (r == '.' || unicode.IsNumber(r))
	}
	p.scanner.Error = func(_ *scanner.Scanner, message string) { p.wrong = message }
	p.next()
	whole, err := p.binary(0)
	switch {
	case err == nil && p.kind != scanner.EOF:
		err = p.unexpected("its end or one of " + strings.Join(slices.Sorted(maps.Keys(binary)), " "))
	case err == nil && whole.column:
		err = place{whole.at, errors.New("found a column, expected a number, such as its mean(...)")}
	}
	return whole.term, err
}

// next reads a token.
func (p *parser) next() {
	p.kind = p.scanner.Scan()
	p.text, p.at = p.scanner.TokenText(), p.scanner.Position.Offset
	if second := p.text + string(p.scanner.Peek()); len(p.text) == 1 && binary[second] != nil && p.kind == rune(p.text[0]) {
		p.scanner.Next()
		p.text = second
	}
	if p.kind == '"' || p.kind == '\'' {
		p.text += p.quoted()
	}
}

// quoted reads the rest of a text in quotation marks.
func (p *parser) quoted() string {
	var b strings.Builder
	for r := p.scanner.Next(); r != scanner.EOF; r = p.scanner.Next() {
		if b.WriteRune(r); r == p.kind {
			return b.String()
		}
		if r == '\\' {
			b.WriteRune(p.scanner.Next())
		}
	}
	p.kind = scanner.EOF
	return ""
}

// unexpected returns the error of the next token.
func (p *parser) unexpected(expected string) error {
	found := hint.Quoted(p.text)
	switch {
	case p.wrong != "":
		found = p.wrong
	case p.kind == scanner.EOF:
		found = "its end"
	}
	return place{p.at, fmt.Errorf("found %s, expected %s", found, expected)}
}

// binary reads operands and the operators between them that bind at least as tightly as the given number.
func (p *parser) binary(least int) (operand, error) {
	left, err := p.unary()
	for err == nil {
		op := p.text
		tight, found := precedence[op]
		if !found || tight < least {
			break
		}
		if left.negated != "" && tight == compares {
			return left, place{left.at, fmt.Errorf("found %s before the left side of %s, expected parentheses: not (a %s b)", left.negated, op, op)}
		}
		p.next()
		right := operand{}
		if tight == power {
			right, err = p.binary(power)
		} else {
			right, err = p.binary(tight + 1)
		}
		joined := apply(binary[op], left.term, right.term)
		for err == nil && tight == compares && precedence[p.text] == compares { // a < b < c
			op, middle := p.text, right.term
			p.next()
			right, err = p.binary(tight + 1)
			joined = apply(both, joined, apply(binary[op], middle, right.term))
		}
		left = operand{term: joined, at: left.at}
	}
	return left, err
}

// unary reads an operand with the operators before it.
func (p *parser) unary() (operand, error) {
	at, op := p.at, p.text
	of := unary[op]
	if of == nil {
		return p.primary()
	}
	p.next()
	tight := signs
	if op == "not" || op == "!" {
		tight = negates
	}
	x, err := p.binary(tight)
	x = operand{term: apply(of, x.term), at: at}
	if tight == negates {
		x.negated = op
	}
	return x, err
}

// primary reads a number, a column, a call, or an expression in parentheses.
func (p *parser) primary() (operand, error) {
	at, text := p.at, p.text
	switch p.kind {
	case scanner.Int, scanner.Float:
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || p.wrong != "" {
			return operand{}, p.unexpected("a number of double precision")
		}
		p.next()
		return operand{term: term{of: func([][]float64) []float64 { return []float64{value} }}, at: at}, nil
	case scanner.Ident:
		p.next()
		if p.text == "(" {
			x, err := p.call(at, text)
			return operand{term: x, at: at}, err
		}
		x, err := p.columnOf(at, text)
		return operand{term: x, at: at}, err
	case '(':
		p.next()
		x, err := p.binary(0)
		if err == nil && p.text != ")" {
			err = p.unexpected(")")
		}
		p.next()
		return operand{term: x.term, at: at}, err
	}
	return operand{}, p.unexpected(`an expression such as mean(a) / sd(column("Life Exp"))`)
}

// columnOf returns a column by its name.
func (p *parser) columnOf(at int, name string) (term, error) {
	v := slices.Index(p.Columns, name)
	if v < 0 {
		return term{}, place{at, hint.Unknown("column", name, p.Columns)}
	}
	return term{true, func(x [][]float64) []float64 {
		return lists.Of(x, func(row []float64) float64 { return p.Units.Undo(v, row[v]) })
	}}, nil
}

// named reads the name of a column in quotation marks.
func (p *parser) named() (term, error) {
	if p.kind != '"' && p.kind != '\'' {
		return term{}, p.unexpected(`a name in quotation marks: column("Life Exp")`)
	}
	at, name := p.at, p.text[1:len(p.text)-1]
	p.next()
	return p.columnOf(at, strings.NewReplacer(`\\`, `\`, `\`, "").Replace(name))
}

// apply applies an operator cell by cell. Missing cells stay missing.
func apply(op operator, args ...term) term {
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
	}}
}

// call reads the arguments of a function and returns the term of the call, whose name stands at the
// given place.
func (p *parser) call(at int, name string) (term, error) {
	f, ok := functions[name]
	switch {
	case name == "column", cellwise[name] != nil:
		f.arguments = []bool{false}
	case name == "near":
		f.arguments = []bool{true}
	case !ok:
		return term{}, place{at, hint.Unknown("function", name, functionNames())}
	}
	var args []operand
	for p.next(); p.text != ")"; {
		if len(args) > 0 {
			if p.text != "," {
				return term{}, p.unexpected(", or )")
			}
			p.next()
		}
		x, err := operand{}, error(nil)
		if name == "column" {
			x.term, err = p.named()
		} else {
			x, err = p.binary(0)
		}
		if err != nil {
			return term{}, err
		}
		args = append(args, x)
	}
	p.next()
	if len(args) != len(f.arguments) {
		return term{}, place{at, fmt.Errorf("arguments of %s: found %d, expected %d", name, len(args), len(f.arguments))}
	}
	if name == "column" {
		return args[0].term, nil
	}
	if op := cellwise[name]; op != nil {
		return apply(op, args[0].term), nil
	}
	terms := make([]term, len(args))
	for k, arg := range args {
		if want := (term{column: f.arguments[k]}); want.column != arg.column {
			return term{}, place{arg.at, fmt.Errorf("found %s in %s, expected %s", arg, name, want)}
		}
		terms[k] = arg.term
	}
	if name == "near" {
		nearest, err := p.Nearest()
		if err != nil {
			return term{}, place{at, fmt.Errorf("near: %w", err)}
		}
		f.of = func(a ...[]float64) float64 { return predict.Correlation(a[0], neighborMeans(a[0], nearest)) }
	}
	return term{of: func(x [][]float64) []float64 {
		if values := valuesOf(terms, x); values != nil {
			if value := f.of(values...); !math.IsNaN(value) {
				return []float64{value}
			}
		}
		return nil
	}}, nil
}
