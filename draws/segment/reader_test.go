package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
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
	expectError := func(what string, offset int, damaged []byte) {
		_, _, err := decode(damaged)
		if err == nil {
			t.Errorf("%s %d: no error", what, offset)
		} else if text := err.Error(); !strings.HasPrefix(text, "test.parquet: ") || strings.Contains(text, "\n") {
			t.Errorf("%s %d: found error %q, expected one line that names the file", what, offset, text)
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
		change   func(s *Segment)
		expected string
	}{
		{func(s *Segment) { s.rows[2].Chain = 2 }, "test.parquet: row 3, column .chain: found 2, expected 1 to 1"},
		{func(s *Segment) { s.rows[1].Iteration = 0 }, "test.parquet: row 2, column .iteration: found 0, expected 1 to 9"},
		{func(s *Segment) { s.rows[1].Iteration = 10 }, "test.parquet: row 2, column .iteration: found 10, expected 1 to 9"},
		{func(s *Segment) { s.rows[2].NFeatures = -1 }, "test.parquet: row 3, column n_features: found -1, expected 0 to 10000"},
		{func(s *Segment) { s.rows[2].NFeatures = 100_000 }, "test.parquet: row 3, column n_features: found 100000, expected 0 to 10000"},
		{func(s *Segment) { s.rows[2].NFeatures = 4 }, "test.parquet: row 3, column features: found 6 bytes, expected 4 features of 2 bytes"},
		{func(s *Segment) { s.rows[1].NOnes = 5 }, "test.parquet: row 2, column n_ones: found 5, expected 0 as in column features"},
		{func(s *Segment) { s.rows[0].Permutation[0] = 10 }, "test.parquet: row 1, column permutation: found item 10 at position 1, expected 1 to 9"},
		{func(s *Segment) { s.rows[0].Permutation[0] = s.rows[0].Permutation[1] }, "again at position 2, expected each item once"},
		{func(s *Segment) { s.rows[1].Permutation = s.rows[1].Permutation[1:] }, "test.parquet: row 2, column permutation: found 8 entries, expected one for each of 9 items"},
		{func(s *Segment) { clear(s.rows[0].Features[:2]) }, "test.parquet: row 1, column features: feature 1: found no item, expected at least one"},
		{func(s *Segment) { s.rows[0].Features[3] |= 2 }, "test.parquet: row 1, column features: feature 2: found an item above 9, expected items 1 to 9"},
		{func(s *Segment) { s.rows[1].Cutpoints = []float64{1} }, "test.parquet: row 2, column cutpoints: found 1, expected 0"},
		{func(s *Segment) { s.header.N = 0 }, "test.parquet: aibd.segment: found 0 items, expected 1 to"},
		{func(s *Segment) { s.header.Chain = -1 }, "test.parquet: aibd.segment: found chain -1 (from zero)"},
		{func(s *Segment) { s.header.Segment = -1 }, "test.parquet: aibd.segment: found segment -1 (from zero)"},
		{func(s *Segment) { s.header.Run = "a\n" }, `test.parquet: aibd.segment: found run "a\n", expected printable text`},
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

func TestOtherColumns(t *testing.T) {
	var b bytes.Buffer
	if err := parquet.Write(&b, []struct{ A int64 }{{1}}, parquet.KeyValueMetadata(keyFormat, formatVersion)); err != nil {
		t.Fatal(err)
	}
	_, err := open(b.Bytes(), "test.parquet")
	if err == nil || !strings.HasPrefix(err.Error(), "test.parquet: found columns [[A]], expected [[.chain] ") {
		t.Errorf("found %v", err)
	}
}

var update = flag.Bool("update", false, "write the golden files again")

// A golden file reads as the draws in it, and the writer gives the same bytes.
// If the test fails, raise the version of the format, unless the library changed, and write the files again
// (-update).
func TestGolden(t *testing.T) {
	plain := Header{N: 10, Chain: 1, DrawsPerChain: 100, Segment: 2, Run: "7d9f"}
	withWeights := plain
	withWeights.Weights, withWeights.Shares = true, 2
	weighted := goldenDraws()
	for _, d := range weighted {
		d.Weights, d.Shares, d.Rates = []float64{1, -0.5, 2.75, 0}[:d.Z.Ones()], []float64{0.25, 0.5}, []float64{3}
	}
	for _, c := range []struct {
		name string
		h    Header
		list []*draws.Draw
	}{{"segment.parquet", plain, goldenDraws()}, {"weighted.parquet", withWeights, weighted}} {
		name := filepath.Join("testdata", c.name)
		if *update {
			if err := os.WriteFile(name, encode(t, c.h, c.list), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		header, got, err := decode(file)
		if err != nil {
			t.Fatal(err)
		}
		if header != c.h {
			t.Errorf("found header %+v, expected %+v", header, c.h)
		}
		checkSame(t, got, c.list)
		if !bytes.Equal(encode(t, c.h, c.list), file) {
			t.Errorf("%s has other bytes than are written now", c.name)
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
	h, list := weightedDraws(3, 3, 10, 3)
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

// The same below the checksum, which is put right after every change: what headers and footer say does not
// make the Parquet library panic.
func FuzzRepaired(f *testing.F) {
	add := func(h Header, list []*draws.Draw) {
		file := encode(f, h, list)
		f.Add(file, uint16(0), uint16(0), byte(0))
		for offset := 0; offset < len(file); offset += 31 {
			f.Add(file, uint16(offset), uint16(offset), byte(0xff))
		}
	}
	for _, list := range [][]*draws.Draw{nil, goldenDraws(), randDraws(1, 3, 10, 2, false)} {
		add(Header{N: 10, Chain: 1, DrawsPerChain: 100}, list)
	}
	add(Header{N: 70, Chain: 1, DrawsPerChain: 100}, randDraws(2, 40, 70, 9, true))
	add(weightedDraws(3, 3, 10, 3))
	f.Fuzz(func(t *testing.T, file []byte, begin, end uint16, mask byte) {
		file = slices.Clone(file)
		for i := int(begin); i <= int(end) && i < len(file); i++ {
			file[i] ^= mask
		}
		if !checksum.Seal(file, sealKey) {
			return
		}
		checkRecordable(t, file)
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
		if err == nil || err.Error() != "test.parquet: damaged: bad footer" {
			t.Errorf("%q: %v", footer, err)
		}
	}
	for _, file := range []string{"", "PAR1PAR1", "PAR1\x00\x00\x00\x00PARE", "PAR1\xff\xff\xff\xffPAR1"} {
		if _, err := open([]byte(file), "test.parquet"); err == nil || !strings.HasPrefix(err.Error(), "test.parquet: damaged: ") {
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
		r := &s.rows[0]
		r.Iteration, r.NFeatures, r.NOnes, r.Features = iteration, nFeatures, nOnes, features
		for _, item := range permutation {
			r.Permutation = append(r.Permutation, int32(item)+1)
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
