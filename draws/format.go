package draws

import (
	"github.com/parquet-go/parquet-go"
)

// columns is the schema of a segment: names, order, types and optional values. Values have
// the plain encoding, which every reader knows, under Zstandard compression.
type columns struct {
	Chain       int32    `parquet:".chain"`
	Iteration   int32    `parquet:".iteration"`
	Draw        int32    `parquet:".draw"`
	Mass        float64  `parquet:"mass"`
	Temperature *float64 `parquet:"temperature"`
	SigmaX      float64  `parquet:"sigma_x"`
	SigmaA      float64  `parquet:"sigma_a"`
	NFeatures   int32    `parquet:"n_features"`
	NOnes       int32    `parquet:"n_ones"`
	LogLik      float64  `parquet:"log_lik"`
	LogPrior    float64  `parquet:"log_prior"`
	Permutation []int32  `parquet:"permutation,optional,list"`
	Features    []byte   `parquet:"features,plain"`
}

// columnsAndCells is the schema of a segment of draws with cells.
type columnsAndCells struct {
	columns
	Cells []byte `parquet:"cells,plain"`
}

// columnsAndCutpoints is the schema of a segment of draws with cutpoints, which have cells too.
type columnsAndCutpoints struct {
	columnsAndCells
	Cutpoints []float64 `parquet:"cutpoints,list"`
}

// The leaf columns of the schema, in order.
const (
	colChain = iota
	colIteration
	colDraw
	colMass
	colTemperature
	colSigmaX
	colSigmaA
	colNFeatures
	colNOnes
	colLogLik
	colLogPrior
	colPermutation
	colFeatures
	colCells     // only of draws with cells
	colCutpoints // only of draws with cutpoints
	numColumns
)

var (
	schema             = parquet.NewSchema("draws", parquet.SchemaOf(columns{}))
	schemaAndCells     = parquet.NewSchema("draws", parquet.SchemaOf(columnsAndCells{}))
	schemaAndCutpoints = parquet.NewSchema("draws", parquet.SchemaOf(columnsAndCutpoints{}))
)

// schema returns the schema of a segment.
func (h Header) schema() *parquet.Schema {
	switch {
	case h.Cutpoints > 0:
		return schemaAndCutpoints
	case h.Cells > 0:
		return schemaAndCells
	}
	return schema
}

// columnName returns the name of a leaf column.
func columnName(column int) string { return schemaAndCutpoints.Columns()[column][0] }

// Keys of the file metadata.
const (
	keyFormat        = "aibd.format"
	keyItems         = "aibd.items"
	keyCells         = "aibd.cells"     // only of draws with cells
	keyCutpoints     = "aibd.cutpoints" // only of draws with cutpoints
	keyChain         = "aibd.chain"
	keyDrawsPerChain = "aibd.draws_per_chain"
	keySegment       = "aibd.segment"
	keyRun           = "aibd.run"
	keyFeatures      = "aibd.features"
	keyChecksum      = "aibd.crc32c"
)

const (
	formatVersion = "2"
	featuresHelp  = "n_features * ceil(items/8) bytes, feature by feature: item i, counted from zero, is bit i%8, least significant first, of byte i/8 of its feature"
)

// sealKey is the key of the checksum of the whole file in the encoding of the metadata, in which the
// field header and the length stand between key and value. The page checksums of Parquet do not
// cover headers and footer, and a damaged footer can make a Parquet library allocate any amount of
// memory. Readers therefore check the whole file before they parse it. The checksum detects
// accidents; guard.go turns malice into errors.
const sealKey = keyChecksum + "\x18\x08"
