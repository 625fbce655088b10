// Package sha256 computes SHA-256 (FIPS 180-4). crypto/sha256 computes the same faster, and
// links some thirty packages of FIPS 140 into each program that draws a random number.
package sha256

import (
	"encoding/binary"
	"math/bits"
)

// initial holds the first 32 bits of the fractional parts of the square roots of the first 8
// primes.
var initial = [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}

// constants holds the same of the cube roots of the first 64 primes.
var constants = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

// Sum256 returns the SHA-256 of data.
func Sum256(data []byte) [32]byte {
	length := uint64(len(data)) * 8
	padded := append(data[:len(data):len(data)], 0x80)
	for len(padded)%64 != 56 {
		padded = append(padded, 0)
	}
	padded = binary.BigEndian.AppendUint64(padded, length)
	h := initial
	for ; len(padded) > 0; padded = padded[64:] {
		block(&h, padded)
	}
	var sum [32]byte
	for i, v := range h {
		binary.BigEndian.PutUint32(sum[4*i:], v)
	}
	return sum
}

// block adds the first 64 bytes of b to the hash.
func block(h *[8]uint32, b []byte) {
	var w [64]uint32
	for t := range w {
		if t < 16 {
			w[t] = binary.BigEndian.Uint32(b[4*t:])
			continue
		}
		v, u := w[t-2], w[t-15]
		w[t] = w[t-7] + w[t-16] +
			(bits.RotateLeft32(v, -17) ^ bits.RotateLeft32(v, -19) ^ v>>10) +
			(bits.RotateLeft32(u, -7) ^ bits.RotateLeft32(u, -18) ^ u>>3)
	}
	s := *h
	for t, k := range constants {
		a, e := s[0], s[4]
		t1 := s[7] + k + w[t] + (e&s[5] ^ ^e&s[6]) +
			(bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25))
		t2 := (a&s[1] ^ a&s[2] ^ s[1]&s[2]) +
			(bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22))
		copy(s[1:], s[:7])
		s[0], s[4] = t1+t2, s[4]+t1
	}
	for i, v := range s {
		h[i] += v
	}
}
