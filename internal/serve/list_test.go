package serve

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"aibd/internal/oracle/fixture"
)

// Runs are found in directories. What is below a run is part of it.
func TestFindRuns(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "a/chain-1", "b/c", ".hidden", "b/run.json"} {
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
	if got, cut := findRuns(root); cut || !slices.Equal(got, []string{"a", "b/c"}) {
		t.Errorf("found %v, cut %v", got, cut)
	}
}

// The pages of a directory of foreign runs, in which something has the place of a file, do not
// hang, and nothing outside is read or changes.
func TestForeignRuns(t *testing.T) {
	fixture.Put(t, "outside", "of somebody else")
	sampled(t, "run", 1)
	outside, err := filepath.Abs("outside")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range []string{"run.json", "lock", "chain-1", "chain-1/lock", "chain-1/chain.json", "chain-1/checkpoint.json", "chain-1/draws-00001.parquet", "chain-1/draws-00001.next"} {
		for what, place := range map[string]func(path string) error{
			"link":      func(path string) error { return os.Symlink(outside, path) },
			"device":    func(path string) error { return os.Symlink("/dev/zero", path) },
			"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o666) },
			"directory": func(path string) error { return os.MkdirAll(path+"/kept", 0o777) },
		} {
			dir := fmt.Sprint("all/", strings.ReplaceAll(name, "/", "-"), "-", what)
			path := filepath.Join(dir, name)
			if err := errors.Join(os.CopyFS(dir, os.DirFS("run")), os.RemoveAll(path), place(path)); err != nil {
				t.Fatal(err)
			}
			if what != "directory" || name != "run.json" {
				count++
			}
		}
	}
	s := start(t, Options{Dir: "all"})
	_, list := s.get("")
	got := names(list)
	if len(got) != count {
		t.Errorf("found %d runs, expected %d", len(got), count)
	}
	if strings.Contains(list, "somebody else") {
		t.Errorf("found the content of a file outside: %s", list)
	}
	for _, name := range got {
		v := s.view(name)
		v.mutex.Lock()
		v.look()
		if alert := v.State.Alert; strings.Contains(alert, "somebody else") || v.State.State == damaged && alert == "" {
			t.Errorf("%s: found the state %+v", name, v.State)
		}
		v.mutex.Unlock()
	}
	if content, err := os.ReadFile(outside); err != nil || string(content) != "of somebody else" {
		t.Errorf("found %q outside, %v", content, err)
	}
}
