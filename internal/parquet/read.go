package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// File is an open file. No bytes make it panic, or take memory that the file does not account for.
type File struct {
	Columns  []Column
	Metadata map[string]string
	Rows     int // as the footer says; a required column of this length proves it
	data     []byte
	chunks   []format.ColumnChunk // empty if the file has no rows
}

// Open opens a file in memory.
func Open(data []byte) (*File, error) {
	if len(data) < 12 || string(data[:4]) != magic || string(data[len(data)-4:]) != magic {
		return nil, errors.New("not a Parquet file: bad magic")
	}
	size := int64(binary.LittleEndian.Uint32(data[len(data)-8:]))
	if size > int64(len(data)-12) {
		return nil, fmt.Errorf("found a footer of %d bytes in %d", size, len(data))
	}
	var footer format.FileMetaData
	if _, err := structure(data[len(data)-8-int(size):len(data)-8], &footer); err != nil {
		return nil, fmt.Errorf("bad footer: %w", err)
	}
	columns, err := columnsOf(footer.Schema)
	if err != nil {
		return nil, err
	}
	f := &File{Columns: columns, Metadata: map[string]string{}, Rows: int(footer.NumRows), data: data}
	for _, m := range footer.KeyValueMetadata {
		f.Metadata[m.Key] = m.Value
	}
	if len(footer.RowGroups) == 0 && f.Rows == 0 {
		return f, nil
	}
	if len(footer.RowGroups) != 1 || footer.RowGroups[0].NumRows != footer.NumRows || len(footer.RowGroups[0].Columns) != len(columns) {
		return nil, fmt.Errorf("found %d groups of rows, or one without some columns or rows, expected one", len(footer.RowGroups))
	}
	f.chunks = footer.RowGroups[0].Columns
	return f, nil
}

// structure decodes a structure at the beginning of b and returns what follows it.
func structure(b []byte, v any) ([]byte, error) {
	w := walk{b: b}
	if w.structure(0); w.broken {
		return nil, errors.New("a size exceeds its bytes")
	}
	return w.b, thrift.Unmarshal(protocol, b[:len(b)-len(w.b)], v)
}

// Read calls do with each entry of column i: whether a row begins, and its value, which is valid during
// the call, or nil where there is none. It returns an error if there are other than Rows rows.
func (f *File) Read(i int, do func(begins bool, value []byte)) error {
	rows := 0
	if f.chunks != nil {
		c := f.Columns[i]
		meta := f.chunks[i].MetaData
		start, size := meta.DataPageOffset, meta.TotalCompressedSize
		if meta.Type != c.Type || meta.Codec != format.Zstd || meta.DictionaryPageOffset != 0 || start < 4 || size < 0 || start > int64(len(f.data)) || size > int64(len(f.data))-start {
			return fmt.Errorf("found %d bytes from offset %d in a file of %d, or another compression, expected Zstandard", size, start, len(f.data))
		}
		for chunk := f.data[start : start+size]; len(chunk) > 0; {
			v := new(Values)
			var err error
			if chunk, err = c.page(chunk, f.Rows, v); err != nil {
				return err
			}
			if err := v.Each(c, func(begins bool, value []byte) {
				if begins {
					rows++
				}
				do(begins, value)
			}); err != nil {
				return err
			}
		}
	}
	if rows != f.Rows {
		return fmt.Errorf("found %d rows, expected %d", rows, f.Rows)
	}
	return nil
}

// page decodes a page at the beginning of b, of at most the given number of rows, and returns what
// follows it.
func (c Column) page(b []byte, rows int, v *Values) ([]byte, error) {
	wrong := errors.New("expected a page of plain values")
	var header format.PageHeader
	b, err := structure(b, &header)
	if err != nil {
		return nil, err
	}
	data, size := header.DataPageHeader.V, int(header.CompressedPageSize)
	if header.Type != format.DataPage || data.Encoding != format.Plain || size < 0 || size > len(b) {
		return nil, wrong
	}
	full, err := decompress(b[:size], int64(header.UncompressedPageSize))
	if err != nil {
		return nil, err
	}
	// Each row has an entry or more, and each further entry has a value.
	entries, least := int(data.NumValues), max(4, c.size())
	if entries < 0 || entries > len(full)/least && (c.Full() == 0 || entries > rows+len(full)/least) {
		return nil, fmt.Errorf("found %d entries in %d bytes and %d rows", entries, len(full), rows)
	}
	v.Repetition, v.Definition = make([]byte, entries), make([]byte, entries)
	for _, l := range []struct {
		levels []byte
		most   byte
	}{{v.Repetition, c.repeated()}, {v.Definition, c.Full()}} {
		if l.most > 0 {
			if full, err = readLevels(l.levels, full, l.most); err != nil {
				return nil, err
			}
		}
	}
	v.Plain = full
	return b[size:], nil
}

// decompressors holds decoders for one task at a time.
var decompressors = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		panic(err) // an option is wrong
	}
	return d
}}

// decompress returns the content of b, which must have the given size. Memory grows with what was
// decoded, not with what the file says.
func decompress(b []byte, size int64) ([]byte, error) {
	d := decompressors.Get().(*zstd.Decoder)
	defer decompressors.Put(d)
	if err := d.Reset(bytes.NewReader(b)); err != nil {
		return nil, err
	}
	var full bytes.Buffer
	if n, err := io.Copy(&full, io.LimitReader(d, size+1)); err != nil || n != size {
		return nil, fmt.Errorf("bad Zstandard frame: found %d bytes, expected %d", n, size)
	}
	return full.Bytes(), nil
}

// readLevels reads levels: their size, then runs of equal levels or groups of eight. It returns what
// follows them.
func readLevels(levels, b []byte, most byte) ([]byte, error) {
	wrong := fmt.Errorf("found no levels of %d entries up to %d", len(levels), most)
	if len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
		return nil, wrong
	}
	size := binary.LittleEndian.Uint32(b)
	runs, rest := b[4:4+size], b[4+size:]
	width, all := bits.Len8(most), levels
	for len(levels) > 0 {
		head, n := binary.Uvarint(runs)
		if n <= 0 || n == len(runs) {
			return nil, wrong
		}
		runs = runs[n:]
		count := head >> 1
		if head&1 == 0 { // equal levels
			if count > uint64(len(levels)) || count == 0 {
				return nil, wrong
			}
			for k := range levels[:count] {
				levels[k] = runs[0]
			}
			levels, runs = levels[count:], runs[1:]
			continue
		}
		if count == 0 || count > uint64(len(runs)/width) {
			return nil, wrong
		}
		k := min(len(levels), int(count)*8)
		for j := range levels[:k] { // width divides 8
			levels[j] = runs[j*width/8] >> (j * width % 8) & (1<<width - 1)
		}
		levels, runs = levels[k:], runs[int(count)*width:]
	}
	if slices.ContainsFunc(all, func(l byte) bool { return l > most }) {
		return nil, wrong
	}
	return rest, nil
}
