package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"aibd/draws"
	"aibd/internal/checksum"
	"aibd/internal/permutation"
)

// Reader reads a segment. Each method decodes the columns that it needs. Errors name the
// file and, where they apply, the row (from one) and the column. A damaged or truncated
// file is an error, never a panic.
type Reader struct {
	name   string
	header Header
	leaves []int // columns of the file
	file   *parquet.File
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

// open is NewReader for a file with a correct checksum.
func open(data []byte, name string) (_ *Reader, err error) {
	defer recoverTo(&err, name)
	if err := checkFooter(data); err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", name, err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if version, _ := f.Lookup(keyFormat); version != formatVersion {
		return nil, fmt.Errorf("%s: found %s %q, expected %q", name, keyFormat, version, formatVersion)
	}
	r := &Reader{name: name, file: f}
	_, r.header.Weights = f.Schema().Lookup(columnName(colWeights))
	_, r.header.SigmaW = f.Schema().Lookup(draws.KeySigmaW)
	for key, number := range r.header.optional() {
		if text, ok := f.Lookup(key); ok {
			if *number, err = strconv.Atoi(text); err != nil || *number == 0 {
				return nil, fmt.Errorf("%s: found %s %q, expected a number above 0", name, key, text)
			}
		}
	}
	r.leaves = r.header.columns()
	schema := schemaOf(r.leaves)
	if !parquet.EqualNodes(f.Schema(), schema) {
		return nil, fmt.Errorf("%s: found columns %v, expected %v, each with its type", name, f.Schema().Columns(), schema.Columns())
	}
	if err := checkPages(f, data, r.leaves); err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", name, err)
	}
	for _, c := range []struct {
		key   string
		field *int
	}{
		{keyItems, &r.header.N},
		{keyChain, &r.header.Chain},
		{keyDrawsPerChain, &r.header.DrawsPerChain},
		{keySegment, &r.header.Segment},
	} {
		text, _ := f.Lookup(c.key)
		if *c.field, err = strconv.Atoi(text); err != nil {
			return nil, fmt.Errorf("%s: found %s %q, expected a number", name, c.key, text)
		}
	}
	r.header.Chain--
	r.header.Segment--
	r.header.Run, _ = f.Lookup(keyRun)
	if err := r.header.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// recoverTo turns a panic of the Parquet library into an error. The library panics on some
// invalid files.
func recoverTo(err *error, name string) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: damaged: %v", name, p)
	}
}

// Header returns the constants of the segment.
func (r *Reader) Header() Header { return r.header }

// Len returns the number of draws.
func (r *Reader) Len() int { return int(r.file.NumRows()) }

// Rows returns the draws in the order in which they were recorded, without Z and Cells, which take
// most of the time. Each is fresh and may be kept. The first error ends the sequence.
func (r *Reader) Rows() iter.Seq2[*draws.Row, error] {
	return func(yield func(*draws.Row, error) bool) {
		rows, err := r.rows()
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range rows {
			if !yield(&rows[i], nil) {
				return
			}
		}
	}
}

// rows returns the draws without Z and Cells.
func (r *Reader) rows() ([]draws.Row, error) {
	iterations, err := r.ints(colIteration, 1, r.header.DrawsPerChain)
	if err != nil {
		return nil, err
	}
	rows := make([]draws.Row, len(iterations))
	for i, at := range iterations {
		rows[i].Draw = &draws.Draw{Iteration: at, Temperature: math.NaN()}
	}
	for _, column := range r.leaves {
		if column < colScalars || column >= colPermutation {
			continue
		}
		scalar := stored[column-colScalars]
		if scalar.Count != nil {
			counts, err := r.ints(column, 0, scalar.Max)
			if err != nil {
				return nil, err
			}
			for i := range rows {
				*scalar.Count(&rows[i]) = counts[i]
			}
			continue
		}
		values, err := r.doubles(column)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			*scalar.Field(&rows[i]) = values[i]
		}
	}
	permutations, errPermutations := r.permutations()
	cutpoints, errCutpoints := r.lists(colCutpoints, r.header.Cutpoints, len(rows))
	noise, errNoise := r.lists(colNoiseScales, r.header.NoiseScales, len(rows))
	further, errFurther := r.lists(colFurther, r.header.Further, len(rows))
	if err := cmp.Or(errPermutations, errCutpoints, errNoise, errFurther); err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i].Permutation, rows[i].Cutpoints, rows[i].NoiseScales, rows[i].Further = permutations[i], cutpoints[i], noise[i], further[i]
	}
	return rows, nil
}

// permutations returns the permutation of each draw, nil where the law has none.
func (r *Reader) permutations() (all [][]int, _ error) {
	var items, starts []int
	if err := r.read(colPermutation, func(v parquet.Value) {
		if v.RepetitionLevel() == 0 {
			starts = append(starts, len(items))
		}
		if !v.IsNull() {
			items = append(items, int(v.Int32())-1)
		}
	}); err != nil {
		return nil, err
	}
	starts = append(starts, len(items))
	var seen []bool
	for row, start := range starts[:len(starts)-1] {
		p := items[start:starts[row+1]:starts[row+1]]
		if len(p) == 0 {
			all = append(all, nil)
			continue
		}
		if seen == nil {
			seen = make([]bool, r.header.N)
		}
		if err := permutation.Check(p, seen); err != nil {
			return nil, r.cell(row, colPermutation, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// Draws returns the draws in the order in which they were recorded. Each is
// fresh and may be kept. The first error ends the sequence.
func (r *Reader) Draws() iter.Seq2[*draws.Draw, error] {
	return func(yield func(*draws.Draw, error) bool) {
		rows, err := r.rows()
		if err != nil {
			yield(nil, err)
			return
		}
		var packed []byte
		var ends []int
		err = r.bytes(colFeatures, func(_ int, b []byte) error {
			packed = append(packed, b...)
			ends = append(ends, len(packed))
			return nil
		})
		if err := cmp.Or(err, r.weights(rows), r.cells(rows)); err != nil {
			yield(nil, err)
			return
		}
		start := 0
		for i, row := range rows {
			if row.Z, err = draws.Unpack(r.header.N, row.NFeatures, packed[start:ends[i]]); err != nil {
				yield(nil, r.cell(i, colFeatures, err))
				return
			}
			if row.NOnes != row.Z.Ones() {
				yield(nil, r.cell(i, columnOf(draws.KeyOnes), fmt.Errorf("found %d, expected %d as in column %s", row.NOnes, row.Z.Ones(), columnName(colFeatures))))
				return
			}
			if !yield(row.Draw, nil) {
				return
			}
			start = ends[i]
		}
	}
}

// weights reads the weights of each draw, if features have weights.
func (r *Reader) weights(rows []draws.Row) error {
	if !r.header.Weights {
		return nil
	}
	return r.bytes(colWeights, func(row int, b []byte) error {
		ones := rows[row].NOnes
		if len(b) != 4*ones {
			return fmt.Errorf("found %d bytes, expected 4 for each of %d ones", len(b), ones)
		}
		weights := make([]float64, ones)
		for i := range weights {
			weights[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
			if !finite(weights[i]) {
				return fmt.Errorf("weight %d: found %g, expected a number", i+1, weights[i])
			}
		}
		rows[row].Weights = weights
		return nil
	})
}

// cells reads the cells of each draw, if there are any.
func (r *Reader) cells(rows []draws.Row) error {
	if r.header.Cells == 0 {
		return nil
	}
	return r.bytes(colCells, func(row int, b []byte) error {
		if len(b) != 8*r.header.Cells {
			return fmt.Errorf("found %d bytes, expected %d", len(b), 8*r.header.Cells)
		}
		cells := make([]float64, r.header.Cells)
		for i := range cells {
			cells[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		rows[row].Cells = cells
		return nil
	})
}

// bytes calls value with the bytes that a column has in each row, which are only valid during the
// call, up to its first error.
func (r *Reader) bytes(column int, value func(row int, b []byte) error) error {
	row, wrong := 0, error(nil)
	err := r.read(column, func(v parquet.Value) {
		if row < r.Len() && wrong == nil {
			if err := value(row, v.ByteArray()); err != nil {
				wrong = r.cell(row, column, err)
			}
		}
		row++
	})
	return cmp.Or(err, wrong)
}

// lists returns the lists of a column of each of the given number of draws, which have the given
// length, nil where it is 0.
func (r *Reader) lists(column, length, rows int) ([][]float64, error) {
	lists := make([][]float64, rows)
	if length == 0 {
		return lists, nil
	}
	row := -1
	if err := r.read(column, func(v parquet.Value) {
		if v.RepetitionLevel() == 0 {
			row++
		}
		if row < rows && !v.IsNull() {
			lists[row] = append(lists[row], v.Double())
		}
	}); err != nil {
		return nil, err
	}
	for row, c := range lists {
		if len(c) != length {
			return nil, r.cell(row, column, fmt.Errorf("found %d, expected %d", len(c), length))
		}
	}
	return lists, nil
}

// ints returns an integer column, counted from min.
func (r *Reader) ints(column, min, max int) (all []int, _ error) {
	if err := r.read(column, func(v parquet.Value) {
		all = append(all, int(v.Int32())-min)
	}); err != nil {
		return nil, err
	}
	for i, v := range all {
		if v < 0 || v > max-min {
			return nil, r.cell(i, column, fmt.Errorf("found %d, expected %d to %d", v+min, min, max))
		}
	}
	return all, nil
}

// doubles returns a column, NaN where it has no value.
func (r *Reader) doubles(column int) (all []float64, _ error) {
	err := r.read(column, func(v parquet.Value) {
		if v.IsNull() || math.IsNaN(v.Double()) {
			all = append(all, math.NaN())
		} else {
			all = append(all, v.Double())
		}
	})
	return all, err
}

// read calls value with each value of a column, which is only valid during the call. It
// returns an error if the column and the file have different numbers of rows.
func (r *Reader) read(column int, value func(parquet.Value)) (err error) {
	name := fmt.Sprintf("%s: column %s", r.name, columnName(column))
	defer recoverTo(&err, name)
	rows := 0
	buffer := make([]parquet.Value, 512)
	for _, group := range r.file.RowGroups() {
		pages := group.ColumnChunks()[slices.Index(r.leaves, column)].Pages()
		defer pages.Close()
		for {
			page, err := pages.ReadPage()
			if err == io.EOF {
				break
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			values := page.Values()
			for err == nil {
				var n int
				n, err = values.ReadValues(buffer)
				for _, v := range buffer[:n] {
					if v.RepetitionLevel() == 0 {
						rows++
					}
					value(v)
				}
			}
			parquet.Release(page)
			if err != io.EOF {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if rows != r.Len() {
		return fmt.Errorf("%s: found %d rows, expected %d", name, rows, r.Len())
	}
	return nil
}

// cell adds file, row (zero-based) and column to an error.
func (r *Reader) cell(row, column int, err error) error {
	return fmt.Errorf("%s: row %d, column %s: %w", r.name, row+1, columnName(column), err)
}
