package files

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// IrregularError is about a file that is not a regular file, or too large.
type IrregularError string

func (e IrregularError) Error() string { return string(e) }

// OpenRegular opens a regular file of at most most bytes for reading and returns its
// size. It does not open anything else: a pipe could block. Errors begin with path.
func OpenRegular(s Source, path string, most int64) (*os.File, int64, error) {
	info, err := s.Stat(path)
	switch {
	case err != nil:
		return nil, 0, Named(path, err)
	case !info.Mode().IsRegular():
		return nil, 0, IrregularError(fmt.Sprintf("%s: found a %s, expected a regular file", path, kind(info.Mode())))
	case info.Size() > most:
		return nil, 0, IrregularError(fmt.Sprintf("%s: found %d bytes, expected at most %d", path, info.Size(), most))
	}
	f, err := s.Open(path)
	if err != nil {
		return nil, 0, Named(path, err)
	}
	return f, info.Size(), nil
}

// ReadRegular returns the content of a regular file of at most most bytes. Errors begin
// with path.
func ReadRegular(s Source, path string, most int64) ([]byte, error) {
	f, _, err := OpenRegular(s, path, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most))
	return b, Named(path, err)
}

// kind names what is not a regular file.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}
