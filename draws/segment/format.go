package segment

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"aibd/draws"
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

// columns holds the names, types and options of the columns. Values have the plain encoding, which
// every reader knows, under Zstandard compression.
var columns = func() (all []reflect.StructField) {
	add := func(name, options string, of reflect.Type) {
		all = append(all, reflect.StructField{Name: fmt.Sprintf("F%d", len(all)), Type: of, Tag: reflect.StructTag(`parquet:"` + name + options + `"`)})
	}
	number, double := reflect.TypeFor[int32](), reflect.TypeFor[float64]()
	for _, name := range []string{".chain", ".iteration", ".draw"} {
		add(name, "", number)
	}
	for _, s := range stored {
		switch {
		case s.Count != nil:
			add(s.Key, "", number)
		case s.Optional():
			add(s.Key, "", reflect.PointerTo(double))
		default:
			add(s.Key, "", double)
		}
	}
	add("permutation", ",optional,list", reflect.TypeFor[[]int32]())
	add("features", ",plain", reflect.TypeFor[[]byte]())
	add("weights", ",plain", reflect.TypeFor[[]byte]())
	add("cells", ",plain", reflect.TypeFor[[]byte]())
	add("cutpoints", ",list", reflect.TypeFor[[]float64]())
	add("noise_scales", ",list", reflect.TypeFor[[]float64]())
	add("further_temperatures", ",list", reflect.TypeFor[[]float64]())
	return all
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

// schemaOf returns the schema of a file of the given columns.
func schemaOf(leaves []int) *parquet.Schema {
	fields := make([]reflect.StructField, len(leaves))
	for i, c := range leaves {
		fields[i] = columns[c]
	}
	return parquet.NewSchema("draws", parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()))
}

// columnOf returns the column of a stored scalar.
func columnOf(key string) int {
	return colScalars + slices.IndexFunc(stored, func(s draws.Scalar) bool { return s.Key == key })
}

// columnName returns the name of a column.
func columnName(column int) string {
	name, _, _ := strings.Cut(columns[column].Tag.Get("parquet"), ",")
	return name
}

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
// cover headers and footer, and a damaged footer can make a Parquet library allocate any amount of
// memory. Readers therefore check the whole file before they parse it. The checksum detects
// accidents; guard.go turns malice into errors.
const sealKey = keyChecksum + "\x18\x08"
