package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inWay puts something in the place of a file; victim is a file outside the directory.
var inWay = map[string]func(path, victim string) error{
	"nothing":            func(string, string) error { return nil },
	"file":               func(path, _ string) error { return os.WriteFile(path, []byte("longer than new"), 0o600) },
	"link":               func(path, victim string) error { return os.Symlink(victim, path) },
	"link inside":        func(path, _ string) error { return os.Symlink("own", path) },
	"link to nothing":    func(path, victim string) error { return os.Symlink(victim+"-2", path) },
	"hard link":          func(path, victim string) error { return os.Link(victim, path) },
	"pipe":               func(path, _ string) error { return syscall.Mkfifo(path, 0o666) },
	"directory":          func(path, _ string) error { return os.Mkdir(path, 0o777) },
	"directory of files": func(path, _ string) error { return os.MkdirAll(filepath.Join(path, "kept"), 0o777) },
}

// usual returns the mode of a new file, under the umask.
func usual(t *testing.T) fs.FileMode {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// Whatever has the name of a file or of its temporary, the file is replaced, and nothing else
// changes.
func TestDirReplaces(t *testing.T) {
	for what, put := range inWay {
		for _, name := range []string{"file", "file.tmp"} {
			in := t.TempDir()
			dir, victim := filepath.Join(in, "dir"), filepath.Join(in, "victim")
			path := filepath.Join(dir, "file")
			if err := errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(victim, []byte("old"), 0o600), os.WriteFile(filepath.Join(dir, "own"), []byte("own"), 0o600)); err != nil {
				t.Fatal(err)
			}
			if err := put(filepath.Join(dir, name), victim); err != nil {
				t.Fatal(err)
			}
			d, err := OpenDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := Replace(d, path+".tmp", path, func(w io.Writer) error {
				_, err := io.WriteString(w, "new")
				return err
			}); err != nil {
				t.Errorf("%s at %s: %v", what, name, err)
				continue
			}
			holds(t, path, "new", usual(t))
			holds(t, victim, "old", 0o600)
			holds(t, filepath.Join(dir, "own"), "own", 0o600)
			if count := len(names(t, in)); count != 2 {
				t.Errorf("%s at %s: found %q beside the directory", what, name, names(t, in))
			}
			if _, err := os.Stat(filepath.Join(dir, name+".moved", "kept")); (err == nil) != (what == "directory of files") {
				t.Errorf("%s at %s: moved: %v", what, name, err)
			}
		}
	}
}

// Files are read and updated only if they are regular files of the directory.
func TestDirReads(t *testing.T) {
	for what, put := range inWay {
		in := t.TempDir()
		path, victim := filepath.Join(in, "dir", "file"), filepath.Join(in, "victim")
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o777), os.WriteFile(victim, nil, 0o600), put(path, victim)); err != nil {
			t.Fatal(err)
		}
		d, err := OpenDir(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		_, readErr := ReadRegular(d, path, 100)
		f, err := d.Update(path, 100)
		if err == nil {
			holds(t, path, map[string]string{"file": "longer than new"}[what], map[string]fs.FileMode{"nothing": usual(t)}[what]|0o600)
			f.Close()
		}
		switch what {
		case "nothing":
			if err != nil || !errors.Is(readErr, fs.ErrNotExist) {
				t.Errorf("%s: updated with %v, read with %v", what, err, readErr)
			}
		case "file", "hard link":
			if err != nil || readErr != nil {
				t.Errorf("%s: updated with %v, read with %v", what, err, readErr)
			}
		default:
			got := strings.Replace(strings.Fields(what)[0], "link", "symbolic link", 1)
			want := path + ": found a " + got + ", expected a regular file"
			if err == nil || readErr == nil || err.Error() != want || readErr.Error() != want {
				t.Errorf("%s: updated with %v, read with %v, expected %s", what, err, readErr, want)
			}
		}
	}
}

// A directory that is linked inside, and names that leave the directory, lead nowhere.
func TestDirStays(t *testing.T) {
	in := t.TempDir()
	dir := filepath.Join(in, "dir")
	if err := errors.Join(os.MkdirAll(filepath.Join(in, "out"), 0o777), os.Mkdir(dir, 0o777), os.Symlink("../out", filepath.Join(dir, "sub"))); err != nil {
		t.Fatal(err)
	}
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "sub", "file"), filepath.Join(in, "out", "file")} {
		if f, err := d.Create(path, 0o666); err == nil {
			f.Close()
			t.Errorf("created %s", path)
		}
		if f, err := d.Update(path, 100); err == nil {
			f.Close()
			t.Errorf("updated %s", path)
		}
		if d.Mkdir(path) == nil || d.Rename(path, filepath.Join(dir, "file")) == nil || d.Remove(path) == nil {
			t.Errorf("changed %s", path)
		}
	}
	if got := names(t, filepath.Join(in, "out")); len(got) != 0 {
		t.Errorf("found %q outside", got)
	}
	if _, err := OpenDir(filepath.Join(in, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opened nothing: %v", err)
	}
	pipe := filepath.Join(in, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDir(pipe); err == nil || err.Error() != pipe+": found a pipe, expected a directory" {
		t.Errorf("opened a pipe: %v", err)
	}
}
