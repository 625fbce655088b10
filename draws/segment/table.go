package segment

import (
	"io"
	"slices"
	"strconv"

	"aibd/internal/lists"
	"aibd/internal/parquet"
)

// WriteTable writes the draws of segments in order as one Parquet file of some columns,
// which are the columns of a segment, in its order. Columns that the first segment lacks are left
// out. Every segment has the items of the first.
// The file is not a segment: NewReader refuses it.
func WriteTable(w io.Writer, columnNames []string, segments ...*Segment) error {
	// An empty column breaks other readers.
	chosen := slices.DeleteFunc(slices.Clone(segments[0].leaves), func(c int) bool { return !slices.Contains(columnNames, columnName(c)) })
	table := parquet.Table{Name: "draws", Columns: described(chosen), Metadata: map[string]string{keyItems: strconv.Itoa(segments[0].header.N), keyFeatures: featuresHelp}}
	if segments[0].header.Weights {
		table.Metadata[keyWeights] = weightsHelp
	}
	for _, c := range chosen {
		pages := lists.Of(segments, func(s *Segment) *parquet.Values { return &s.values[c] })
		table.Pages = append(table.Pages, pages)
	}
	for _, s := range segments {
		table.Rows += s.rows
	}
	file, err := table.Append(nil)
	if err == nil {
		_, err = w.Write(file)
	}
	return err
}
