package checksum

import "testing"

// A sealed file is intact until a byte changes, wherever it is.
func TestSeal(t *testing.T) {
	const key = `"crc32c": "`
	file := []byte(`{"a": 1, "crc32c": "not this one", "crc32c": "` + Zeros + `"}`)
	if sealed, err := Check(file, key); !sealed || err == nil {
		t.Errorf("a file that is not sealed: %v, %v", sealed, err)
	}
	if !Seal(file, key) {
		t.Fatal("found no room for the checksum")
	}
	if sealed, err := Check(file, key); !sealed || err != nil {
		t.Errorf("%s: %v, %v", file, sealed, err)
	}
	for i := range file {
		file[i] ^= 1
		if sealed, err := Check(file, key); sealed && err == nil {
			t.Errorf("a change of byte %d goes unnoticed", i)
		}
		file[i] ^= 1
	}
	for _, short := range []string{"", key, key + Zeros[1:]} {
		if sealed, err := Check([]byte(short), key); sealed || err != nil || Seal([]byte(short), key) {
			t.Errorf("%q: found a checksum, or %v", short, err)
		}
	}
	// CRC-32C of 12345678900000000, computed bit by bit in Python.
	whole := []byte("123456789")
	if got := digits(append(whole, Zeros...), len(whole)); got != "9f41bcbb" {
		t.Errorf("found %s", got)
	}
}
