package export

// R's serialization: version 2 in XDR format under gzip, see R Internals, section 1.8.

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// rds writes a list that readRDS reads: draws (a data frame), permutation (a matrix), Z and W (lists
// of matrices), X, items, variables, spec and summary. Items count from one.
func (c *Contents) rds(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	r := &rWriter{bufio.NewWriter(z)}
	// Version 2, written by R 4.0.0, read by 2.3.0 and later.
	r.WriteString("X\n")
	r.int(2)
	r.int(4 << 16)
	r.int(2<<16 | 3<<8)
	var names []string
	var values []func()
	add := func(name string, value func()) { names, values = append(names, name), append(values, value) }
	add("draws", func() { r.draws(c) })
	total := len(c.columns[0].ints)
	if col := c.column(permutation); col != nil {
		add(permutation, func() {
			r.matrix(rInt, total, len(c.Items), nil, nil, func(row, position int) { r.int(col.lists[row][position] + 1) })
		})
	}
	if col := c.column(features); col != nil {
		add("Z", func() {
			r.vector(rList, total, false)
			for _, z := range col.z {
				r.matrix(rInt, z.N(), z.K(), nil, nil, func(i, k int) {
					if z.Has(i, k) {
						r.int(1)
					} else {
						r.int(0)
					}
				})
			}
		})
	}
	if col := c.column(weights); col != nil {
		add(col.symbol(), func() {
			r.vector(rList, total, false)
			for row, z := range col.z {
				m := z.Weighted(nil, col.weights[row])
				r.matrix(rDouble, z.N(), z.K(), nil, nil, func(i, k int) { r.double(m[i*z.K()+k]) })
			}
		})
	}
	if c.X != nil {
		add("X", func() {
			r.matrix(rDouble, len(c.Items), len(c.Variables), c.Items, c.Variables, func(i, v int) { r.double(c.X[i][v]) })
		})
	}
	for _, y := range c.ByCell {
		add(y.Group, func() {
			n, d := len(c.Items), len(c.Variables)
			r.matrix(rDouble, total, n*d, nil, nil, func(row, cell int) { r.double(y.Values[row][cell%n*d+cell/n]) })
		})
	}
	add("items", func() { r.strings(c.Items) })
	add("variables", func() { r.strings(c.Variables) })
	for _, text := range []struct {
		name string
		json []byte
	}{{"spec", c.Spec}, {"summary", c.Summary}} {
		v, err := decodeJSON(text.json)
		if err != nil {
			return err
		}
		add(text.name, func() { r.value(v) })
	}
	r.vector(rList, len(values), true)
	for _, value := range values {
		value()
	}
	r.attributes(rAttribute{"names", func() { r.strings(names) }})
	if err := r.Flush(); err != nil {
		return err
	}
	return z.Close()
}

// Types of R.
const (
	rPairs  = 2
	rChar   = 9
	rBool   = 10
	rInt    = 13
	rDouble = 14
	rString = 16
	rList   = 19
	rSymbol = 1
	rNull   = 254

	isObject, hasAttributes, hasTag = 1 << 8, 1 << 9, 1 << 10
	utf8Text                        = 1 << 15 // level 8
)

// naInt and naReal are R's missing values.
const (
	naInt  = math.MinInt32
	naReal = 0x7FF00000000007A2
)

// rWriter writes objects of R. The buffer keeps the first error.
type rWriter struct{ *bufio.Writer }

func (r *rWriter) int(v int) {
	r.Write(binary.BigEndian.AppendUint32(r.AvailableBuffer(), uint32(int32(v))))
}

// double writes a number, NaN as NA.
func (r *rWriter) double(v float64) {
	bits := math.Float64bits(v)
	if math.IsNaN(v) {
		bits = naReal
	}
	r.Write(binary.BigEndian.AppendUint64(r.AvailableBuffer(), bits))
}

// vector begins a vector: its entries follow, and then its attributes, if it has some.
func (r *rWriter) vector(kind, n int, attributes bool) {
	if attributes {
		kind |= hasAttributes
	}
	r.int(kind)
	r.int(n)
}

func (r *rWriter) char(s string) {
	r.int(rChar | utf8Text)
	r.int(len(s))
	r.WriteString(s)
}

func (r *rWriter) strings(values []string) {
	r.vector(rString, len(values), false)
	for _, s := range values {
		r.char(s)
	}
}

// rAttribute is an attribute of an object.
type rAttribute struct {
	name  string
	value func()
}

// attributes ends an object that has attributes.
func (r *rWriter) attributes(all ...rAttribute) {
	for _, a := range all {
		r.int(rPairs | hasTag)
		r.int(rSymbol)
		r.char(a.name)
		a.value()
	}
	r.int(rNull)
}

// matrix writes a matrix, column by column, with names of its rows and columns unless
// they are nil.
func (r *rWriter) matrix(kind, rows, columns int, rowNames, columnNames []string, entry func(row, column int)) {
	r.vector(kind, rows*columns, true)
	for j := range columns {
		for i := range rows {
			entry(i, j)
		}
	}
	dim := rAttribute{"dim", func() { r.vector(rInt, 2, false); r.int(rows); r.int(columns) }}
	if rowNames == nil {
		r.attributes(dim)
		return
	}
	r.attributes(dim, rAttribute{"dimnames", func() { r.vector(rList, 2, false); r.strings(rowNames); r.strings(columnNames) }})
}

// draws writes the data frame of the numbers.
func (r *rWriter) draws(c *Contents) {
	var chosen []column
	var names []string
	for _, col := range c.columns {
		if col.ints != nil || col.floats != nil {
			chosen, names = append(chosen, col), append(names, col.name)
		}
	}
	r.vector(rList|isObject, len(chosen), true)
	for _, col := range chosen {
		if col.ints != nil {
			r.vector(rInt, len(col.ints), false)
			for _, v := range col.ints {
				r.int(v)
			}
			continue
		}
		r.vector(rDouble, len(col.floats), false)
		for _, v := range col.floats {
			r.double(v)
		}
	}
	r.attributes(
		rAttribute{"names", func() { r.strings(names) }},
		rAttribute{"class", func() { r.strings([]string{"data.frame"}) }},
		// The short form of the names 1, 2, ...
		rAttribute{"row.names", func() { r.vector(rInt, 2, false); r.int(naInt); r.int(-len(chosen[0].ints)) }})
}

// member is a member of a JSON object.
type member struct {
	name  string
	value any
}

// decodeJSON decodes JSON. Objects are []member, in the order of the text.
func decodeJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	var value func() (any, error)
	value = func() (any, error) {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch t {
		case json.Delim('{'):
			object := []member{}
			for d.More() {
				name, err := d.Token()
				if err != nil {
					return nil, err
				}
				v, err := value()
				if err != nil {
					return nil, err
				}
				object = append(object, member{fmt.Sprint(name), v})
			}
			_, err = d.Token()
			return object, err
		case json.Delim('['):
			list := []any{}
			for d.More() {
				v, err := value()
				if err != nil {
					return nil, err
				}
				list = append(list, v)
			}
			_, err = d.Token()
			return list, err
		}
		return t, nil
	}
	return value()
}

// value writes a value of JSON: null is NULL, an object and an array are lists.
func (r *rWriter) value(v any) {
	switch v := v.(type) {
	case nil:
		r.int(rNull)
	case bool:
		r.vector(rBool, 1, false)
		if v {
			r.int(1)
		} else {
			r.int(0)
		}
	case float64:
		r.vector(rDouble, 1, false)
		r.double(v)
	case string:
		r.strings([]string{v})
	case []any:
		r.vector(rList, len(v), false)
		for _, entry := range v {
			r.value(entry)
		}
	case []member:
		var names []string
		r.vector(rList, len(v), true)
		for _, m := range v {
			names = append(names, m.name)
			r.value(m.value)
		}
		r.attributes(rAttribute{"names", func() { r.strings(names) }})
	}
}
