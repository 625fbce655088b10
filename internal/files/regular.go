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

// OpenRegular opens a regular file of at most limit bytes for reading and returns its
// size. It does not open anything else: a pipe could block. Errors begin with path.
func OpenRegular(s Source, path string, limit int64) (*os.File, int64, error) {
	return openRegular(s.Stat, s.Open, path, limit)
}

// openRegular checks a file before it is opened and afterwards.
func openRegular(stat func(string) (fs.FileInfo, error), open func(string) (*os.File, error), path string, limit int64) (*os.File, int64, error) {
	info, err := stat(path)
	if err == nil {
		err = checkRegular(info, limit)
	}
	if err != nil {
		return nil, 0, Named(path, err)
	}
	f, err := open(path)
	if err != nil {
		return nil, 0, Named(path, err)
	}
	if info, err = f.Stat(); err == nil {
		err = checkRegular(info, limit)
	}
	if err != nil {
		f.Close()
		return nil, 0, Named(path, err)
	}
	return f, info.Size(), nil
}

// checkRegular returns an error unless a file is regular and has at most limit bytes.
func checkRegular(info fs.FileInfo, limit int64) error {
	switch {
	case !info.Mode().IsRegular():
		return IrregularError(fmt.Sprintf("found a %s, expected a regular file", kind(info.Mode())))
	case info.Size() > limit:
		return IrregularError(fmt.Sprintf("found %d bytes, expected at most %d", info.Size(), limit))
	}
	return nil
}

// ReadRegular returns the content of a regular file of at most limit bytes. Errors begin
// with path.
func ReadRegular(s Source, path string, limit int64) ([]byte, error) {
	f, _, err := OpenRegular(s, path, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit))
	return b, Named(path, err)
}

// CheckDirectory returns an error, which begins with path, unless there is a directory.
func CheckDirectory(s Source, path string) error {
	info, err := s.Stat(path)
	if err == nil && !info.IsDir() {
		err = IrregularError(fmt.Sprintf("found a %s, expected a directory", kind(info.Mode())))
	}
	return Named(path, err)
}

// kind names what a file is.
func kind(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "file"
	case m.IsDir():
		return "directory"
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}
