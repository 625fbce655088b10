package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// FIFOs and devices are not replaced.
func TestWriteSpecial(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		b, _ := os.ReadFile(fifo)
		got <- string(b)
	}()
	content := strings.Repeat("content", 20_000) // more than the FIFO holds at a time
	if err := Write(t.Context(), fifo, []byte(content)); err != nil {
		t.Fatal(err)
	}
	if got := <-got; got != content {
		t.Errorf("the reader of the FIFO got %d bytes, want %d", len(got), len(content))
	}
	if info, err := os.Lstat(fifo); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("not a FIFO any more: %v, %v", info.Mode(), err)
	}
	if err := Write(t.Context(), "/dev/null", []byte("x")); err != nil {
		t.Error(err)
	}
	if err := Write(t.Context(), "/dev/full", []byte("x")); err == nil || err.Error() != "/dev/full: no space left on device" {
		t.Errorf("got %v", err)
	}
	// Without a reader, an interrupt ends the wait.
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Write(done, fifo, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if f, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
		f.Close() // frees the writer
	}
}

// Through /dev/stdout, content comes behind what a file already has.
func TestWriteStdout(t *testing.T) {
	if path := os.Getenv("AIBD_TEST_STDOUT"); path != "" {
		os.Stdout.WriteString("before ")
		if err := Write(t.Context(), path, []byte("content ")); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("after")
		os.Exit(0)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"} {
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		process, err := os.StartProcess(self, []string{self, "-test.run=^TestWriteStdout$"}, &os.ProcAttr{
			Env: append(os.Environ(), "AIBD_TEST_STDOUT="+path), Files: []*os.File{nil, out, os.Stderr}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := process.Wait(); err != nil {
			t.Fatal(err)
		}
		out.Seek(0, io.SeekStart)
		if got, err := io.ReadAll(out); string(got) != "before content after" {
			t.Errorf("%s: %q, %v", path, got, err)
		}
		out.Close()
	}
}

// A read-only file stays. A writable file changes even in a read-only directory.
func TestWritePermissions(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "readonly"), filepath.Join(dir, "writable")
	put(t, path, "old", 0o444)
	put(t, other, "old", 0o666)
	if err := errors.Join(os.Chmod(dir, 0o555), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	errs := make(chan error)
	go func() {
		if os.Geteuid() == 0 {
			runtime.LockOSThread() // and never unlock: the thread ends with its other user
			unix.Setfsuid(65534)
		}
		errs <- Write(t.Context(), path, []byte("new"))
		errs <- Write(t.Context(), other, []byte("new"))
	}()
	if err := <-errs; err == nil || err.Error() != path+": permission denied" {
		t.Errorf("got %v", err)
	}
	if err := <-errs; err != nil {
		t.Error(err)
	}
	holds(t, path, "old", 0o444)
	holds(t, other, "new", 0o666)
}
