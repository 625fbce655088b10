package runs

// JSON files with a checksum that people can read.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"aibd/internal/files"
)

// noChecksum is the value of the member crc32c while the checksum is computed.
const noChecksum = "00000000"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksumAt returns where the value of the last member crc32c is in a JSON text, or -1.
func checksumAt(text []byte) int {
	const key = `"crc32c": "`
	at := bytes.LastIndex(text, []byte(key))
	if at < 0 || at+len(key)+len(noChecksum) > len(text) {
		return -1
	}
	return at + len(key)
}

// checksum returns the CRC-32C of a text with noChecksum at the given place.
func checksum(text []byte, at int) string {
	c := crc32.Update(0, castagnoli, text[:at])
	c = crc32.Update(c, castagnoli, []byte(noChecksum))
	return fmt.Sprintf("%08x", crc32.Update(c, castagnoli, text[at+len(noChecksum):]))
}

// intact reports an error if a text differs from what writeJSON wrote.
func intact(text []byte) error {
	at := checksumAt(text)
	if at < 0 {
		return errors.New("found no crc32c")
	}
	if found, expected := checksum(text, at), text[at:at+len(noChecksum)]; found != string(expected) {
		return fmt.Errorf("found CRC-32C %s, expected %q", found, expected)
	}
	return nil
}

// marshal returns v in JSON, with its checksum. The last member of v is crc32c and has the
// value noChecksum.
func marshal(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	at := checksumAt(text)
	copy(text[at:], checksum(text, at))
	return text, nil
}

// writeJSON writes v to a file, see marshal.
func writeJSON(d files.Disk, name string, v any) error {
	text, err := marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return files.Replace(d, name+".tmp", name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// maxBytes bounds the files of a run: this program writes no larger ones.
const maxBytes = 2 << 30

// damagedError is about a file that this program did not leave as it is.
type damagedError struct{ error }

func (e damagedError) Unwrap() error { return e.error }

// damagedIf returns a damagedError if err is about a pipe, a device or the like.
func damagedIf(err error) error {
	var irregular files.IrregularError
	if errors.As(err, &irregular) {
		return damagedError{err}
	}
	return err
}

// readJSON reads a file that writeJSON wrote into v. A file that has another content is a
// damagedError.
func readJSON(s files.Source, name string, v any) error {
	text, err := files.ReadRegular(s, name, maxBytes)
	if err != nil {
		return damagedIf(err)
	}
	if err = intact(text); err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return damagedError{fmt.Errorf("%s: damaged: %w", name, err)}
	}
	return nil
}
