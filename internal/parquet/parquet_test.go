package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	library "github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"
)

// sample returns a table of all kinds of columns. Each row of it is a text for each column.
func sample(t *rapid.T) (*Table, [][]string) {
	table := &Table{Name: "sample", Columns: []Column{{Name: "n", Type: Int32}}, Metadata: map[string]string{"b": "2", "a": "1"}}
	for k, optional := range []bool{false, true} {
		for _, list := range []bool{false, true} {
			for _, kind := range []Type{Int32, Double, Bytes} {
				table.Columns = append(table.Columns, Column{fmt.Sprintf("c%d%v%v", k, list, kind), kind, optional, list})
			}
		}
	}
	texts := make([][]string, len(table.Columns))
	table.Pages = make([][]*Values, len(table.Columns))
	for range rapid.IntRange(1, 3).Draw(t, "pages") {
		rows := rapid.IntRange(1, 40).Draw(t, "rows")
		table.Rows += rows
		for i, c := range table.Columns {
			v := new(Values)
			for range rows {
				texts[i] = append(texts[i], addRow(t, c, v))
			}
			table.Pages[i] = append(table.Pages[i], v)
		}
	}
	return table, texts
}

// addRow adds a row and returns its text.
func addRow(t *rapid.T, c Column, v *Values) string {
	length := 1
	if c.List {
		length = rapid.IntRange(0, 20).Draw(t, "length")
	}
	if c.Optional && rapid.Bool().Draw(t, "none") {
		v.Add(0, 0)
		return "-"
	}
	if length == 0 {
		v.Add(0, c.Full()-1)
		return "-"
	}
	var text strings.Builder
	for k := range length {
		var b []byte
		switch c.Type {
		case Int32:
			b = binary.LittleEndian.AppendUint32(nil, uint32(rapid.Int32().Draw(t, "int")))
		case Double:
			b = binary.LittleEndian.AppendUint64(nil, math.Float64bits(rapid.Float64().Draw(t, "double")))
		default:
			b = rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "bytes")
		}
		v.Add(byte(min(k, 1)), c.Full())
		if c.Type == Bytes {
			v.Plain = binary.LittleEndian.AppendUint32(v.Plain, uint32(len(b)))
		}
		v.Plain = append(v.Plain, b...)
		fmt.Fprintf(&text, "%x ", b)
	}
	return text.String()
}

// What is written is read again, here and by a library.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, texts := sample(t)
		file, err := table.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(f.Columns, table.Columns) || f.Rows != table.Rows || f.Metadata["a"] != "1" || f.Metadata["b"] != "2" {
			t.Fatalf("found %v, %d rows, %v", f.Columns, f.Rows, f.Metadata)
		}
		independent, err := library.OpenFile(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range f.Columns {
			var rows []string
			add := func(begins bool, v []byte) {
				if begins {
					rows = append(rows, "")
				}
				if v == nil {
					rows[len(rows)-1] += "-"
				} else {
					rows[len(rows)-1] += fmt.Sprintf("%x ", v)
				}
			}
			if err := f.Read(i, add); err != nil {
				t.Fatal(c, err)
			}
			if !slices.Equal(rows, texts[i]) {
				t.Fatalf("%v: found %q, expected %q", c, rows, texts[i])
			}
			rows = nil
			if err := foreign(independent, i, add); err != nil {
				t.Fatal(c, err)
			}
			if !slices.Equal(rows, texts[i]) {
				t.Fatalf("%v, by a library: found %q, expected %q", c, rows, texts[i])
			}
		}
	})
}

// foreign reads a column with a library.
func foreign(f *library.File, column int, do func(begins bool, value []byte)) error {
	pages := f.RowGroups()[0].ColumnChunks()[column].Pages()
	defer pages.Close()
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		values := make([]library.Value, page.NumValues())
		if n, err := page.Values().ReadValues(values); n < len(values) {
			return err
		}
		for _, v := range values {
			if v.IsNull() {
				do(v.RepetitionLevel() == 0, nil)
			} else {
				do(v.RepetitionLevel() == 0, v.Bytes())
			}
		}
	}
}

// No bytes make a reader panic, or take memory that the file does not account for.
func FuzzOpen(f *testing.F) {
	table := &Table{Columns: []Column{{Name: "n", Type: Int32}, {Name: "list", Type: Double, Optional: true, List: true}, {Name: "b", Type: Bytes}}, Rows: 2, Pages: [][]*Values{
		{{Repetition: []byte{0, 0}, Definition: []byte{0, 0}, Plain: make([]byte, 8)}},
		{{Repetition: []byte{0, 1, 0}, Definition: []byte{2, 2, 0}, Plain: make([]byte, 16)}},
		{{Repetition: []byte{0, 0}, Definition: []byte{0, 0}, Plain: make([]byte, 8)}},
	}}
	file, err := table.Append(nil)
	if err != nil {
		f.Fatal(err)
	}
	for at := range file {
		f.Add(file, uint16(at), byte(0xff))
		f.Add(file, uint16(at), byte(0x40))
	}
	f.Fuzz(func(t *testing.T, file []byte, at uint16, mask byte) {
		file = slices.Clone(file)
		if int(at) < len(file) {
			file[at] ^= mask
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if open, err := Open(file); err == nil && len(open.Columns) > 0 && open.Columns[0].Full() == 0 && open.Read(0, func(bool, []byte) {}) == nil {
			for i := range open.Columns {
				open.Read(i, func(bool, []byte) {})
			}
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%d bytes made it take %d", len(file), used)
		}
	})
}
