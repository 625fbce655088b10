package segment

import (
	"slices"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/parquet"
)

// stored holds the scalars that have columns.
var stored = draws.Stored()

// The columns of the whole schema, in order. A segment has only those of Header.columns.
const (
	colChain = iota
	colIteration
	colDraw
	colScalars // the first of the stored scalars
)

var (
	colPermutation = colScalars + len(stored)
	colFeatures    = colPermutation + 1
	colWeights     = colPermutation + 2 // only of draws with weights
	colCells       = colPermutation + 3 // only of draws with cells
	colCutpoints   = colPermutation + 4 // only of draws with cutpoints
	colNoiseScales = colPermutation + 5 // only of draws with noise scales
	colFurther     = colPermutation + 6 // only of draws with temperatures of several distances
	numColumns     = colPermutation + 7
)

// columns holds all columns.
var columns = func() (all []parquet.Column) {
	for _, name := range []string{".chain", ".iteration", ".draw"} {
		all = append(all, parquet.Column{Name: name, Type: parquet.Int32})
	}
	for _, s := range stored {
		c := parquet.Column{Name: s.Key, Type: parquet.Double, Optional: s.Optional()}
		if s.Count != nil {
			c = parquet.Column{Name: s.Key, Type: parquet.Int32}
		}
		all = append(all, c)
	}
	return append(all,
		parquet.Column{Name: "permutation", Type: parquet.Int32, Optional: true, List: true},
		parquet.Column{Name: "features", Type: parquet.Bytes},
		parquet.Column{Name: "weights", Type: parquet.Bytes},
		parquet.Column{Name: "cells", Type: parquet.Bytes},
		parquet.Column{Name: "cutpoints", Type: parquet.Double, List: true},
		parquet.Column{Name: "noise_scales", Type: parquet.Double, List: true},
		parquet.Column{Name: "further_temperatures", Type: parquet.Double, List: true})
}()

// columns returns the columns of a segment. There is always one of the temperature.
func (h Header) columns() []int {
	has := draws.Has{Temperature: true, SigmaW: h.SigmaW, NoiseScales: h.NoiseScales > 0, Cutpoints: h.Cutpoints}
	var all []int
	for c := range numColumns {
		switch {
		case c >= colScalars && c < colPermutation && !stored[c-colScalars].In(has):
		case c == colWeights && !h.Weights:
		case c == colCells && h.Cells == 0 || c == colCutpoints && h.Cutpoints == 0 || c == colNoiseScales && h.NoiseScales == 0 || c == colFurther && h.Further == 0:
		default:
			all = append(all, c)
		}
	}
	return all
}

// described returns the given columns.
func described(leaves []int) []parquet.Column {
	return lists.Pick(columns, leaves)
}

// columnOf returns the column of a stored scalar.
func columnOf(key string) int {
	return colScalars + slices.IndexFunc(stored, func(s draws.Scalar) bool { return s.Key == key })
}

// columnName returns the name of a column.
func columnName(column int) string { return columns[column].Name }

// Keys of the file metadata.
const (
	keyFormat        = "aibd.format"
	keyItems         = "aibd.items"
	keyCells         = "aibd.cells"                // only of draws with cells
	keyCutpoints     = "aibd.cutpoints"            // only of draws with cutpoints
	keyNoiseScales   = "aibd.noise_scales"         // only of draws with noise scales
	keyFurther       = "aibd.further_temperatures" // only of draws with temperatures of several distances
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
// cover headers and footer. Readers therefore check the whole file before they parse it. The checksum
// detects accidents; package parquet turns malice into errors.
const sealKey = keyChecksum + "\x18\x08"
