package segment

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"aibd/draws"
	"aibd/internal/checksum"
	"aibd/internal/parquet"
	"aibd/internal/permutation"
)

// Segment collects draws of one chain and encodes them as one Parquet file, each
// column a single page: it is for batches of some thousand draws. Its memory is
// reused from one batch to the next. It is not safe for concurrent use.
type Segment struct {
	header   Header
	leaves   []int // columns of the file
	metadata map[string]string
	rows     int
	values   []parquet.Values // by column
	row      draws.Row        // scratch of Record
	packed   []byte           // the same
	seen     []bool           // scratch of permutation.Check
	file     []byte
}

// New returns an empty segment. It panics if a number of the header is
// out of range, or if DrawsPerChain*(Chain+1) exceeds 2^31 - 1.
func New(h Header) *Segment {
	if err := h.check(); err != nil {
		panic("segment: " + err.Error())
	}
	metadata := map[string]string{
		keyFormat:        formatVersion,
		keyRun:           h.Run,
		keyItems:         strconv.Itoa(h.N),
		keyChain:         strconv.Itoa(h.Chain + 1),
		keySegment:       strconv.Itoa(h.Segment + 1),
		keyDrawsPerChain: strconv.Itoa(h.DrawsPerChain),
		keyFeatures:      featuresHelp,
		keyChecksum:      checksum.Zeros,
	}
	if h.Weights {
		metadata[keyWeights] = weightsHelp
	}
	for key, number := range h.optional() {
		if *number > 0 {
			metadata[key] = strconv.Itoa(*number)
		}
	}
	return &Segment{header: h, leaves: h.columns(), metadata: metadata, values: make([]parquet.Values, numColumns), seen: make([]bool, h.N)}
}

// Len returns the number of draws recorded since the start or the last Reset.
func (s *Segment) Len() int { return s.rows }

// Reset forgets the draws. What is recorded from then on is the segment of the given
// number, from zero.
func (s *Segment) Reset(number int) {
	s.header.Segment = number
	s.metadata[keySegment] = strconv.Itoa(number + 1)
	s.rows = 0
	for i := range s.values {
		s.values[i].Reset()
	}
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

	s.int(colChain, 0, s.header.Chain+1)
	s.int(colIteration, 0, d.Iteration+1)
	s.int(colDraw, 0, s.header.draw(d.Iteration))
	s.row = draws.RowOf(d)
	for _, column := range s.leaves {
		if column < colScalars || column >= colPermutation {
			continue
		}
		switch scalar := stored[column-colScalars]; {
		case scalar.Count != nil:
			s.int(column, 0, *scalar.Count(&s.row))
		case math.IsNaN(*scalar.Field(&s.row)) && scalar.Optional():
			s.values[column].Add(0, 0)
		default:
			s.double(column, 0, *scalar.Field(&s.row))
		}
	}
	if d.Permutation == nil {
		s.values[colPermutation].Add(0, 0)
	}
	for i, item := range d.Permutation {
		s.int(colPermutation, i, item+1)
	}
	s.packed = draws.Pack(s.packed[:0], d.Z)
	s.values[colFeatures].AddBytes(s.packed)
	if s.header.Weights {
		s.packed = s.packed[:0]
		for _, w := range d.Weights {
			s.packed = binary.LittleEndian.AppendUint32(s.packed, math.Float32bits(float32(w)))
		}
		s.values[colWeights].AddBytes(s.packed)
	}
	if s.header.Cells > 0 {
		s.packed = s.packed[:0]
		for _, v := range d.Cells {
			s.packed = binary.LittleEndian.AppendUint64(s.packed, math.Float64bits(v))
		}
		s.values[colCells].AddBytes(s.packed)
	}
	for _, c := range [...]struct {
		column int
		list   []float64
	}{{colCutpoints, d.Cutpoints}, {colNoiseScales, d.NoiseScales}, {colFurther, d.Further}} {
		for i, v := range c.list {
			s.double(c.column, i, v)
		}
	}
	s.rows++
	return nil
}

// finite reports whether a weight, rounded to a float, is a number.
func finite(w float64) bool {
	return math.Abs(float64(float32(w))) <= math.MaxFloat32
}

// entry appends the entry of a value, which the caller appends. The value is at position i of its row.
func (s *Segment) entry(column, i int) *parquet.Values {
	v := &s.values[column]
	v.Add(byte(min(i, 1)), columns[column].Full())
	return v
}

func (s *Segment) int(column, i, x int) {
	v := s.entry(column, i)
	v.Plain = binary.LittleEndian.AppendUint32(v.Plain, uint32(x))
}

func (s *Segment) double(column, i int, x float64) {
	v := s.entry(column, i)
	v.Plain = binary.LittleEndian.AppendUint64(v.Plain, math.Float64bits(x))
}

// WriteTo writes the draws as one Parquet file, with a single call of w.Write.
// The draws stay until Reset. The same header and draws give the same bytes.
func (s *Segment) WriteTo(w io.Writer) (int64, error) {
	table := parquet.Table{Name: "draws", Columns: described(s.leaves), Metadata: s.metadata, Rows: s.rows}
	for _, c := range s.leaves {
		table.Pages = append(table.Pages, []*parquet.Values{&s.values[c]})
	}
	file, err := table.Append(s.file[:0])
	if err != nil {
		return 0, fmt.Errorf("encoding draws: %w", err)
	}
	s.file = file
	checksum.Seal(file, sealKey)
	n, err := w.Write(file)
	return int64(n), err
}
