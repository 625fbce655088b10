// Package choices turns the bytes of a fuzzer into choices.
package choices

import (
	"math/rand/v2"
	"testing"
)

// Seed adds 24 random inputs of some bytes, which differ by stream, and the empty one.
func Seed(f *testing.F, stream uint64, bytes int) {
	rng := rand.New(rand.NewPCG(7, stream))
	for range 24 {
		b := make([]byte, bytes)
		for i := range b {
			b[i] = byte(rng.IntN(256))
		}
		f.Add(b)
	}
	f.Add([]byte{})
}

// Source is the bytes that are left. At their end it chooses the first.
type Source []byte

// Byte returns the next byte.
func (s *Source) Byte() byte {
	if len(*s) == 0 {
		return 0
	}
	x := (*s)[0]
	*s = (*s)[1:]
	return x
}

// Below returns a number from 0 to n-1, for n up to 256.
func (s *Source) Below(n int) int { return int(s.Byte()) % n }

// Yes returns true or false.
func (s *Source) Yes() bool { return s.Byte()&1 != 0 }

// Choose returns one of the values.
func (s *Source) Choose(values ...float64) float64 { return values[s.Below(len(values))] }

// Permutation returns an order of the numbers from 0 to n-1.
func (s *Source) Permutation(n int) []int {
	perm := make([]int, n)
	for p := range perm {
		perm[p] = p
	}
	for p := range perm {
		q := p + s.Below(n-p)
		perm[p], perm[q] = perm[q], perm[p]
	}
	return perm
}
