package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Write writes content to the file at path, as a shell's > does: it follows symbolic
// links, writes into FIFOs and devices, keeps the mode of an existing file and gives
// a new one 0666 under the umask, and fails where the file is read-only. A regular
// file changes as a whole, or not at all after an error or when ctx is done, unless
// its directory does not allow a second file. Its owner becomes that of this process,
// and other hard links keep the old content. Errors begin with path.
func Write(ctx context.Context, path string, content []byte) error {
	return Named(path, write(ctx, path, content))
}

func write(ctx context.Context, path string, content []byte) error {
	path, descriptor := follow(path)
	info, err := os.Stat(path)
	exists := err == nil
	if exists && (descriptor || !info.Mode().IsRegular()) {
		return through(ctx, path, content)
	}
	if !exists && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	perm := fs.FileMode(0o666)
	if exists {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		f.Close()
		perm = info.Mode().Perm()
	}
	temp := tempBeside(path)
	err = stage(OS{}, temp, perm, func(f File) error {
		if exists { // the umask restricted perm
			if err := f.Chmod(perm); err != nil {
				return err
			}
		}
		return writeChunks(ctx, f, content)
	})
	if err == nil {
		err = commit(OS{}, temp, path)
	}
	// The directory is read-only or sticky, or the file is a mount point.
	if exists && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY)) {
		return through(ctx, path, content)
	}
	return err
}

// tempBeside returns a random name in the directory of path, short enough for any
// file system.
func tempBeside(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".aibd-%016x.tmp", rand.Uint64()))
}

// writeChunks writes content until ctx is done.
func writeChunks(ctx context.Context, f File, content []byte) error {
	for chunk := range slices.Chunk(content, 1<<20) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := f.Write(chunk); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// follow returns the file that path leads to through symbolic links, which need not
// exist, and whether it is a descriptor of a process, as /dev/stdout is on Linux.
func follow(path string) (target string, descriptor bool) {
	for range 40 { // as many links as Linux follows
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			break
		}
		if strings.HasPrefix(dir, "/proc/") {
			return filepath.Join(dir, filepath.Base(path)), true
		}
		link, err := os.Readlink(path)
		if err != nil {
			break // not a link
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(dir, link)
		}
		path = link
	}
	return path, false
}

// through writes content into an existing file as it is. It does not wait for the
// reader of a FIFO when ctx is done.
func through(ctx context.Context, path string, content []byte) error {
	done := make(chan error, 1)
	go func() { done <- writeInto(path, content) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func writeInto(path string, content []byte) error {
	// Opened anew, a file that is standard output would be written from its start.
	for i, f := range []*os.File{os.Stdout, os.Stderr} {
		if path == fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), i+1) {
			_, err := f.Write(content)
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
