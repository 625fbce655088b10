package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"aibd/internal/oracle/fixture"
)

var names = fixture.Names

// holds checks the content and the mode of a file.
func holds(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != content {
		t.Errorf("%s: content %q, %v, want %q", path, got, err, content)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode() != mode {
		t.Errorf("%s: mode %v, %v, want %v", path, info.Mode(), err, mode)
	}
}

// put writes a file with exactly the given mode.
func put(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, []byte(content), 0o666), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func TestNamed(t *testing.T) {
	if Named("x", nil) != nil {
		t.Error("Named returns an error for nil")
	}
	_, err := os.Open(filepath.Join(t.TempDir(), "none"))
	if err := Named("x", err); !errors.Is(err, fs.ErrNotExist) || err.Error() != "x: no such file or directory" {
		t.Errorf("got %v", err)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	put(t, path, "old", 0o606)
	if err := Write(t.Context(), path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new", 0o606)
	for _, c := range []struct{ path, err string }{
		{dir, dir + ": is a directory"},
		{filepath.Join(dir, "none", "file"), filepath.Join(dir, "none", "file") + ": no such file or directory"},
		{filepath.Join(path, "x"), filepath.Join(path, "x") + ": not a directory"},
	} {
		if err := Write(t.Context(), c.path, nil); err == nil || err.Error() != c.err {
			t.Errorf("got %v, want %s", err, c.err)
		}
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Write(done, path, []byte("newer")); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
	holds(t, path, "new", 0o606)
	if got := names(t, dir); !slices.Equal(got, []string{"file"}) {
		t.Errorf("found %q, want only the file", got)
	}
}

// A new file gets mode 0666 under the umask, as any program's.
func TestWriteNew(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "other"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "file")
	if err := Write(t.Context(), path, []byte("content")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "content", info.Mode())
}

// Symbolic links stay, and the files that they lead to change or appear.
func TestWriteSymlink(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "old", 0o640)
	if err := errors.Join(
		os.Mkdir(filepath.Join(dir, "sub"), 0o777),
		os.Symlink("../file", filepath.Join(dir, "sub", "link")),
		os.Symlink("sub", filepath.Join(dir, "subs")),
		os.Symlink("subs/link", filepath.Join(dir, "links")),
		os.Symlink("new", filepath.Join(dir, "dangling")),
		os.Symlink("loop", filepath.Join(dir, "loop")),
	); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"links", "dangling"} {
		if err := Write(t.Context(), filepath.Join(dir, name), []byte(name)); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s: not a link any more", name)
		}
	}
	holds(t, filepath.Join(dir, "file"), "links", 0o640)
	if got, err := os.ReadFile(filepath.Join(dir, "new")); string(got) != "dangling" {
		t.Errorf("through a dangling link: %q, %v", got, err)
	}
	if err := Write(t.Context(), filepath.Join(dir, "loop"), nil); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("through a loop of links: %v", err)
	}
}

// failing is a disk on which one operation fails.
type failing struct {
	OS
	op string
}

func (d failing) Create(path string, perm fs.FileMode) (File, error) {
	f, err := d.OS.Create(path, perm)
	return failingFile{f, d.op}, err
}

func (d failing) Rename(oldPath, newPath string) error {
	if d.op == "rename" {
		return &os.LinkError{Op: d.op, Old: oldPath, New: newPath, Err: syscall.EIO}
	}
	return d.OS.Rename(oldPath, newPath)
}

type failingFile struct {
	File
	op string
}

func (f failingFile) Write(b []byte) (int, error) {
	if f.op == "write" {
		return 0, &os.PathError{Op: f.op, Path: "temp", Err: syscall.EIO}
	}
	return f.File.Write(b)
}

func (f failingFile) Sync() error {
	if f.op == "sync" {
		return &os.PathError{Op: f.op, Path: "temp", Err: syscall.EIO}
	}
	return f.File.Sync()
}

func (f failingFile) Close() error {
	f.File.Close()
	if f.op == "close" {
		return &os.PathError{Op: f.op, Path: "temp", Err: syscall.EIO}
	}
	return nil
}

// After any failure the file is as it was, and the temporary file is gone.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	write := func(content string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, content)
			return err
		}
	}
	if err := Replace(OS{}, path+".tmp", path, write("old")); err != nil {
		t.Fatal(err)
	}
	for _, op := range []string{"write", "sync", "close", "rename"} {
		err := Replace(failing{op: op}, path+".tmp", path, write("new"))
		if err == nil || err.Error() != path+": input/output error" {
			t.Errorf("%s fails: %v", op, err)
		}
		if got, err := os.ReadFile(path); string(got) != "old" {
			t.Errorf("%s fails: content %q, %v", op, got, err)
		}
		if got := names(t, dir); len(got) != 1 {
			t.Errorf("%s fails: found %q", op, got)
		}
	}
}

// Create writes all files or, with an error, none and no directory.
func TestCreate(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b")
	all := []New{{"x", []byte("1")}, {"y", []byte("2")}}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Create(done, dir, all); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
	if got := names(t, root); len(got) != 0 {
		t.Errorf("after cancel: found %q", got)
	}
	if err := Create(t.Context(), dir, all); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"x", "y"}) {
		t.Errorf("found %q, want x and y", got)
	}
	if err := os.Remove(filepath.Join(dir, "x")); err != nil {
		t.Fatal(err)
	}
	if err := Create(t.Context(), dir, all); !errors.Is(err, fs.ErrExist) || err.Error() != filepath.Join(dir, "y")+": file already exists" {
		t.Errorf("over an existing file: %v", err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"y"}) {
		t.Errorf("after an error: found %q, want y", got)
	}
}

// Of two that take a name at the same time, the second fails.
func TestRenameNew(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a"), "a", 0o666)
	put(t, filepath.Join(dir, "b"), "b", 0o666)
	if err := renameNew(filepath.Join(dir, "a"), filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	if err := renameNew(filepath.Join(dir, "b"), filepath.Join(dir, "c")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
}

// CreateTree makes a whole directory or, with an error, nothing.
func TestCreateTree(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a")
	all := []New{{"x", []byte("1")}, {"b/c/y", []byte("2")}}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := CreateTree(done, dir, all); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
	if err := CreateTree(t.Context(), filepath.Join(root, "none", "a"), all); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a parent: %v", err)
	}
	if got := names(t, root); len(got) != 0 {
		t.Errorf("after errors: found %q", got)
	}
	if err := CreateTree(t.Context(), dir+"/", all); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "b", "c", "y")); string(b) != "2" {
		t.Errorf("found %q, %v", b, err)
	}
	if err := CreateTree(t.Context(), dir, all); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over an existing directory: %v", err)
	}
}
