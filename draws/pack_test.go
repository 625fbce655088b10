package draws

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"aibd/feature"
)

// The layout, by hand: ten items, features {1, 2, 10} and {9}, from one.
func TestPackLayout(t *testing.T) {
	z := feature.New(10)
	z.Append()
	z.Flip(0, 0)
	z.Flip(1, 0)
	z.Flip(9, 0)
	z.Append()
	z.Flip(8, 1)
	got := Pack([]byte{0xff}, z)
	if expected := []byte{0xff, 0b11, 0b10, 0, 0b1}; !bytes.Equal(got, expected) {
		t.Errorf("found %08b, expected %08b", got, expected)
	}
}

func TestPackUnpack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{1, 2, 7, 8, 9, 62, 63, 64, 65, 127, 128, 129, 300} {
		for _, k := range []int{0, 1, 3, 500} {
			z := feature.New(n)
			for j := range k {
				z.Append()
				z.Flip(rng.IntN(n), j)
				for i := range n {
					if !z.Has(i, j) && rng.Float64() < 0.2 {
						z.Flip(i, j)
					}
				}
			}
			b := Pack(nil, z)
			// Bit by bit from the definition.
			bytes := (n + 7) / 8
			if len(b) != k*bytes {
				t.Fatalf("N = %d, K = %d: %d bytes", n, k, len(b))
			}
			for j := range k {
				for i := range 8 * bytes {
					if bit := b[j*bytes+i/8]>>(i%8)&1 == 1; bit != (i < n && z.Has(i, j)) {
						t.Fatalf("N = %d, K = %d: item %d, feature %d: bit %v", n, k, i, j, bit)
					}
				}
			}
			back, err := Unpack(n, k, b)
			if err != nil || back.N() != n || back.K() != k || back.String() != z.String() {
				t.Fatalf("N = %d, K = %d: found %v, %v, expected %v", n, k, back, err, z)
			}
		}
	}
}

func TestUnpackErrors(t *testing.T) {
	for _, c := range []struct {
		n, k     int
		b        []byte
		expected string
	}{
		{10, 1, []byte{1}, "found 1 bytes, expected 1 features of 2 bytes"},
		{10, 0, []byte{1}, "found 1 bytes, expected 0 features of 2 bytes"},
		{10, math.MaxInt, nil, "found 0 bytes, expected "},
		{10, 1, []byte{1, 4}, "feature 1: found an item above 10"},
		{64, 2, []byte{1, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0}, "feature 2: found no item"},
		{60, 1, []byte{1, 0, 0, 0, 0, 0, 0, 16}, "feature 1: found an item above 60"},
		{8, 2, []byte{1, 0}, "feature 2: found no item"},
	} {
		if _, err := Unpack(c.n, c.k, c.b); err == nil || !strings.Contains(err.Error(), c.expected) {
			t.Errorf("Unpack(%d, %d, %v): found %v, expected %q", c.n, c.k, c.b, err, c.expected)
		}
	}
}

// FuzzUnpack checks that whatever is unpacked is packed to the same bytes.
func FuzzUnpack(f *testing.F) {
	f.Add(uint16(10), uint16(2), []byte{0b11, 0b10, 0, 0b1})
	f.Add(uint16(0), uint16(0), []byte{})
	f.Add(uint16(8), uint16(1), []byte{0})
	f.Add(uint16(65), uint16(1), []byte{0, 0, 0, 0, 0, 0, 0, 0, 3})
	f.Fuzz(func(t *testing.T, n, k uint16, b []byte) {
		z, err := Unpack(int(n), int(k), b)
		if err != nil {
			return
		}
		if z.N() != int(n) || z.K() != int(k) || !bytes.Equal(Pack(nil, z), b) {
			t.Errorf("unpacked %d items and %d features from %v", z.N(), z.K(), b)
		}
	})
}
