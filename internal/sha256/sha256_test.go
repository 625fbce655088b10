package sha256

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"
)

// TestSum256 compares with the standard library, at all lengths of up to four blocks.
func TestSum256(t *testing.T) {
	source := rand.NewChaCha8([32]byte{1})
	for n := range 257 {
		data := make([]byte, n)
		_, _ = source.Read(data) // is always nil
		if got, want := Sum256(data), sha256.Sum256(data); got != want {
			t.Errorf("%d bytes: found %x, expected %x", n, got, want)
		}
	}
}
