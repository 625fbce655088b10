// Package parquet reads and writes tables as Parquet files: columns of integers, numbers, bytes and
// lists of them, in plain encoding under Zstandard compression, in one group of rows. Every reader of
// Parquet knows these files; this package reads no others.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Type is the type of the values of a column. They are little-endian; bytes follow their number, 32 bits.
type Type = format.Type

const (
	Int32  = format.Int32
	Double = format.Double
	Bytes  = format.ByteArray
)

// Column describes a column.
type Column struct {
	Name     string
	Type     Type
	Optional bool // a row may have no value, or no list
	List     bool // a row has a list of values
}

func (c Column) String() string {
	kind := c.Type.String()
	if c.List {
		kind = "list of " + kind
	}
	if c.Optional {
		kind = "optional " + kind
	}
	return c.Name + " " + kind
}

// Full is the definition of an entry with a value.
func (c Column) Full() byte {
	full := byte(0)
	if c.Optional {
		full++
	}
	if c.List {
		full++
	}
	return full
}

// repeated returns the greatest repetition of an entry.
func (c Column) repeated() byte {
	if c.List {
		return 1
	}
	return 0
}

// size returns the number of bytes of each value, 0 if they differ.
func (c Column) size() int {
	switch c.Type {
	case Int32:
		return 4
	case Double:
		return 8
	}
	return 0
}

// schema returns the elements of the schema of a file.
func schema(name string, columns []Column) []format.SchemaElement {
	all := []format.SchemaElement{{Name: name, NumChildren: thrift.New(int32(len(columns)))}}
	for _, c := range columns {
		kind := format.Required
		if c.Optional {
			kind = format.Optional
		}
		leaf := format.SchemaElement{Name: c.Name, Type: thrift.New(c.Type), RepetitionType: thrift.New(kind)}
		if c.List {
			all = append(all,
				format.SchemaElement{Name: c.Name, RepetitionType: leaf.RepetitionType, NumChildren: thrift.New(int32(1)),
					ConvertedType: thrift.New(deprecated.List), LogicalType: format.LogicalType{Value: new(format.ListType)}},
				format.SchemaElement{Name: "list", RepetitionType: thrift.New(format.Repeated), NumChildren: thrift.New(int32(1))})
			leaf.Name, leaf.RepetitionType = "element", thrift.New(format.Required)
		}
		all = append(all, leaf)
	}
	return all
}

// columnsOf returns the columns of a schema.
func columnsOf(elements []format.SchemaElement) ([]Column, error) {
	if len(elements) == 0 {
		return nil, errors.New("found no schema")
	}
	var all []Column
	for at := 1; at < len(elements); at++ {
		e := elements[at]
		c := Column{Name: e.Name, Type: e.Type.V, Optional: e.RepetitionType.V == format.Optional}
		if e.NumChildren.V > 0 {
			if at+2 >= len(elements) || elements[at+1].RepetitionType.V != format.Repeated || elements[at+2].RepetitionType.V != format.Required || elements[at+2].NumChildren.V > 0 {
				return nil, fmt.Errorf("found the group %q, expected a list", e.Name)
			}
			at += 2
			c.List, c.Type = true, elements[at].Type.V
		} else if e.RepetitionType.V == format.Repeated {
			return nil, fmt.Errorf("found the repeated column %q, expected a list", e.Name)
		}
		all = append(all, c)
	}
	return all, nil
}

// Values holds the entries of a column. An entry is a value, or stands for a row that has none.
type Values struct {
	Repetition []byte // of each entry: 0 where a row begins
	Definition []byte // of each entry: Full where it is a value
	Plain      []byte // the values
}

// Add appends an entry without value. The value, if there is one, is then appended to Plain.
func (v *Values) Add(repetition, definition byte) {
	v.Repetition, v.Definition = append(v.Repetition, repetition), append(v.Definition, definition)
}

// AddBytes appends a required value of bytes.
func (v *Values) AddBytes(b []byte) {
	v.Add(0, 0)
	v.Plain = append(binary.LittleEndian.AppendUint32(v.Plain, uint32(len(b))), b...)
}

// Reset removes all entries.
func (v *Values) Reset() {
	v.Repetition, v.Definition, v.Plain = v.Repetition[:0], v.Definition[:0], v.Plain[:0]
}

// Each calls do with each entry: whether a row begins, and its value, or nil where there is none.
func (v *Values) Each(c Column, do func(begins bool, value []byte)) error {
	plain, short := v.Plain, fmt.Errorf("found %d bytes of %d entries", len(v.Plain), len(v.Definition))
	for i, definition := range v.Definition {
		if definition < c.Full() {
			do(v.Repetition[i] == 0, nil)
			continue
		}
		size := c.size()
		if c.Type == Bytes {
			if len(plain) < 4 {
				return short
			}
			size, plain = int(binary.LittleEndian.Uint32(plain)), plain[4:]
		}
		if len(plain) < size {
			return short
		}
		do(v.Repetition[i] == 0, plain[:size:size])
		plain = plain[size:]
	}
	if len(plain) > 0 {
		return short
	}
	return nil
}
