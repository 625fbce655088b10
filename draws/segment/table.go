package segment

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// WriteTable writes the draws of segments in order as one Parquet file of some columns,
// which are the columns of a segment, in its order. Columns that the first segment lacks are left
// out. Every segment has the items of the first.
// The file is not a segment: NewReader refuses it.
func WriteTable(w io.Writer, columnNames []string, segments ...*Segment) error {
	// An empty column breaks other readers.
	chosen := slices.DeleteFunc(slices.Clone(segments[0].leaves), func(c int) bool { return !slices.Contains(columnNames, columnName(c)) })
	metadata := map[string]string{keyItems: strconv.Itoa(segments[0].header.N), keyFeatures: featuresHelp}
	if segments[0].header.Weights {
		metadata[keyWeights] = weightsHelp
	}
	writer := parquet.NewGenericWriter[any](w, &parquet.WriterConfig{
		Schema:           schemaOf(chosen),
		CreatedBy:        "aibd",
		Compression:      &parquet.Zstd,
		DataPageVersion:  1,
		KeyValueMetadata: metadata,
	})
	for to, column := range writer.ColumnWriters() {
		for _, s := range segments {
			var values []parquet.Value
			for _, v := range s.values[chosen[to]] {
				values = append(values, v.Level(v.RepetitionLevel(), v.DefinitionLevel(), to))
			}
			if len(values) == 0 {
				continue // the library takes the address of the first value
			}
			if _, err := column.WriteRowValues(values); err != nil {
				return fmt.Errorf("encoding draws: column %s: %w", columnName(chosen[to]), err)
			}
		}
	}
	return writer.Close()
}
