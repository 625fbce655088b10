package parquet

import "encoding/binary"

// walk passes over a structure of the compact protocol of Thrift and checks that the file has bytes
// for all of its sizes. The Thrift library allocates whatever a size says.
type walk struct {
	b      []byte // what is left
	broken bool
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

// structure passes over the fields of a structure.
func (w *walk) structure(depth int) {
	for !w.broken {
		head := w.byte()
		if head == 0 {
			return
		}
		if head>>4 == 0 {
			w.varint() // the number of the field
		}
		w.value(head&15, depth)
	}
}

func (w *walk) value(kind byte, depth int) {
	if depth > maxDepth {
		w.broken = true
		return
	}
	switch kind {
	case typeTrue, typeFalse:
	case typeByte:
		w.skip(1)
	case typeI16, typeI32, typeI64:
		w.varint()
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
		w.structure(depth + 1)
	default:
		w.broken = true
	}
}

// elements passes over n elements, each with a value of every kind. A value takes at least a byte.
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
			w.value(kind, depth+1)
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
