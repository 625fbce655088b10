package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A file is replaced, and where it cannot be nothing is left beside it and the error
// gives its name.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, content := range []string{"old", "new"} {
		if err := Replace(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("found %q, %v, expected %q", got, err, content)
		}
	}
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Replace(folder, nil); err == nil || err.Error() != folder+": file exists" {
		t.Errorf("in the place of a directory: %v", err)
	}
	missing := filepath.Join(dir, "none", "file")
	if err := Replace(missing, nil); !errors.Is(err, fs.ErrNotExist) || err.Error() != missing+": no such file or directory" {
		t.Errorf("in no directory: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("found %v, expected the file and the folder", entries)
	}
	if Named("x", nil) != nil {
		t.Error("an error out of nothing")
	}
}
