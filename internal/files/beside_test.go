package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestBeside: a file of the first directory that has it.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(t.TempDir())
	for path, content := range map[string]string{filepath.Join(dir, "x"): "1", filepath.Join(dir, "y"): "22", "y": "333"} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	source := Beside{OS{}, []string{"none", "", dir}}
	for name, size := range map[string]int64{"x": 1, "y": 3} {
		if info, err := source.Stat(name); err != nil || info.Size() != size {
			t.Errorf("%s: found %v, %v, expected %d bytes", name, info, err, size)
		}
		f, err := source.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := f.Stat(); err != nil || info.Size() != size {
			t.Errorf("%s: opened %v, %v, expected %d bytes", name, info, err, size)
		}
		f.Close()
	}
	for path, want := range map[string]string{"x": filepath.Join(dir, "x"), "y": "y", "z": "z", "": ""} {
		if got := source.Path(path); got != want {
			t.Errorf("%q: found the path %s, expected %s", path, got, want)
		}
	}
	var pathError *fs.PathError
	if _, err := source.Open("z"); !errors.As(err, &pathError) || pathError.Path != "z" || !errors.Is(err, fs.ErrNotExist) || pathError.Err.Error() != "no such file in none, the working directory and "+dir {
		t.Errorf("found %v, expected an error about z", err)
	}
}
