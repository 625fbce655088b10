// Package checksum seals files that hold their own checksum: the CRC-32C of the whole file, with
// zeros in its place, as eight hexadecimal digits. It detects accidents.
package checksum

import (
	"bytes"
	"fmt"
	"hash/crc32"
)

// Zeros stands for the digits of the checksum until a file is sealed.
const Zeros = "00000000"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// find returns the offset of the digits, which follow the last key in the file, or -1.
func find(file []byte, key string) int {
	offset := bytes.LastIndex(file, []byte(key))
	if offset < 0 || offset+len(key)+len(Zeros) > len(file) {
		return -1
	}
	return offset + len(key)
}

func digits(file []byte, offset int) string {
	c := crc32.Update(0, castagnoli, file[:offset])
	c = crc32.Update(c, castagnoli, []byte(Zeros))
	return fmt.Sprintf("%08x", crc32.Update(c, castagnoli, file[offset+len(Zeros):]))
}

// Seal writes the digits behind the last key in the file. It reports whether there is room for them.
func Seal(file []byte, key string) bool {
	offset := find(file, key)
	if offset >= 0 {
		copy(file[offset:], digits(file, offset))
	}
	return offset >= 0
}

// Check reports whether the file has digits behind the last key, and returns an error if they are
// not its checksum.
func Check(file []byte, key string) (sealed bool, err error) {
	offset := find(file, key)
	if offset < 0 {
		return false, nil
	}
	if digest, expected := digits(file, offset), string(file[offset:offset+len(Zeros)]); digest != expected {
		return true, fmt.Errorf("found CRC-32C %s, expected %q", digest, expected)
	}
	return true, nil
}
