package segment

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"

	"aibd/draws"
	"aibd/internal/checksum"
	"aibd/internal/lists"
	"aibd/internal/parquet"
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
	f, err := parquet.Open(data)
	if err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", name, err)
	}
	if version := f.Metadata[keyFormat]; version != formatVersion {
		return nil, fmt.Errorf("%s: found %s %q, expected %q", name, keyFormat, version, formatVersion)
	}
	r := &Reader{name: name, file: f}
	has := func(column string) bool {
		return slices.ContainsFunc(f.Columns, func(c parquet.Column) bool { return c.Name == column })
	}
	r.header.Weights, r.header.SigmaW = has(columnName(colWeights)), has(draws.KeySigmaW)
	for key, number := range r.header.optional() {
		if text, ok := f.Metadata[key]; ok {
			if *number, err = strconv.Atoi(text); err != nil || *number == 0 {
				return nil, fmt.Errorf("%s: found %s %q, expected a number above 0", name, key, text)
			}
		}
	}
	r.leaves = r.header.columns()
	if expected := described(r.leaves); !slices.Equal(f.Columns, expected) {
		return nil, fmt.Errorf("%s: found columns %v, expected %v", name, f.Columns, expected)
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
		text := f.Metadata[c.key]
		if *c.field, err = strconv.Atoi(text); err != nil {
			return nil, fmt.Errorf("%s: found %s %q, expected a number", name, c.key, text)
		}
	}
	r.header.Chain--
	r.header.Segment--
	r.header.Run = f.Metadata[keyRun]
	if err := r.header.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	// The number of rows bounds what other columns may hold, so it is checked at once.
	if _, err := r.ints(colChain, 1, r.header.Chain+1); err != nil {
		return nil, err
	}
	return r, nil
}

// Header returns the constants of the segment.
func (r *Reader) Header() Header { return r.header }

// Len returns the number of draws.
func (r *Reader) Len() int { return r.file.Rows }

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
	if err := r.read(colPermutation, func(begins bool, v []byte) {
		if begins {
			starts = append(starts, len(items))
		}
		if v != nil {
			items = append(items, integer(v)-1)
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
		cells := lists.Make(r.header.Cells, func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])) })
		rows[row].Cells = cells
		return nil
	})
}

// bytes calls value with the bytes that a column has in each row, which are only valid during the
// call, up to its first error.
func (r *Reader) bytes(column int, value func(row int, b []byte) error) error {
	row, wrong := 0, error(nil)
	err := r.read(column, func(_ bool, v []byte) {
		if row < r.Len() && wrong == nil {
			if err := value(row, v); err != nil {
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
	if err := r.read(column, func(begins bool, v []byte) {
		if begins {
			row++
		}
		if 0 <= row && row < rows && v != nil {
			lists[row] = append(lists[row], double(v))
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
	if err := r.read(column, func(_ bool, v []byte) {
		all = append(all, integer(v)-min)
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
	err := r.read(column, func(_ bool, v []byte) {
		x := math.NaN()
		if v != nil {
			x = double(v)
		}
		all = append(all, x)
	})
	return all, err
}

func integer(v []byte) int { return int(int32(binary.LittleEndian.Uint32(v))) }

func double(v []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(v)) }

// read calls do with each entry of a column: whether a row begins, and its value, which is only valid
// during the call, or nil.
func (r *Reader) read(column int, do func(begins bool, v []byte)) error {
	if err := r.file.Read(slices.Index(r.leaves, column), do); err != nil {
		return fmt.Errorf("%s: damaged: column %s: %w", r.name, columnName(column), err)
	}
	return nil
}

// cell adds file, row (zero-based) and column to an error.
func (r *Reader) cell(row, column int, err error) error {
	return fmt.Errorf("%s: row %d, column %s: %w", r.name, row+1, columnName(column), err)
}
