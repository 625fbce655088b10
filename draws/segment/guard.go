package segment

// Checks of a file with a correct checksum before the Parquet library reads it. The
// library allocates whatever a size in the file says. These checks require that the file
// has bytes for every size. The library finds other errors.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// maxBytes is the max size of all pages of a segment before compression.
const maxBytes = 2 << 30

// checkFooter returns an error if the magic or the footer is not that of a Parquet file.
func checkFooter(file []byte) error {
	const magic = "PAR1"
	if len(file) < 12 || string(file[:4]) != magic || string(file[len(file)-4:]) != magic {
		return errors.New("not a Parquet file: bad magic")
	}
	size := int64(binary.LittleEndian.Uint32(file[len(file)-8:]))
	if size > int64(len(file)-12) {
		return fmt.Errorf("found a footer of %d bytes in %d", size, len(file))
	}
	w := walk{b: file[len(file)-8-int(size) : len(file)-8]}
	if w.structure(0, nil); w.broken {
		return errors.New("bad footer: a size exceeds its bytes")
	}
	return nil
}

// checkPages returns an error if the pages are not as a Segment writes them: one for each
// column, of plain values in one Zstandard frame with its size.
func checkPages(f *parquet.File, file []byte, leaves []int) error {
	groups := f.Metadata().RowGroups
	if len(groups) > 1 {
		return fmt.Errorf("found %d groups of rows, expected one", len(groups))
	}
	total := int64(0)
	for _, g := range groups {
		if len(g.Columns) != len(leaves) || g.NumRows != f.NumRows() {
			return fmt.Errorf("found %d columns of %d rows, expected %d of %d", len(g.Columns), g.NumRows, len(leaves), f.NumRows())
		}
		for i, column := range leaves {
			size, err := checkPage(&g.Columns[i].MetaData, file, column, g.NumRows)
			if err != nil {
				return fmt.Errorf("column %s: %w", columnName(column), err)
			}
			if total += size; total > maxBytes {
				return fmt.Errorf("found more than %d bytes of draws", int64(maxBytes))
			}
		}
	}
	return nil
}

// checkPage checks the page of a column of the given number of rows and returns its
// size before compression.
func checkPage(c *format.ColumnMetaData, file []byte, column int, rows int64) (int64, error) {
	start, size := c.DataPageOffset, c.TotalCompressedSize
	if c.Codec != format.Zstd || c.DictionaryPageOffset != 0 || start < 4 || size < 0 || start > int64(len(file)) || size > int64(len(file))-start {
		return 0, fmt.Errorf("found %d bytes from offset %d in a file of %d, or another compression, expected Zstandard", size, start, len(file))
	}
	chunk := file[start : start+size]
	var kind, full, packed, values, encoding int64
	w := walk{b: chunk}
	w.structure(0, func(path []int16, v int64) {
		switch {
		case len(path) == 1 && path[0] == 1:
			kind = v
		case len(path) == 1 && path[0] == 2:
			full = v
		case len(path) == 1 && path[0] == 3:
			packed = v
		case len(path) == 2 && path[0] == 5 && path[1] == 1:
			values = v
		case len(path) == 2 && path[0] == 5 && path[1] == 2:
			encoding = v
		}
	})
	if w.broken || kind != 0 || encoding != 0 || packed != int64(len(w.b)) || full < 0 || values < 0 {
		return 0, errors.New("expected a page of plain values")
	}
	if fixed := fixedSize(column); fixed != 0 && full != rows*fixed {
		return 0, fmt.Errorf("found %d rows, expected %d", full/fixed, rows)
	}
	if maxValues, list := rows+full/4, column == colPermutation || column == colCutpoints || column == colNoiseScales || column == colFurther; list && values > maxValues || !list && values != rows {
		return 0, fmt.Errorf("found %d values in %d bytes and %d rows", values, full, rows)
	}
	return full, checkFrame(w.b, full)
}

// fixedSize returns the bytes of each value of a column, 0 if they differ.
func fixedSize(column int) int64 {
	switch columns[column].Type.Kind() {
	case reflect.Int32:
		return 4
	case reflect.Float64:
		return 8
	}
	return 0
}

// checkFrame returns an error if b is not a single Zstandard frame (RFC 8878) of the given
// content size whose blocks can hold as much. A frame of one block may omit its size.
func checkFrame(b []byte, size int64) error {
	wrong := errors.New("bad Zstandard frame")
	if len(b) < 6 || binary.LittleEndian.Uint32(b) != 0xfd2fb528 {
		return wrong
	}
	d := b[4]
	b = b[5:]
	single := d>>5&1 != 0
	if !single {
		b = b[1:] // the window
	}
	said := []int{0, 2, 4, 8}[d>>6]
	if single && said == 0 {
		said = 1
	}
	if d&3 != 0 || len(b) < said {
		return wrong // with a dictionary, or truncated
	}
	var field [8]byte
	copy(field[:], b[:said])
	content := binary.LittleEndian.Uint64(field[:])
	if said == 2 {
		content += 256
	}
	if said > 0 && content != uint64(size) {
		return wrong
	}
	b = b[said:]
	const block = 128 << 10 // max content of a compressed block
	for held := int64(0); len(b) >= 3; {
		header := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
		last, kind, n := header&1 != 0, header>>1&3, header>>3
		b = b[3:]
		held += int64(n)
		switch kind {
		case 1: // one byte, repeated
			n = 1
		case 2:
			held += block - int64(n)
		}
		if n > len(b) {
			return wrong
		}
		b = b[n:]
		if !last && said == 0 {
			return wrong
		}
		if !last {
			continue
		}
		if d>>2&1 != 0 {
			b = b[min(4, len(b)):] // a checksum
		}
		if held < size || len(b) > 0 {
			return wrong
		}
		return nil
	}
	return wrong
}

// walk reads a structure of the compact protocol of Thrift and checks that the file has bytes
// for all of its sizes.
type walk struct {
	b      []byte // what is left
	broken bool
	path   []int16
}

// Types of the compact protocol.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeByte   = 3
	typeI16    = 4
	typeI32    = 5
	typeI64    = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
)

// maxDepth exceeds the nesting of structures in a valid file.
const maxDepth = 20

// structure reads the fields of a structure. It calls integer, if not nil, with each integer
// and the numbers of the fields that lead to it.
func (w *walk) structure(depth int, integer func(path []int16, v int64)) {
	id := int16(0)
	for !w.broken {
		head := w.byte()
		if head == 0 {
			return
		}
		if delta := int16(head >> 4); delta != 0 {
			id += delta
		} else {
			id = int16(w.integer())
		}
		w.path = append(w.path, id)
		w.value(head&15, depth, integer)
		w.path = w.path[:len(w.path)-1]
	}
}

func (w *walk) value(kind byte, depth int, integer func(path []int16, v int64)) {
	if depth > maxDepth {
		w.broken = true
		return
	}
	switch kind {
	case typeTrue, typeFalse:
	case typeByte:
		w.skip(1)
	case typeI16, typeI32, typeI64:
		if v := w.integer(); integer != nil {
			integer(w.path, v)
		}
	case typeDouble:
		w.skip(8)
	case typeBinary:
		w.skip(w.varint())
	case typeList, typeSet:
		head := w.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = w.varint()
		}
		w.elements(n, depth, head&15)
	case typeMap:
		if n := w.varint(); n > 0 {
			kinds := w.byte()
			w.elements(n, depth, kinds>>4, kinds&15)
		}
	case typeStruct:
		w.structure(depth+1, integer)
	default:
		w.broken = true
	}
}

// elements reads n elements, each with a value of every kind. A value takes at least a byte.
func (w *walk) elements(n uint64, depth int, kinds ...byte) {
	if n > uint64(len(w.b)) {
		w.broken = true
	}
	for ; n > 0 && !w.broken; n-- {
		for _, kind := range kinds {
			if kind == typeTrue || kind == typeFalse {
				w.skip(1) // a boolean in a list takes a byte
				continue
			}
			w.value(kind, depth+1, nil)
		}
	}
}

func (w *walk) byte() byte {
	if len(w.b) == 0 {
		w.broken = true
		return 0
	}
	b := w.b[0]
	w.b = w.b[1:]
	return b
}

func (w *walk) skip(n uint64) {
	if n > uint64(len(w.b)) {
		w.broken = true
		return
	}
	w.b = w.b[n:]
}

func (w *walk) varint() uint64 {
	v, n := binary.Uvarint(w.b)
	if n <= 0 {
		w.broken = true
		return 0
	}
	w.b = w.b[n:]
	return v
}

// integer reads a signed integer.
func (w *walk) integer() int64 {
	v := w.varint()
	return int64(v>>1) ^ -int64(v&1)
}
