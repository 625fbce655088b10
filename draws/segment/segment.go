package segment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"

	"aibd/draws"
	"aibd/internal/checksum"
	"aibd/internal/permutation"
)

// Segment collects draws of one chain and encodes them as one Parquet file. It is for batches of some
// thousand draws. It is not safe for concurrent use.
type Segment struct {
	header Header
	rows   []row
	seen   []bool // scratch of permutation.Check
}

// New returns an empty segment. It panics if a number of the header is
// out of range, or if DrawsPerChain*(Chain+1) exceeds 2^31 - 1.
func New(h Header) *Segment {
	if err := h.check(); err != nil {
		panic("segment: " + err.Error())
	}
	return &Segment{header: h, seen: make([]bool, h.N)}
}

// Len returns the number of draws recorded since the start or the last Reset.
func (s *Segment) Len() int { return len(s.rows) }

// Reset forgets the draws. What is recorded from then on is the segment of the given
// number, from zero.
func (s *Segment) Reset(number int) {
	s.header.Segment = number
	s.rows = s.rows[:0]
}

// Record copies d into the segment; the error is always nil. It panics if d
// cannot be a draw of this segment: the iteration is not in 0..DrawsPerChain-1, Z has
// another number of items or a zero column, there is another number of weights, cells, cutpoints,
// noise scales or further temperatures, a weight is not finite, or
// Permutation is neither nil nor a permutation of the items. It rounds weights to floats.
func (s *Segment) Record(d *draws.Draw) error {
	if d.Iteration < 0 || d.Iteration >= s.header.DrawsPerChain {
		panic(fmt.Sprintf("segment: iteration %d of %d draws per chain", d.Iteration, s.header.DrawsPerChain))
	}
	weights := 0
	if s.header.Weights {
		weights = d.Z.Ones()
	}
	r := s.header.rowOf(d)
	for _, v := range append(s.header.vectors(d, &r), vector{"weights", weights, &d.Weights, nil}, vector{"cells", s.header.Cells, &d.Cells, nil}) {
		if len(*v.draw) != v.length {
			panic(fmt.Sprintf("segment: %d %s in a segment of %d", len(*v.draw), v.column, v.length))
		}
	}
	if d.Z.N() != s.header.N {
		panic(fmt.Sprintf("segment: %d items in a segment of %d", d.Z.N(), s.header.N))
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
	s.rows = append(s.rows, r)
	return nil
}

// finite reports whether a weight, rounded to a float, is a number.
func finite(w float64) bool {
	return math.Abs(float64(float32(w))) <= math.MaxFloat32
}

// WriteTo writes the draws as one Parquet file, with a single call of w.Write.
// The draws stay until Reset. The same header and draws give the same bytes.
func (s *Segment) WriteTo(w io.Writer) (int64, error) {
	header, err := json.Marshal(s.header)
	if err != nil {
		return 0, fmt.Errorf("encoding draws: %w", err)
	}
	options := []parquet.WriterOption{
		parquet.Compression(&parquet.Zstd), parquet.CreatedBy("aibd", "", ""),
		parquet.KeyValueMetadata(keyFormat, formatVersion), parquet.KeyValueMetadata(keyHeader, string(header)),
		parquet.KeyValueMetadata(keyFeatures, featuresHelp), parquet.KeyValueMetadata(keyChecksum, checksum.Zeros),
	}
	if s.header.Weights {
		options = append(options, parquet.KeyValueMetadata(keyWeights, weightsHelp))
	}
	var file bytes.Buffer
	if err := parquet.Write(&file, s.rows, options...); err != nil {
		return 0, fmt.Errorf("encoding draws: %w", err)
	}
	checksum.Seal(file.Bytes(), sealKey)
	n, err := w.Write(file.Bytes())
	return int64(n), err
}
