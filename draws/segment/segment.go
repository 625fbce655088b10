package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"aibd/draws"
	"aibd/internal/checksum"
	"aibd/internal/permutation"
)

// Segment collects draws of one chain and encodes them as one Parquet file, each
// column a single page: it is for batches of some thousand draws. Its memory is
// reused from one batch to the next. It is not safe for concurrent use.
type Segment struct {
	header Header
	leaves []int // columns of the file
	place  []int // of each column in the file
	rows   int
	values [][]parquet.Value // by column
	row    draws.Row         // scratch of Record
	packed []byte            // what the values of column features point into
	seen   []bool            // scratch of permutation.Check

	config *parquet.WriterConfig
	file   bytes.Buffer
}

// New returns an empty segment. It panics if a number of the header is
// out of range, or if DrawsPerChain*(Chain+1) exceeds 2^31 - 1.
func New(h Header) *Segment {
	if err := h.check(); err != nil {
		panic("segment: " + err.Error())
	}
	// Every option that shapes the bytes is given here, so that the same draws
	// are the same bytes. Statistics of packed features would be of no use.
	config := &parquet.WriterConfig{
		Schema:             schemaOf(h.columns()),
		CreatedBy:          "aibd",
		Compression:        &parquet.Zstd,
		DataPageVersion:    1,
		SkipPageStatistics: [][]string{{columnName(colFeatures)}},
		SkipPageBounds:     [][]string{{columnName(colFeatures)}},
		KeyValueMetadata: map[string]string{
			keyFormat:        formatVersion,
			keyRun:           h.Run,
			keyItems:         strconv.Itoa(h.N),
			keyChain:         strconv.Itoa(h.Chain + 1),
			keySegment:       strconv.Itoa(h.Segment + 1),
			keyDrawsPerChain: strconv.Itoa(h.DrawsPerChain),
			keyFeatures:      featuresHelp,
			keyChecksum:      checksum.Zeros,
		},
	}
	if h.Weights {
		config.KeyValueMetadata[keyWeights] = weightsHelp
		config.SkipPageStatistics = append(config.SkipPageStatistics, []string{columnName(colWeights)})
		config.SkipPageBounds = append(config.SkipPageBounds, []string{columnName(colWeights)})
	}
	for key, number := range h.optional() {
		if *number > 0 {
			config.KeyValueMetadata[key] = strconv.Itoa(*number)
		}
	}
	s := &Segment{header: h, leaves: h.columns(), place: make([]int, numColumns), values: make([][]parquet.Value, numColumns), seen: make([]bool, h.N), config: config}
	for i, column := range s.leaves {
		s.place[column] = i
	}
	return s
}

// Len returns the number of draws recorded since the start or the last Reset.
func (s *Segment) Len() int { return s.rows }

// Reset forgets the draws. What is recorded from then on is the segment of the given
// number, from zero.
func (s *Segment) Reset(number int) {
	s.header.Segment = number
	s.config.KeyValueMetadata[keySegment] = strconv.Itoa(number + 1)
	s.rows = 0
	for i := range s.values {
		s.values[i] = s.values[i][:0]
	}
	s.packed = s.packed[:0]
}

// Record copies d into the segment; the error is always nil. It panics if d
// cannot be a draw of this segment: the iteration is not in 0..DrawsPerChain-1, Z has
// another number of items or a zero column, there is another number of weights, cells, cutpoints,
// noise scales or further temperatures, a weight is not finite, SigmaW is not 0 in a segment without it, or
// Permutation is neither nil nor a permutation of the items. It rounds weights to floats.
func (s *Segment) Record(d *draws.Draw) error {
	if d.Iteration < 0 || d.Iteration >= s.header.DrawsPerChain {
		panic(fmt.Sprintf("segment: iteration %d of %d draws per chain", d.Iteration, s.header.DrawsPerChain))
	}
	weights := 0
	if s.header.Weights {
		weights = d.Z.Ones()
	}
	for _, size := range []struct {
		what        string
		found, want int
	}{
		{"items", d.Z.N(), s.header.N}, {"weights", len(d.Weights), weights}, {"cells", len(d.Cells), s.header.Cells},
		{"cutpoints", len(d.Cutpoints), s.header.Cutpoints}, {"noise scales", len(d.NoiseScales), s.header.NoiseScales},
		{"further temperatures", len(d.Further), s.header.Further},
	} {
		if size.found != size.want {
			panic(fmt.Sprintf("segment: %d %s in a segment of %d", size.found, size.what, size.want))
		}
	}
	if !s.header.SigmaW && d.SigmaW != 0 {
		panic(fmt.Sprintf("segment: SigmaW %g in a segment without", d.SigmaW))
	}
	for i, w := range d.Weights {
		if !finite(w) {
			panic(fmt.Sprintf("segment: weight %g of one %d (from zero)", w, i))
		}
	}
	if d.Z.K() > draws.MaxFeatures {
		panic(fmt.Sprintf("segment: %d features, more than MaxFeatures", d.Z.K()))
	}
	for k := range d.Z.K() {
		if d.Z.Size(k) == 0 {
			panic(fmt.Sprintf("segment: feature %d (from zero) has no item", k))
		}
	}
	if d.Permutation != nil {
		if err := permutation.Check(d.Permutation, s.seen); err != nil {
			panic("segment: permutation: " + err.Error())
		}
	}

	s.int(colChain, s.header.Chain+1)
	s.int(colIteration, d.Iteration+1)
	s.int(colDraw, s.header.draw(d.Iteration))
	s.row = draws.RowOf(d)
	for _, column := range s.leaves {
		if column < colScalars || column >= colPermutation {
			continue
		}
		switch scalar := stored[column-colScalars]; {
		case scalar.Count != nil:
			s.int(column, *scalar.Count(&s.row))
		case !scalar.Optional():
			s.add(column, parquet.DoubleValue(*scalar.Field(&s.row)), 0, 0)
		case math.IsNaN(*scalar.Field(&s.row)):
			s.add(column, parquet.NullValue(), 0, 0)
		default:
			s.add(column, parquet.DoubleValue(*scalar.Field(&s.row)), 0, 1)
		}
	}
	if d.Permutation == nil {
		s.add(colPermutation, parquet.NullValue(), 0, 0)
	}
	for i, item := range d.Permutation {
		s.add(colPermutation, parquet.Int32Value(int32(item+1)), min(i, 1), 2)
	}
	// Values of draws before may point into an array that append has left
	// behind: they stay valid, as nothing writes to it any more.
	start := len(s.packed)
	s.packed = draws.Pack(s.packed, d.Z)
	s.add(colFeatures, parquet.ByteArrayValue(s.packed[start:]), 0, 0)
	if s.header.Weights {
		start := len(s.packed)
		for _, w := range d.Weights {
			s.packed = binary.LittleEndian.AppendUint32(s.packed, math.Float32bits(float32(w)))
		}
		s.add(colWeights, parquet.ByteArrayValue(s.packed[start:]), 0, 0)
	}
	if s.header.Cells > 0 {
		start := len(s.packed)
		for _, v := range d.Cells {
			s.packed = binary.LittleEndian.AppendUint64(s.packed, math.Float64bits(v))
		}
		s.add(colCells, parquet.ByteArrayValue(s.packed[start:]), 0, 0)
	}
	for i, v := range d.Cutpoints {
		s.add(colCutpoints, parquet.DoubleValue(v), min(i, 1), 1)
	}
	for i, v := range d.NoiseScales {
		s.add(colNoiseScales, parquet.DoubleValue(v), min(i, 1), 1)
	}
	for i, v := range d.Further {
		s.add(colFurther, parquet.DoubleValue(v), min(i, 1), 1)
	}
	s.rows++
	return nil
}

// finite reports whether a weight, rounded to a float, is a number.
func finite(w float64) bool {
	return math.Abs(float64(float32(w))) <= math.MaxFloat32
}

func (s *Segment) int(column, v int) {
	s.add(column, parquet.Int32Value(int32(v)), 0, 0)
}

// add appends a value with its repetition and definition level, which say where
// a list begins and whether a value is absent.
func (s *Segment) add(column int, v parquet.Value, repetition, definition int) {
	s.values[column] = append(s.values[column], v.Level(repetition, definition, s.place[column]))
}

// WriteTo writes the draws as one Parquet file, with a single call of w.Write.
// The draws stay until Reset. The same header and draws give the same bytes.
func (s *Segment) WriteTo(w io.Writer) (int64, error) {
	s.file.Reset()
	// Not one writer that is reset: its later files lack the path of each column
	// (parquet-go v0.32.0), which other readers need.
	writer := parquet.NewGenericWriter[any](&s.file, s.config)
	for i, column := range writer.ColumnWriters() {
		if s.rows == 0 {
			break // the library takes the address of the first value
		}
		if _, err := column.WriteRowValues(s.values[s.leaves[i]]); err != nil {
			return 0, fmt.Errorf("encoding draws: column %s: %w", columnName(s.leaves[i]), err)
		}
	}
	if err := writer.Close(); err != nil {
		return 0, fmt.Errorf("encoding draws: %w", err)
	}
	file := s.file.Bytes()
	checksum.Seal(file, sealKey)
	n, err := w.Write(file)
	return int64(n), err
}
