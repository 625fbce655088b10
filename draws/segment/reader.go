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
	_, r.header.SigmaW = f.Schema().Lookup(columnName(colSigmaW))
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

// AppendScalars appends the scalar columns to dst, without decoding permutations and
// features. After an error the content of dst is undefined.
func (r *Reader) AppendScalars(dst *draws.Scalars) (err error) {
	for _, c := range []struct {
		column   int
		dst      *[]int
		min, max int
	}{
		{colIteration, &dst.Iteration, 1, r.header.DrawsPerChain},
		{colNFeatures, &dst.NFeatures, 0, draws.MaxFeatures},
		{colNOnes, &dst.NOnes, 0, math.MaxInt32},
	} {
		if *c.dst, err = r.ints(*c.dst, c.column, c.min, c.max); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		column int
		dst    *[]float64
	}{
		{colMass, &dst.Mass},
		{colTemperature, &dst.Temperature},
		{colSigmaX, &dst.SigmaX},
		{colSigmaA, &dst.SigmaA},
		{colSigmaW, &dst.SigmaW},
		{colLogLik, &dst.LogLik},
		{colLogPrior, &dst.LogPrior},
	} {
		if c.column == colSigmaW && !r.header.SigmaW {
			continue
		}
		if *c.dst, err = r.doubles(*c.dst, c.column); err != nil {
			return err
		}
	}
	rows, err := r.lists(colCutpoints, r.header.Cutpoints, r.Len())
	if err != nil {
		return err
	}
	for _, row := range rows {
		for k, v := range row {
			if k == len(dst.Cutpoints) {
				dst.Cutpoints = append(dst.Cutpoints, nil)
			}
			dst.Cutpoints[k] = append(dst.Cutpoints[k], v)
		}
	}
	if r.header.NoiseScales == 0 {
		return nil
	}
	scales, err := r.lists(colNoiseScales, r.header.NoiseScales, r.Len())
	if err != nil {
		return err
	}
	first := len(dst.SigmaX) - len(scales)
	for row, of := range scales {
		minSD, maxSD := (&draws.Draw{SigmaX: dst.SigmaX[first+row], NoiseScales: of}).NoiseRange()
		dst.NoiseMin, dst.NoiseMax = append(dst.NoiseMin, minSD), append(dst.NoiseMax, maxSD)
	}
	return nil
}

// AppendPermutations appends the permutation of each draw to dst, nil where the
// law has none.
func (r *Reader) AppendPermutations(dst [][]int) ([][]int, error) {
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
			dst = append(dst, nil)
			continue
		}
		if seen == nil {
			seen = make([]bool, r.header.N)
		}
		if err := permutation.Check(p, seen); err != nil {
			return nil, r.cell(row, colPermutation, err)
		}
		dst = append(dst, p)
	}
	return dst, nil
}

// Draws returns the draws in the order in which they were recorded. Each is
// fresh and may be kept. The first error ends the sequence.
func (r *Reader) Draws() iter.Seq2[*draws.Draw, error] {
	return func(yield func(*draws.Draw, error) bool) {
		var s draws.Scalars
		var packed []byte
		var ends []int
		permutations, errPermutations := r.AppendPermutations(nil)
		err := cmp.Or(r.AppendScalars(&s), errPermutations, r.read(colFeatures, func(v parquet.Value) {
			packed = append(packed, v.ByteArray()...)
			ends = append(ends, len(packed))
		}))
		weights, errWeights := r.weights(s.NOnes)
		cells, errCells := r.cells(len(ends))
		cutpoints, errCutpoints := r.lists(colCutpoints, r.header.Cutpoints, len(ends))
		noise, errNoise := r.lists(colNoiseScales, r.header.NoiseScales, len(ends))
		if err := cmp.Or(err, errWeights, errCells, errCutpoints, errNoise); err != nil {
			yield(nil, err)
			return
		}
		start := 0
		for row, end := range ends {
			z, err := draws.Unpack(r.header.N, s.NFeatures[row], packed[start:end])
			if err != nil {
				yield(nil, r.cell(row, colFeatures, err))
				return
			}
			if found := s.NOnes[row]; found != z.Ones() {
				yield(nil, r.cell(row, colNOnes, fmt.Errorf("found %d, expected %d as in column %s", found, z.Ones(), columnName(colFeatures))))
				return
			}
			sigmaW := 0.0
			if r.header.SigmaW {
				sigmaW = s.SigmaW[row]
			}
			if !yield(&draws.Draw{
				Iteration:   s.Iteration[row],
				Mass:        s.Mass[row],
				Temperature: s.Temperature[row],
				SigmaX:      s.SigmaX[row],
				SigmaA:      s.SigmaA[row],
				LogLik:      s.LogLik[row],
				LogPrior:    s.LogPrior[row],
				Permutation: permutations[row],
				Cells:       cells[row],
				Cutpoints:   cutpoints[row],
				NoiseScales: noise[row],
				Z:           z,
				Weights:     weights[row],
				SigmaW:      sigmaW,
			}, nil) {
				return
			}
			start = end
		}
	}
}

// weights returns the weights of each draw, which has the given number of ones, nil where features
// are binary.
func (r *Reader) weights(ones []int) ([][]float64, error) {
	weights := make([][]float64, len(ones))
	if !r.header.Weights {
		return weights, nil
	}
	row, wrong := 0, error(nil)
	err := r.read(colWeights, func(v parquet.Value) {
		if b := v.ByteArray(); row < len(ones) {
			if len(b) != 4*ones[row] {
				wrong = cmp.Or(wrong, r.cell(row, colWeights, fmt.Errorf("found %d bytes, expected 4 for each of %d ones", len(b), ones[row])))
			} else {
				weights[row] = make([]float64, ones[row])
				for i := range weights[row] {
					w := float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
					if weights[row][i] = w; !finite(w) {
						wrong = cmp.Or(wrong, r.cell(row, colWeights, fmt.Errorf("weight %d: found %g, expected a number", i+1, w)))
					}
				}
			}
		}
		row++
	})
	return weights, cmp.Or(err, wrong)
}

// cells returns the cells of each of the given number of draws, nil where there are none.
func (r *Reader) cells(rows int) ([][]float64, error) {
	cells := make([][]float64, rows)
	if r.header.Cells == 0 {
		return cells, nil
	}
	row, wrong := 0, error(nil)
	err := r.read(colCells, func(v parquet.Value) {
		b := v.ByteArray()
		if len(b) != 8*r.header.Cells {
			wrong = cmp.Or(wrong, r.cell(row, colCells, fmt.Errorf("found %d bytes, expected %d", len(b), 8*r.header.Cells)))
		} else if row < rows {
			for ; len(b) > 0; b = b[8:] {
				cells[row] = append(cells[row], math.Float64frombits(binary.LittleEndian.Uint64(b)))
			}
		}
		row++
	})
	return cells, cmp.Or(err, wrong)
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

// ints appends an integer column to dst, counted from min.
func (r *Reader) ints(dst []int, column, min, max int) ([]int, error) {
	row := len(dst)
	if err := r.read(column, func(v parquet.Value) {
		dst = append(dst, int(v.Int32())-min)
	}); err != nil {
		return nil, err
	}
	for i, v := range dst[row:] {
		if v < 0 || v > max-min {
			return nil, r.cell(i, column, fmt.Errorf("found %d, expected %d to %d", v+min, min, max))
		}
	}
	return dst, nil
}

// doubles appends a column to dst, NaN where it has no value.
func (r *Reader) doubles(dst []float64, column int) ([]float64, error) {
	err := r.read(column, func(v parquet.Value) {
		if v.IsNull() {
			dst = append(dst, math.NaN())
		} else {
			dst = append(dst, v.Double())
		}
	})
	return dst, err
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
