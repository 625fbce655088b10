package segment

import (
	"reflect"

	"github.com/parquet-go/parquet-go"
)

// columns is the schema of a segment: names, order, types and optional values. Values have
// the plain encoding, which every reader knows, under Zstandard compression. A segment has
// sigma_w, weights, cells, cutpoints and noise_scales only if its draws do.
type columns struct {
	Chain       int32    `parquet:".chain"`
	Iteration   int32    `parquet:".iteration"`
	Draw        int32    `parquet:".draw"`
	Mass        float64  `parquet:"mass"`
	Temperature *float64 `parquet:"temperature"`
	SigmaX      float64  `parquet:"sigma_x"`
	SigmaA      float64  `parquet:"sigma_a"`
	SigmaW      *float64 `parquet:"sigma_w"`
	NFeatures   int32    `parquet:"n_features"`
	NOnes       int32    `parquet:"n_ones"`
	LogLik      float64  `parquet:"log_lik"`
	LogPrior    float64  `parquet:"log_prior"`
	Permutation []int32  `parquet:"permutation,optional,list"`
	Features    []byte   `parquet:"features,plain"`

	Weights     []byte    `parquet:"weights,plain"`
	Cells       []byte    `parquet:"cells,plain"`
	Cutpoints   []float64 `parquet:"cutpoints,list"`
	NoiseScales []float64 `parquet:"noise_scales,list"`
}

// The leaf columns of the whole schema, in order.
const (
	colChain = iota
	colIteration
	colDraw
	colMass
	colTemperature
	colSigmaX
	colSigmaA
	colSigmaW // only of draws with an unknown standard deviation of the weights
	colNFeatures
	colNOnes
	colLogLik
	colLogPrior
	colPermutation
	colFeatures
	colWeights     // only of draws with weights
	colCells       // only of draws with cells
	colCutpoints   // only of draws with cutpoints
	colNoiseScales // only of draws with noise scales
	numColumns
)

var schema = parquet.SchemaOf(columns{})

// columns returns the leaf columns of a segment.
func (h Header) columns() []int {
	var all []int
	for c := range numColumns {
		switch {
		case c == colSigmaW && !h.SigmaW, c == colWeights && !h.Weights:
		case c == colCells && h.Cells == 0, c == colCutpoints && h.Cutpoints == 0, c == colNoiseScales && h.NoiseScales == 0:
		default:
			all = append(all, c)
		}
	}
	return all
}

// schemaOf returns the schema of a file of the given leaf columns.
func schemaOf(leaves []int) *parquet.Schema {
	all := reflect.VisibleFields(reflect.TypeFor[columns]())
	fields := make([]reflect.StructField, len(leaves))
	for i, c := range leaves {
		fields[i] = all[c]
	}
	return parquet.NewSchema("draws", parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()))
}

// columnName returns the name of a leaf column.
func columnName(column int) string { return schema.Columns()[column][0] }

// Keys of the file metadata.
const (
	keyFormat        = "aibd.format"
	keyItems         = "aibd.items"
	keyCells         = "aibd.cells"        // only of draws with cells
	keyCutpoints     = "aibd.cutpoints"    // only of draws with cutpoints
	keyNoiseScales   = "aibd.noise_scales" // only of draws with noise scales
	keyChain         = "aibd.chain"
	keyDrawsPerChain = "aibd.draws_per_chain"
	keySegment       = "aibd.segment"
	keyRun           = "aibd.run"
	keyFeatures      = "aibd.features"
	keyWeights       = "aibd.weights" // only of draws with weights
	keyChecksum      = "aibd.crc32c"
)

const (
	formatVersion = "2"
	featuresHelp  = "n_features * ceil(items/8) bytes, feature by feature: item i, counted from zero, is bit i%8, least significant first, of byte i/8 of its feature"
	weightsHelp   = "4 * n_ones bytes: a float, little-endian, for each one of features, feature by feature, items ascending"
)

// sealKey is the key of the checksum of the whole file in the encoding of the metadata, in which the
// field header and the length stand between key and value. The page checksums of Parquet do not
// cover headers and footer, and a damaged footer can make a Parquet library allocate any amount of
// memory. Readers therefore check the whole file before they parse it. The checksum detects
// accidents; guard.go turns malice into errors.
const sealKey = keyChecksum + "\x18\x08"
