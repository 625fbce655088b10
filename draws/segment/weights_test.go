package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"aibd/draws"
)

// gradedDraws returns draws of graded features, whose weights are floats, and the header of their
// segment.
func gradedDraws(seed uint64, count, n int) (Header, []*draws.Draw) {
	rng := rand.New(rand.NewPCG(seed, 1))
	list := randDraws(seed, count, n, 5, true)
	for _, d := range list {
		d.SigmaW = 1 / (1 + rng.Float64())
		d.Weights = make([]float64, d.Z.Ones())
		for i := range d.Weights {
			d.Weights[i] = float64(float32(1 + d.SigmaW*rng.NormFloat64()))
		}
	}
	return Header{N: n, DrawsPerChain: count, Run: "graded", Weights: true, SigmaW: true}, list
}

// Weights and their standard deviation are read as they were written, those of draws without
// features too.
func TestWeights(t *testing.T) {
	graded, list := gradedDraws(1, 20, 70)
	weighted, binary := graded, graded
	weighted.SigmaW, binary.Weights, binary.SigmaW = false, false, false
	for _, c := range []struct {
		h      Header
		change func(d *draws.Draw)
	}{
		{graded, func(*draws.Draw) {}},
		{weighted, func(d *draws.Draw) { d.SigmaW = 0 }},
		{binary, func(d *draws.Draw) { d.Weights = nil }},
	} {
		for _, d := range list {
			c.change(d)
		}
		file := encode(t, c.h, list)
		header, found, err := decode(file)
		if err != nil {
			t.Fatal(err)
		}
		if header != c.h {
			t.Errorf("header %+v, expected %+v", header, c.h)
		}
		checkSame(t, found, list)
		r := opened(t, file)
		rows := 0
		for row, err := range r.Rows() {
			if err != nil {
				t.Fatal(err)
			}
			if row.SigmaW != list[rows].SigmaW || draws.HasOf(row.Draw).SigmaW != c.h.SigmaW {
				t.Errorf("row %d: SigmaW %v, expected %v", rows+1, row.SigmaW, list[rows].SigmaW)
			}
			rows++
		}
	}
}

// A weight is rounded to a float, and one that was rounded stays as it is.
func TestWeightsAreFloats(t *testing.T) {
	h, list := gradedDraws(1, 1, 9)
	third := 1.0 / 3
	list[0].Weights[0] = third
	_, found, err := decode(encode(t, h, list))
	if err != nil {
		t.Fatal(err)
	}
	if w := found[0].Weights[0]; w != float64(float32(third)) || math.Abs(w-third) > 1e-8 {
		t.Errorf("found %v for 1/3", w)
	}
	if _, again, _ := decode(encode(t, h, found)); !slices.Equal(again[0].Weights, found[0].Weights) {
		t.Error("rounded weights are not kept")
	}
}

func TestWeightsDamage(t *testing.T) {
	h, list := gradedDraws(1, 2, 9)
	file := encode(t, h, list)
	for i := range file {
		file[i] ^= 0x10
		if _, _, err := decode(file); err == nil {
			t.Fatalf("flip in byte %d: no error", i)
		}
		file[i] ^= 0x10
		if _, _, err := decode(file[:i]); err == nil {
			t.Fatalf("cut to %d: no error", i)
		}
	}
}

// Files with the right checksum whose weights are wrong.
func TestWeightsErrors(t *testing.T) {
	weights := func(change func(b []byte) []byte) func(s *Segment) {
		return func(s *Segment) { s.rows[0].Weights = change(s.rows[0].Weights) }
	}
	h, list := gradedDraws(1, 3, 9)
	ones := list[0].Z.Ones()
	for _, c := range []struct {
		change   func(s *Segment)
		expected string
	}{
		{weights(func(b []byte) []byte { return b[:len(b)-1] }), fmt.Sprintf("row 1, column weights: found %d bytes, expected 4 for each of %d ones", 4*ones-1, ones)},
		{weights(func(b []byte) []byte { return append(b, b[:4]...) }), fmt.Sprintf("row 1, column weights: found %d bytes, expected 4 for each of %d ones", 4*ones+4, ones)},
		{weights(func(b []byte) []byte { return nil }), fmt.Sprintf("row 1, column weights: found 0 bytes, expected 4 for each of %d ones", ones)},
		{weights(func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[4:], math.Float32bits(float32(math.Inf(1))))
			return b
		}), "row 1, column weights: weight 2: found +Inf, expected a number"},
		{weights(func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b, math.Float32bits(float32(math.NaN())))
			return b
		}), "row 1, column weights: weight 1: found NaN, expected a number"},
		{func(s *Segment) {
			s.rows[0].NOnes = int32(ones + 1)
			weights(func(b []byte) []byte { return append(b, b[:4]...) })(s)
		}, fmt.Sprintf("row 1, column n_ones: found %d, expected %d as in column features", ones+1, ones)},
	} {
		s := New(h)
		for _, d := range list {
			s.Record(d)
		}
		c.change(s)
		if _, _, err := decode(written(t, s)); err == nil || !strings.HasPrefix(err.Error(), "test.parquet: "+c.expected) {
			t.Errorf("found %v, expected %s", err, c.expected)
		}
	}
}

func TestWeightsMisuse(t *testing.T) {
	for _, c := range []struct {
		expected string
		header   func(h *Header)
		draw     func(d *draws.Draw)
	}{
		{"without weights, expected both", func(h *Header) { h.Weights = false }, nil},
		{"weights in a segment of", nil, func(d *draws.Draw) { d.Weights = d.Weights[1:] }},
		{"weights in a segment of 0", func(h *Header) { h.Weights, h.SigmaW = false, false }, nil},
		{"in a segment without", func(h *Header) { h.SigmaW = false }, nil},
		{"weight NaN of one 2", nil, func(d *draws.Draw) { d.Weights[2] = math.NaN() }},
		{"weight 1e+39 of one 0", nil, func(d *draws.Draw) { d.Weights[0] = 1e39 }},
	} {
		h, list := gradedDraws(1, 1, 9)
		if c.header != nil {
			c.header(&h)
		}
		if c.draw != nil {
			c.draw(list[0])
		}
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, c.expected) {
					t.Errorf("found panic %q, expected %q", p, c.expected)
				}
			}()
			encode(t, h, list)
		}()
	}
}

// Other readers see the weights, the standard deviation and the words that say what they are.
func TestWeightsInFile(t *testing.T) {
	h, list := gradedDraws(1, 3, 9)
	b := encode(t, h, list)
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if help, _ := f.Lookup(keyWeights); help != weightsHelp {
		t.Errorf("found %q", help)
	}
	type row struct {
		SigmaW   *float64 `parquet:"sigma_w"`
		Features []byte   `parquet:"features"`
		Weights  []byte   `parquet:"weights"`
	}
	rows := make([]row, 4)
	if n, err := parquet.NewGenericReader[row](f).Read(rows); n != 3 || err != nil && err != io.EOF {
		t.Fatalf("%d rows, %v", n, err)
	}
	for i, d := range list {
		if *rows[i].SigmaW != d.SigmaW || len(rows[i].Weights) != 4*len(d.Weights) {
			t.Errorf("row %d: SigmaW %v and %d bytes", i+1, *rows[i].SigmaW, len(rows[i].Weights))
		}
		for k, w := range d.Weights {
			if found := math.Float32frombits(binary.LittleEndian.Uint32(rows[i].Weights[4*k:])); float64(found) != w {
				t.Errorf("row %d, weight %d: found %v, expected %v", i+1, k+1, found, w)
			}
		}
	}
}

// Whatever weights a file holds whose checksum is right, reading it gives an error or a draw that may
// be recorded.
func FuzzWeights(f *testing.F) {
	f.Add(uint8(9), int32(3), 0.5, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0})
	f.Add(uint8(9), int32(1<<31-1), math.NaN(), []byte{})
	f.Add(uint8(1), int32(1), math.Inf(1), []byte{0, 0, 0x80, 0x7f})
	f.Add(uint8(1), int32(-1), 0.0, []byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, n uint8, nOnes int32, sigmaW float64, weights []byte) {
		h, list := gradedDraws(1, 1, int(n)+1)
		s := New(h)
		s.Record(list[0])
		s.rows[0].NOnes, s.rows[0].SigmaW, s.rows[0].Weights = nOnes, &sigmaW, weights
		checkRecordable(t, written(t, s))
	})
}
