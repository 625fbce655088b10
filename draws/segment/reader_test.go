package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"aibd/draws"
	"aibd/internal/checksum"
)

// Rows are the draws without Z, and counts of Z.
func TestRows(t *testing.T) {
	for seed, order := range []bool{true, false} {
		batch := randDraws(uint64(seed), 30, 62, 20, order)
		file := encode(t, Header{N: 62, DrawsPerChain: 100}, batch)
		r := opened(t, file)
		rows := 0
		for row, err := range r.Rows() {
			if err != nil {
				t.Fatal(err)
			}
			d := batch[rows]
			if row.Z != nil || row.NFeatures != d.Z.K() || row.NOnes != d.Z.Ones() {
				t.Errorf("draw %d: found %v with %d features and %d ones, expected %d and %d", rows, row.Z, row.NFeatures, row.NOnes, d.Z.K(), d.Z.Ones())
			}
			if row.Z = d.Z; !same(row.Draw, d) {
				t.Errorf("draw %d: found %+v, expected %+v", rows, row.Draw, d)
			}
			rows++
		}
		if rows != len(batch) || r.Len() != rows {
			t.Errorf("found %d rows, Len is %d, expected %d", rows, r.Len(), len(batch))
		}
	}
}

func TestDrawsStopsEarly(t *testing.T) {
	file := encode(t, Header{N: 9, DrawsPerChain: 9}, randDraws(1, 9, 9, 3, true))
	r := opened(t, file)
	count := 0
	for _, err := range r.Draws() {
		if err != nil {
			t.Fatal(err)
		}
		if count++; count == 3 {
			break
		}
	}
	if count != 3 {
		t.Errorf("found %d draws", count)
	}
}

// Every file cut short, and every file with one bit flipped, is an error.
func TestDamage(t *testing.T) {
	file := encode(t, Header{N: 9, DrawsPerChain: 9}, randDraws(1, 2, 9, 3, true))
	if _, _, err := decode(file); err != nil {
		t.Fatal(err)
	}
	expectError := func(what string, at int, damaged []byte) {
		_, _, err := decode(damaged)
		if err == nil {
			t.Errorf("%s %d: no error", what, at)
		} else if text := err.Error(); !strings.HasPrefix(text, "test.parquet: ") || strings.Contains(text, "\n") {
			t.Errorf("%s %d: found error %q, expected one line that names the file", what, at, text)
		}
	}
	for i := range file {
		expectError("cut to", i, file[:i])
		for bit := range 8 {
			file[i] ^= 1 << bit
			expectError("flip in byte", i, file)
			file[i] ^= 1 << bit
		}
	}
	expectError("byte after", 0, append(file, 0))
}

type failingReader struct{}

func (failingReader) ReadAt(p []byte, _ int64) (int, error) {
	return len(p) / 2, errors.New("bad disk")
}

func TestReadError(t *testing.T) {
	const expected = "test.parquet: found 50 bytes, expected 100: bad disk"
	if _, err := NewReader(failingReader{}, 100, "test.parquet"); err == nil || err.Error() != expected {
		t.Errorf("found %v, expected %s", err, expected)
	}
}

// Files with the right checksum whose content is wrong.
func TestContentErrors(t *testing.T) {
	for _, c := range []struct {
		column   int
		change   func(s *Segment)
		expected string
	}{
		{colIteration, func(s *Segment) { set(s, colIteration, 1, 0) }, "test.parquet: row 2, column .iteration: found 0, expected 1 to 9"},
		{colIteration, func(s *Segment) { set(s, colIteration, 1, 10) }, "test.parquet: row 2, column .iteration: found 10, expected 1 to 9"},
		{columnOf(draws.KeyFeatures), func(s *Segment) { set(s, columnOf(draws.KeyFeatures), 2, -1) }, "test.parquet: row 3, column n_features: found -1, expected 0 to 10000"},
		{columnOf(draws.KeyFeatures), func(s *Segment) { set(s, columnOf(draws.KeyFeatures), 2, 100_000) }, "test.parquet: row 3, column n_features: found 100000, expected 0 to 10000"},
		{columnOf(draws.KeyFeatures), func(s *Segment) { set(s, columnOf(draws.KeyFeatures), 2, 4) }, "test.parquet: row 3, column features: found 6 bytes, expected 4 features of 2 bytes"},
		{columnOf(draws.KeyOnes), func(s *Segment) { set(s, columnOf(draws.KeyOnes), 1, 5) }, "test.parquet: row 2, column n_ones: found 5, expected 0 as in column features"},
		{colPermutation, func(s *Segment) { set(s, colPermutation, 0, 10) }, "test.parquet: row 1, column permutation: found item 10 at position 1, expected 1 to 9"},
		{colPermutation, func(s *Segment) {
			set(s, colPermutation, 0, int32(binary.LittleEndian.Uint32(s.values[colPermutation].Plain[4:])))
		}, "again at position 2, expected each item once"},
		{colPermutation, func(s *Segment) {
			v := &s.values[colPermutation]
			v.Repetition, v.Definition, v.Plain = slices.Delete(v.Repetition, 10, 11), slices.Delete(v.Definition, 10, 11), slices.Delete(v.Plain, 40, 44)
		}, "test.parquet: row 2, column permutation: found 8 entries, expected one for each of 9 items"},
		{colFeatures, func(s *Segment) { clear(s.values[colFeatures].Plain[4:6]) }, "test.parquet: row 1, column features: feature 1: found no item, expected at least one"},
		{colFeatures, func(s *Segment) { s.values[colFeatures].Plain[7] |= 2 }, "test.parquet: row 1, column features: feature 2: found an item above 9, expected items 1 to 9"},
		{columnOf(draws.KeyMass), func(s *Segment) { cut(s, columnOf(draws.KeyMass), 16) }, "test.parquet: damaged: column mass: found 2 rows, expected 3"},
		{0, func(s *Segment) { s.metadata[keyFormat] = "1" }, `test.parquet: found aibd.format "1", expected "2"`},
		{0, func(s *Segment) { s.metadata[keyItems] = "nine" }, `test.parquet: found aibd.items "nine", expected a number`},
		{0, func(s *Segment) { s.metadata[keyChain] = "0" }, "test.parquet: found chain -1 (from zero), expected 0 to 2147483646"},
		{0, func(s *Segment) { s.metadata[keySegment] = "0" }, "test.parquet: found segment -1 (from zero), expected 0 to 2147483646"},
		{0, func(s *Segment) { s.metadata[keyRun] = "a\n" }, `test.parquet: found run "a\n", expected printable text`},
	} {
		s := New(Header{N: 9, DrawsPerChain: 9})
		for _, d := range randDraws(1, 3, 9, 3, true) {
			s.Record(d)
		}
		c.change(s)
		if _, _, err := decode(written(t, s)); err == nil || !strings.Contains(err.Error(), c.expected) {
			t.Errorf("found %v, expected %s", err, c.expected)
		}
	}
}

// set replaces a recorded integer.
func set(s *Segment, column, index int, v int32) {
	binary.LittleEndian.PutUint32(s.values[column].Plain[4*index:], uint32(v))
}

// setBytes replaces the first value of a column of bytes.
func setBytes(s *Segment, column int, b []byte) {
	v := &s.values[column]
	rest := v.Plain[4+binary.LittleEndian.Uint32(v.Plain):]
	v.Plain = slices.Concat(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b, rest)
}

// cut keeps two entries of a column, with the given bytes of values.
func cut(s *Segment, column, bytes int) {
	v := &s.values[column]
	v.Repetition, v.Definition, v.Plain = v.Repetition[:2], v.Definition[:2], v.Plain[:bytes]
}

func TestOtherColumns(t *testing.T) {
	var b bytes.Buffer
	if err := parquet.Write(&b, []struct{ A int64 }{{1}}, parquet.KeyValueMetadata(keyFormat, formatVersion)); err != nil {
		t.Fatal(err)
	}
	_, err := open(b.Bytes(), "test.parquet")
	if err == nil || !strings.HasPrefix(err.Error(), "test.parquet: found columns [A INT64], expected [.chain INT32 ") {
		t.Errorf("found %v", err)
	}
}

// A golden file reads as the draws it was made from, and writing them gives the same bytes.
// If the test fails, raise the version of the format, unless the compressor changed. Files of earlier
// programs, which have statistics and indices of pages, read as the same draws.
func TestGolden(t *testing.T) {
	plain := Header{N: 10, Chain: 1, DrawsPerChain: 100, Segment: 2, Run: "7d9f"}
	withWeights := plain
	withWeights.Weights, withWeights.SigmaW = true, true
	graded := goldenDraws()
	for _, d := range graded {
		d.SigmaW, d.Weights = 0.25, []float64{1, -0.5, 2.75, 0}[:d.Z.Ones()]
	}
	for _, c := range []struct {
		name string
		h    Header
		list []*draws.Draw
	}{{"segment.parquet", plain, goldenDraws()}, {"graded.parquet", withWeights, graded}} {
		for _, earlier := range []string{"", "earlier-"} {
			file, err := os.ReadFile("testdata/" + earlier + c.name)
			if err != nil {
				t.Fatal(err)
			}
			header, found, err := decode(file)
			if err != nil {
				t.Fatal(err)
			}
			if header != c.h {
				t.Errorf("found header %+v, expected %+v", header, c.h)
			}
			checkSame(t, found, c.list)
			if earlier == "" && !bytes.Equal(encode(t, c.h, c.list), file) {
				t.Errorf("%s has other bytes than are written now", c.name)
			}
		}
	}
}

// goldenDraws returns two draws of ten items: one with order, one without.
func goldenDraws() []*draws.Draw {
	z, err := draws.Unpack(10, 2, []byte{0b11, 0b10, 0, 0b1})
	if err != nil {
		panic(err)
	}
	none, _ := draws.Unpack(10, 0, nil)
	return []*draws.Draw{
		{Iteration: 4, Mass: 1.25, Temperature: 0.5, SigmaX: 0.1, SigmaA: 2, LogLik: -1234.5678, LogPrior: -0.001,
			Permutation: []int{9, 0, 8, 1, 7, 2, 6, 3, 5, 4}, Z: z},
		{Iteration: 5, Mass: 1e-300, Temperature: math.NaN(), SigmaX: 1, SigmaA: 1, LogLik: math.Inf(-1), LogPrior: 0, Z: none},
	}
}

// No bytes make the reader panic. Draws that it reads can be recorded.
func FuzzReader(f *testing.F) {
	for _, list := range [][]*draws.Draw{nil, goldenDraws(), randDraws(1, 3, 10, 2, false)} {
		f.Add(encode(f, Header{N: 10, Chain: 1, DrawsPerChain: 100}, list))
	}
	h, list := gradedDraws(3, 3, 10)
	f.Add(encode(f, h, list))
	f.Fuzz(func(t *testing.T, file []byte) {
		checkRecordable(t, file)
	})
}

// checkRecordable checks that the draws read from file, if any, come back the
// same from a segment of their own.
func checkRecordable(t *testing.T, file []byte) {
	t.Helper()
	h, list, err := decode(file)
	if err != nil {
		return
	}
	_, again, err := decode(encode(t, h, list))
	if err != nil {
		t.Fatal(err)
	}
	checkSame(t, again, list)
}

// The same below the checksum, which is put right after every change: sizes in headers
// and footer do not make the Parquet library panic or take memory that the file does
// not account for.
func FuzzRepaired(f *testing.F) {
	add := func(h Header, list []*draws.Draw) {
		file := encode(f, h, list)
		f.Add(file, uint16(0), uint16(0), byte(0))
		for at := 0; at < len(file); at += 31 {
			f.Add(file, uint16(at), uint16(at), byte(0xff))
		}
	}
	for _, list := range [][]*draws.Draw{nil, goldenDraws(), randDraws(1, 3, 10, 2, false)} {
		add(Header{N: 10, Chain: 1, DrawsPerChain: 100}, list)
	}
	add(Header{N: 70, Chain: 1, DrawsPerChain: 100}, randDraws(2, 40, 70, 9, true))
	add(gradedDraws(3, 3, 10))
	f.Fuzz(func(t *testing.T, file []byte, from, to uint16, mask byte) {
		file = slices.Clone(file)
		for i := int(from); i <= int(to) && i < len(file); i++ {
			file[i] ^= mask
		}
		if !checksum.Seal(file, sealKey) {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		checkRecordable(t, file)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%d bytes made it take %d", len(file), used)
		}
	})
}

// A list in the footer that says it is longer than the file is found before anything
// is allocated for it; so is a footer within footers.
func TestHostileFooters(t *testing.T) {
	for _, footer := range []string{
		"\x29\xfc\xff\xff\xff\xff\x07",                 // 2^31 - 1 structures
		"\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", // text of 2^64 - 1 bytes
		strings.Repeat("\x1c", 1000),                   // structures in structures
		strings.Repeat("\x19\x19", 1000),               // lists in lists
		"\x1b\xff\xff\x03\x11",                         // a map
		"\x15",                                         // the end is missing
	} {
		file := "PAR1" + footer + string(binary.LittleEndian.AppendUint32(nil, uint32(len(footer)))) + "PAR1"
		_, err := open([]byte(file), "test.parquet")
		if err == nil || err.Error() != "test.parquet: damaged: bad footer: a size exceeds its bytes" {
			t.Errorf("%q: %v", footer, err)
		}
	}
	const magic = "not a Parquet file: bad magic"
	for file, want := range map[string]string{
		"": magic, "PAR1PAR1": magic, "PAR1\x00\x00\x00\x00PARE": magic,
		"PAR1\xff\xff\xff\xffPAR1": "found a footer of 4294967295 bytes in 12",
	} {
		if _, err := open([]byte(file), "test.parquet"); err == nil || err.Error() != "test.parquet: damaged: "+want {
			t.Errorf("%q: %v", file, err)
		}
	}
}

// Whatever the columns hold in a file whose checksum is right, reading it gives an
// error or a draw that may be recorded.
func FuzzContent(f *testing.F) {
	f.Add(uint8(10), int32(1), int32(2), int32(4), []byte{9, 0, 8, 1, 7, 2, 6, 3, 5, 4}, []byte{0b11, 0b10, 0, 0b1})
	f.Add(uint8(1), int32(9), int32(0), int32(0), []byte{}, []byte{})
	f.Add(uint8(64), int32(-1), int32(1<<31-1), int32(-1), []byte{200, 200}, make([]byte, 16))
	f.Fuzz(func(t *testing.T, n uint8, iteration, nFeatures, nOnes int32, permutation, features []byte) {
		h := Header{N: int(n) + 1, DrawsPerChain: 9}
		s := New(h)
		s.Record(randDraws(1, 1, h.N, 1, false)[0])
		set(s, colIteration, 0, iteration)
		set(s, columnOf(draws.KeyFeatures), 0, nFeatures)
		set(s, columnOf(draws.KeyOnes), 0, nOnes)
		setBytes(s, colFeatures, features)
		if len(permutation) > 0 {
			s.values[colPermutation].Reset()
			for i, item := range permutation {
				s.int(colPermutation, i, int(item)+1)
			}
		}
		checkRecordable(t, written(t, s))
	})
}

func BenchmarkRows(b *testing.B) {
	file := encode(b, Header{N: 62, DrawsPerChain: 1000}, chainLike(1000, 62, 74, 10))
	b.ReportAllocs()
	for b.Loop() {
		r := opened(b, file)
		for _, err := range r.Rows() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkDraws(b *testing.B) {
	file := encode(b, Header{N: 62, DrawsPerChain: 1000}, chainLike(1000, 62, 74, 10))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := decode(file); err != nil {
			b.Fatal(err)
		}
	}
}
