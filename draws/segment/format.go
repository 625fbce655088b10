package segment

import (
	"encoding/binary"
	"math"

	"aibd/draws"
	"aibd/internal/lists"
)

// row is a row of a file. The tags name the columns, see the package comment.
type row struct {
	Chain               int32     `parquet:".chain"`
	Iteration           int32     `parquet:".iteration"`
	Draw                int32     `parquet:".draw"`
	Mass                float64   `parquet:"mass"`
	Temperature         *float64  `parquet:"temperature"`
	SigmaX              float64   `parquet:"sigma_x"`
	SigmaA              float64   `parquet:"sigma_a"`
	NFeatures           int32     `parquet:"n_features"`
	NOnes               int32     `parquet:"n_ones"`
	LogLik              float64   `parquet:"log_lik"`
	LogPrior            float64   `parquet:"log_prior"`
	Permutation         []int32   `parquet:"permutation,optional,list"`
	Features            []byte    `parquet:"features,plain"`
	Weights             []byte    `parquet:"weights,optional,plain"`
	Cells               []byte    `parquet:"cells,optional,plain"`
	Cutpoints           []float64 `parquet:"cutpoints,optional,list"`
	NoiseScales         []float64 `parquet:"noise_scales,optional,list"`
	FurtherTemperatures []float64 `parquet:"further_temperatures,optional,list"`
	Shares              []float64 `parquet:"weight_shares,optional,list"`
	Rates               []float64 `parquet:"weight_rates,optional,list"`
}

// vector is a list of numbers that is a column.
type vector struct {
	column string
	length int        // of each draw of the segment
	draw   *[]float64 // in a draw
	row    *[]float64 // in its row
}

// vectors returns the lists of a draw and its row.
func (h Header) vectors(d *draws.Draw, r *row) []vector {
	return []vector{
		{"cutpoints", h.Cutpoints, &d.Cutpoints, &r.Cutpoints},
		{"noise_scales", h.NoiseScales, &d.NoiseScales, &r.NoiseScales},
		{"further_temperatures", h.FurtherTemperatures, &d.FurtherTemperatures, &r.FurtherTemperatures},
		{"weight_shares", h.Shares, &d.Shares, &r.Shares},
		{"weight_rates", max(h.Shares-1, 0), &d.Rates, &r.Rates},
	}
}

// rowOf returns the row of a draw, which shares no memory with it.
func (h Header) rowOf(d *draws.Draw) row {
	r := row{
		Chain: int32(h.Chain + 1), Iteration: int32(d.Iteration + 1), Draw: int32(h.draw(d.Iteration)),
		Mass: d.Mass, SigmaX: d.SigmaX, SigmaA: d.SigmaA,
		NFeatures: int32(d.Z.K()), NOnes: int32(d.Z.Ones()), LogLik: d.LogLik, LogPrior: d.LogPrior,
		Permutation: lists.Map(d.Permutation, func(item int) int32 { return int32(item + 1) }),
		Features:    draws.Pack(nil, d.Z),
	}
	if !math.IsNaN(d.Temperature) {
		r.Temperature = new(d.Temperature)
	}
	for _, w := range d.Weights {
		r.Weights = binary.LittleEndian.AppendUint32(r.Weights, math.Float32bits(float32(w)))
	}
	for _, v := range d.Cells {
		r.Cells = binary.LittleEndian.AppendUint64(r.Cells, math.Float64bits(v))
	}
	for _, v := range h.vectors(d, &r) {
		*v.row = append(*v.row, *v.draw...)
	}
	return r
}

// Keys of the file metadata.
const (
	keyFormat   = "aibd.format"
	keyHeader   = "aibd.segment" // the header as JSON
	keyFeatures = "aibd.features"
	keyWeights  = "aibd.weights" // only of draws with weights
	keyChecksum = "aibd.crc32c"
)

const (
	formatVersion = "3"
	featuresHelp  = "n_features * ceil(items/8) bytes, feature by feature: item i, counted from zero, is bit i%8, least significant first, of byte i/8 of its feature"
	weightsHelp   = "4 * n_ones bytes: a float, little-endian, for each one of features, feature by feature, items ascending"
)

// sealKey is the key of the checksum of the whole file in the encoding of the metadata, in which the
// field header and the length stand between key and value. The page checksums of Parquet do not
// cover headers and footer. Readers therefore check the whole file before they parse it. The checksum
// detects accidents.
const sealKey = keyChecksum + "\x18\x08"
