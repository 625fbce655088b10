package serve

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Runs are found in directories, and coarser fits below their run.
func TestFindRuns(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "a/power-0.5", "a/chain-1", "b/c", ".hidden", "b/run.json"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if name == "b/run.json" { // a directory
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name, "run.json"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if found, cut := findRuns(root); cut || !slices.Equal(found, []string{"a", "a/power-0.5", "b/c"}) {
		t.Errorf("found %v, cut %v", found, cut)
	}
}
