package runs

// JSON files with a checksum that people can read.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"aibd/internal/checksum"
	"aibd/internal/files"
)

// sealKey precedes the checksum in a file, the value of the last member.
const sealKey = `"crc32c": "`

// intact reports an error if a text differs from what writeJSON wrote.
func intact(text []byte) error {
	sealed, err := checksum.Check(text, sealKey)
	if !sealed {
		return errors.New("found no crc32c")
	}
	return err
}

// marshal returns v in JSON, with its checksum. The last member of v is crc32c and has the
// value checksum.Zeros.
func marshal(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	checksum.Seal(text, sealKey)
	return text, nil
}

// writeJSON writes v to a file, see marshal.
func writeJSON(d files.Disk, name string, v any) error {
	text, err := marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return writeFile(d, name, bytes.NewReader(text))
}

// writeFile writes a file whole.
func writeFile(d files.Disk, name string, content io.WriterTo) error {
	return files.Replace(d, name+".tmp", name, func(w io.Writer) error {
		_, err := content.WriteTo(w)
		return err
	})
}

// These numbers bound the files of a run in bytes, see also maxCheckpoint. This program
// writes no larger ones.
const (
	maxSegment = 2 << 30
	maxRecord  = 64 << 20 // run.json, which has the names of all items and their order
	maxReport  = 1 << 20
)

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

// readJSON reads a file of at most limit bytes that writeJSON wrote into v. A file that has another content is a
// damagedError.
func readJSON(s files.Source, name string, limit int64, v any) error {
	text, err := files.ReadRegular(s, name, limit)
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
