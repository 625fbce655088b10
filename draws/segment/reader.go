package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"

	"aibd/draws"
	"aibd/internal/checksum"
	"aibd/internal/lists"
	"aibd/internal/permutation"
)

// Reader reads a segment. Errors name the file and, where they apply, the row (from one) and the column.
// A damaged or truncated file is an error, never a panic.
type Reader struct {
	name   string
	header Header
	rows   []row
}

// NewReader reads the whole file of size bytes into memory, checks its checksum and opens
// it. Errors begin with name.
func NewReader(r io.ReaderAt, size int64, name string) (*Reader, error) {
	data := make([]byte, size)
	if n, err := r.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("%s: found %d bytes, expected %d: %w", name, n, size, err)
	}
	sealed, err := checksum.Check(data, sealKey)
	if !sealed {
		return nil, fmt.Errorf("%s: found no %s in %d bytes, expected a whole segment of draws in Parquet format", name, keyChecksum, size)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", name, err)
	}
	return open(data, name)
}

// open is NewReader for a file with a correct checksum. The library panics at some bytes that are no
// Parquet file. It allocates what a footer says, so a footer that says more than it holds is refused before,
// and so are more rows than bytes.
func open(data []byte, name string) (r *Reader, err error) {
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("%s: damaged: %v", name, p)
		}
	}()
	size := int64(len(data))
	end := size - 8
	footer := data[end-int64(binary.LittleEndian.Uint32(data[end:])) : end]
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer, new(struct{})); err != nil {
		return nil, fmt.Errorf("%s: damaged: bad footer", name)
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", name, err)
	}
	if version, _ := f.Lookup(keyFormat); version != formatVersion {
		return nil, fmt.Errorf("%s: found %s %q, expected %q", name, keyFormat, version, formatVersion)
	}
	if expected := parquet.SchemaOf(row{}); !parquet.EqualNodes(f.Schema(), expected) {
		return nil, fmt.Errorf("%s: found columns %v, expected %v", name, f.Schema().Columns(), expected.Columns())
	}
	r = &Reader{name: name}
	header, _ := f.Lookup(keyHeader)
	if err := cmp.Or(json.Unmarshal([]byte(header), &r.header), r.header.check()); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", name, keyHeader, err)
	}
	if f.NumRows() > size {
		return nil, fmt.Errorf("%s: damaged: found %d rows in %d bytes", name, f.NumRows(), size)
	}
	r.rows = make([]row, f.NumRows())
	reader := parquet.NewGenericReader[row](f)
	defer reader.Close()
	if n, err := reader.Read(r.rows); n < len(r.rows) {
		return nil, fmt.Errorf("%s: damaged: found %d rows, expected %d: %w", name, n, len(r.rows), err)
	}
	return r, nil
}

// Header returns the constants of the segment.
func (r *Reader) Header() Header { return r.header }

// Len returns the number of draws.
func (r *Reader) Len() int { return len(r.rows) }

// Rows returns the draws in the order in which they were recorded, without Z, Weights and Cells, which take
// most of the time. Each is fresh and may be kept. The first error ends the sequence.
func (r *Reader) Rows() iter.Seq2[*draws.Row, error] {
	return func(yield func(*draws.Row, error) bool) {
		seen := make([]bool, r.header.N)
		for i := range r.rows {
			row, err := r.row(i, seen)
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// row returns a draw without Z, Weights and Cells.
func (r *Reader) row(i int, seen []bool) (*draws.Row, error) {
	s, h := &r.rows[i], r.header
	for _, c := range []struct {
		column                 string
		header, least, maximum int
	}{
		{".chain", int(s.Chain), h.Chain + 1, h.Chain + 1}, {".iteration", int(s.Iteration), 1, h.DrawsPerChain},
		{draws.KeyFeatures, int(s.NFeatures), 0, draws.MaxFeatures}, {draws.KeyOnes, int(s.NOnes), 0, math.MaxInt32},
	} {
		if c.header < c.least || c.header > c.maximum {
			return nil, r.cell(i, c.column, fmt.Errorf("found %d, expected %d to %d", c.header, c.least, c.maximum))
		}
	}
	d := &draws.Draw{
		Iteration: int(s.Iteration - 1), Mass: s.Mass, Temperature: math.NaN(), SigmaX: s.SigmaX, SigmaA: s.SigmaA,
		LogLik: s.LogLik, LogPrior: s.LogPrior, Permutation: lists.Map(s.Permutation, func(item int32) int { return int(item - 1) }),
	}
	if s.Temperature != nil {
		d.Temperature = *s.Temperature
	}
	if d.Permutation != nil {
		if err := permutation.Check(d.Permutation, seen); err != nil {
			return nil, r.cell(i, "permutation", err)
		}
	}
	for _, v := range h.vectors(d, s) {
		if len(*v.row) != v.length {
			return nil, r.cell(i, v.column, fmt.Errorf("found %d, expected %d", len(*v.row), v.length))
		}
		*v.draw = slices.Clone(*v.row)
	}
	return &draws.Row{Draw: d, NFeatures: int(s.NFeatures), NOnes: int(s.NOnes)}, nil
}

// Draws returns the draws in the order in which they were recorded. Each is
// fresh and may be kept. The first error ends the sequence.
func (r *Reader) Draws() iter.Seq2[*draws.Draw, error] {
	return func(yield func(*draws.Draw, error) bool) {
		i := 0
		for row, err := range r.Rows() {
			if err == nil {
				err = r.complete(i, row)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(row.Draw, nil) {
				return
			}
			i++
		}
	}
}

// complete adds Z, Weights and Cells to a draw.
func (r *Reader) complete(i int, row *draws.Row) (err error) {
	s := r.rows[i]
	if row.Z, err = draws.Unpack(r.header.N, row.NFeatures, s.Features); err != nil {
		return r.cell(i, "features", err)
	}
	if row.NOnes != row.Z.Ones() {
		return r.cell(i, draws.KeyOnes, fmt.Errorf("found %d, expected %d as in column features", row.NOnes, row.Z.Ones()))
	}
	if r.header.Weights {
		if len(s.Weights) != 4*row.NOnes {
			return r.cell(i, "weights", fmt.Errorf("found %d bytes, expected 4 for each of %d ones", len(s.Weights), row.NOnes))
		}
		row.Weights = lists.Make(row.NOnes, func(k int) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(s.Weights[4*k:])))
		})
		if k := slices.IndexFunc(row.Weights, func(w float64) bool { return !finite(w) }); k >= 0 {
			return r.cell(i, "weights", fmt.Errorf("weight %d: found %g, expected a number", k+1, row.Weights[k]))
		}
	}
	if r.header.Cells > 0 {
		if len(s.Cells) != 8*r.header.Cells {
			return r.cell(i, "cells", fmt.Errorf("found %d bytes, expected %d", len(s.Cells), 8*r.header.Cells))
		}
		row.Cells = lists.Make(r.header.Cells, func(k int) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(s.Cells[8*k:]))
		})
	}
	return nil
}

// cell adds file, row (zero-based) and column to an error.
func (r *Reader) cell(row int, column string, err error) error {
	return fmt.Errorf("%s: row %d, column %s: %w", r.name, row+1, column, err)
}
