package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const magic = "PAR1"

var protocol = new(thrift.CompactProtocol)

// compressor is safe for concurrent use.
var compressor = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // an option is wrong
	}
	return e
})

// Table is what a file holds.
type Table struct {
	Name     string
	Columns  []Column
	Metadata map[string]string
	Rows     int
	Pages    [][]*Values // of each column, of all rows
}

// Append appends the file of a table to b. The same table gives the same bytes.
func (t *Table) Append(b []byte) ([]byte, error) {
	start := len(b)
	b = append(b, magic...)
	footer := format.FileMetaData{Version: 1, CreatedBy: "aibd", Schema: schema(t.Name, t.Columns), NumRows: int64(t.Rows)}
	group := format.RowGroup{NumRows: int64(t.Rows), FileOffset: int64(len(b) - start)}
	for i, c := range t.Columns {
		meta := format.ColumnMetaData{Type: c.Type, Encoding: []format.Encoding{format.Plain, format.RLE}, PathInSchema: []string{c.Name}, Codec: format.Zstd, DataPageOffset: int64(len(b) - start)}
		if c.List {
			meta.PathInSchema = []string{c.Name, "list", "element"}
		}
		for _, v := range t.Pages[i] {
			before := len(b)
			var full int64
			var err error
			if b, full, err = c.appendPage(b, v); err != nil {
				return nil, fmt.Errorf("column %s: %w", c.Name, err)
			}
			meta.NumValues += int64(len(v.Definition))
			meta.TotalUncompressedSize += full
			meta.TotalCompressedSize += int64(len(b) - before)
		}
		group.TotalByteSize += meta.TotalUncompressedSize
		group.TotalCompressedSize += meta.TotalCompressedSize
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: meta})
	}
	if t.Rows > 0 {
		footer.RowGroups = []format.RowGroup{group}
	}
	for _, key := range slices.Sorted(maps.Keys(t.Metadata)) {
		footer.KeyValueMetadata = append(footer.KeyValueMetadata, format.KeyValue{Key: key, Value: t.Metadata[key]})
	}
	end, err := thrift.Marshal(protocol, &footer)
	if err != nil {
		return nil, err
	}
	b = append(b, end...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(end))), magic...), nil
}

// appendPage appends a page. It returns the size of header and page before compression too.
func (c Column) appendPage(b []byte, v *Values) ([]byte, int64, error) {
	var page []byte
	if c.List {
		page = appendLevels(page, v.Repetition)
	}
	if c.Full() > 0 {
		page = appendLevels(page, v.Definition)
	}
	page = append(page, v.Plain...)
	if len(page) > math.MaxInt32 {
		return nil, 0, fmt.Errorf("found %d bytes, expected at most %d", len(page), math.MaxInt32)
	}
	packed := compressor().EncodeAll(page, nil)
	header, err := thrift.Marshal(protocol, &format.PageHeader{
		Type:                 format.DataPage,
		UncompressedPageSize: int32(len(page)),
		CompressedPageSize:   int32(len(packed)),
		CRC:                  int32(crc32.ChecksumIEEE(packed)),
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: int32(len(v.Definition)), Encoding: format.Plain, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		}),
	})
	return append(append(b, header...), packed...), int64(len(header) + len(page)), err
}

// appendLevels appends levels as runs of equal ones, after the size of all runs.
func appendLevels(b, levels []byte) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0)
	for len(levels) > 0 {
		run := len(levels) - len(bytes.TrimLeft(levels, string(levels[:1])))
		b = append(binary.AppendUvarint(b, uint64(run)<<1), levels[0])
		levels = levels[run:]
	}
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	return b
}
