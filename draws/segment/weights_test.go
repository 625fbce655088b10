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

// weightedDraws returns draws of features whose weights, which are floats, have the given number of shares of
// their variance, and the header of their segment.
func weightedDraws(seed uint64, count, n, shares int) (Header, []*draws.Draw) {
	rng := rand.New(rand.NewPCG(seed, 1))
	list := randDraws(seed, count, n, 5, true)
	for _, d := range list {
		d.Weights = make([]float64, d.Z.Ones())
		for i := range d.Weights {
			d.Weights[i] = float64(float32(rng.NormFloat64()))
		}
		for m := range shares {
			d.Shares = append(d.Shares, rng.Float64()/float64(shares))
			if m > 0 {
				d.Rates = append(d.Rates, rng.ExpFloat64())
			}
		}
		if shares > 2 {
			d.Rates[1] = 0 // given correlations
		}
	}
	return Header{N: n, DrawsPerChain: count, Run: "weighted", Weights: true, Shares: shares}, list
}

// Weights, shares and rates are read as they were written, those of draws without features too.
func TestWeights(t *testing.T) {
	for _, shares := range []int{-1, 0, 1, 2, 3} {
		h, list := weightedDraws(1, 20, 70, max(shares, 0))
		if shares < 0 { // binary
			h.Weights = false
			for _, d := range list {
				d.Weights = nil
			}
		}
		file := encode(t, h, list)
		header, got, err := decode(file)
		if err != nil {
			t.Fatal(err)
		}
		if header != h {
			t.Errorf("header %+v, expected %+v", header, h)
		}
		checkSame(t, got, list)
		r := opened(t, file)
		rows := 0
		for row, err := range r.Rows() {
			if err != nil {
				t.Fatal(err)
			}
			if d := list[rows]; !slices.Equal(row.Shares, d.Shares) || !slices.Equal(row.Rates, d.Rates) || draws.HasOf(row.Draw) != draws.HasOf(d) {
				t.Errorf("row %d: shares %v and rates %v, expected %v and %v", rows+1, row.Shares, row.Rates, d.Shares, d.Rates)
			}
			rows++
		}
	}
}

// A weight is rounded to a float, and one that was rounded stays as it is.
func TestWeightsAreFloats(t *testing.T) {
	h, list := weightedDraws(1, 1, 9, 0)
	third := 1.0 / 3
	list[0].Weights[0] = third
	_, got, err := decode(encode(t, h, list))
	if err != nil {
		t.Fatal(err)
	}
	if w := got[0].Weights[0]; w != float64(float32(third)) || math.Abs(w-third) > 1e-8 {
		t.Errorf("found %v for 1/3", w)
	}
	if _, again, _ := decode(encode(t, h, got)); !slices.Equal(again[0].Weights, got[0].Weights) {
		t.Error("rounded weights are not kept")
	}
}

func TestWeightsDamage(t *testing.T) {
	h, list := weightedDraws(1, 2, 9, 2)
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
	h, list := weightedDraws(1, 3, 9, 3)
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
		{func(s *Segment) { s.rows[1].Shares = s.rows[1].Shares[1:] }, "row 2, column weight_shares: found 2, expected 3"},
		{func(s *Segment) { s.rows[2].Rates = s.rows[2].Rates[1:] }, "row 3, column weight_rates: found 1, expected 2"},
		{func(s *Segment) { s.header.Shares = 2 }, "row 1, column weight_shares: found 3, expected 2"},
		{func(s *Segment) { s.header.Shares = 0 }, "row 1, column weight_shares: found 3, expected 0"},
		{func(s *Segment) { s.header.Shares = -1 }, "aibd.segment: found -1 shares of the variance of weights, expected 0 to 1000 with weights"},
		{func(s *Segment) { s.header.Shares = 1001 }, "aibd.segment: found 1001 shares of the variance of weights, expected 0 to 1000 with weights"},
		{func(s *Segment) { s.header.Weights = false }, "aibd.segment: found 3 shares of the variance of weights, expected 0 to 1000 with weights"},
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
		{"found 3 shares of the variance of weights, expected 0 to 1000 with weights", func(h *Header) { h.Weights = false }, nil},
		{"found -1 shares", func(h *Header) { h.Shares = -1 }, nil},
		{"found 1001 shares", func(h *Header) { h.Shares = 1001 }, nil},
		{"weights in a segment of", nil, func(d *draws.Draw) { d.Weights = d.Weights[1:] }},
		{"weights in a segment of 0", func(h *Header) { h.Weights, h.Shares = false, 0 }, func(d *draws.Draw) { d.Shares, d.Rates = nil, nil }},
		{"3 weight_shares in a segment of 0", func(h *Header) { h.Shares = 0 }, nil},
		{"3 weight_shares in a segment of 4", func(h *Header) { h.Shares = 4 }, nil},
		{"0 weight_shares in a segment of 3", nil, func(d *draws.Draw) { d.Shares = nil }},
		{"1 weight_rates in a segment of 2", nil, func(d *draws.Draw) { d.Rates = d.Rates[1:] }},
		{"weight NaN of one 2", nil, func(d *draws.Draw) { d.Weights[2] = math.NaN() }},
		{"weight 1e+39 of one 0", nil, func(d *draws.Draw) { d.Weights[0] = 1e39 }},
	} {
		h, list := weightedDraws(1, 1, 9, 3)
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

// Other readers see the weights, their shares and rates, and the words that say what they are.
func TestWeightsInFile(t *testing.T) {
	h, list := weightedDraws(1, 3, 9, 3)
	b := encode(t, h, list)
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if help, _ := f.Lookup(keyWeights); help != weightsHelp {
		t.Errorf("found %q", help)
	}
	type row struct {
		Features []byte    `parquet:"features"`
		Weights  []byte    `parquet:"weights"`
		Shares   []float64 `parquet:"weight_shares,list"`
		Rates    []float64 `parquet:"weight_rates,list"`
	}
	rows := make([]row, 4)
	if n, err := parquet.NewGenericReader[row](f).Read(rows); n != 3 || err != nil && err != io.EOF {
		t.Fatalf("%d rows, %v", n, err)
	}
	for i, d := range list {
		if !slices.Equal(rows[i].Shares, d.Shares) || !slices.Equal(rows[i].Rates, d.Rates) || len(rows[i].Weights) != 4*len(d.Weights) {
			t.Errorf("row %d: shares %v, rates %v and %d bytes", i+1, rows[i].Shares, rows[i].Rates, len(rows[i].Weights))
		}
		for k, w := range d.Weights {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(rows[i].Weights[4*k:])); float64(got) != w {
				t.Errorf("row %d, weight %d: found %v, expected %v", i+1, k+1, got, w)
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
	f.Fuzz(func(t *testing.T, n uint8, nOnes int32, share float64, weights []byte) {
		h, list := weightedDraws(1, 1, int(n)+1, 1)
		s := New(h)
		s.Record(list[0])
		s.rows[0].NOnes, s.rows[0].Shares[0], s.rows[0].Weights = nOnes, share, weights
		checkRecordable(t, written(t, s))
	})
}
