package draws

import (
	"fmt"
	"math/bits"

	"aibd/feature"
)

// stride returns the bytes of a packed feature of n items.
func stride(n int) int { return (n + 7) / 8 }

// Pack appends z to dst as K*ceil(N/8) bytes, feature by feature: item i is bit
// i%8, the least significant first, of byte i/8 of its feature. Unused bits are
// zero.
func Pack(dst []byte, z *feature.Allocation) []byte {
	bytes := stride(z.N())
	for k := range z.K() {
		column := z.Column(k)
		for b := range bytes {
			dst = append(dst, byte(column[b/8]>>(b%8*8)))
		}
	}
	return dst
}

// Unpack returns the allocation of n items and k features that Pack wrote as b.
// It reports an error, counting features and items from one, if b has another
// length, a feature has no items or has an item above n. It panics if n or k is
// negative.
func Unpack(n, k int, b []byte) (*feature.Allocation, error) {
	if n < 0 || k < 0 {
		panic(fmt.Sprintf("draws: Unpack of %d items and %d features", n, k))
	}
	bytes := stride(n)
	if hi, size := bits.Mul64(uint64(k), uint64(bytes)); hi != 0 || size != uint64(len(b)) {
		return nil, fmt.Errorf("found %d bytes, expected %d features of %d bytes", len(b), k, bytes)
	}
	z := feature.New(n)
	column := make([]uint64, z.Words())
	for j := range k {
		clear(column)
		for i, v := range b[j*bytes : (j+1)*bytes] {
			column[i/8] |= uint64(v) << (i % 8 * 8)
		}
		if tail := n % 64; tail != 0 && column[len(column)-1]>>tail != 0 {
			return nil, fmt.Errorf("feature %d: found an item above %d, expected items 1 to %d", j+1, n, n)
		}
		z.AppendColumn(column)
		if z.Size(j) == 0 {
			return nil, fmt.Errorf("feature %d: found no item, expected at least one", j+1)
		}
	}
	return z, nil
}
