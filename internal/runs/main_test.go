package runs

// What the tests share. Every test of the package also proves that no goroutine
// is left behind.

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/oracle/fixture"
	"aibd/internal/spec"
)

const small, ages = fixture.Small, fixture.Ages

// Likelihoods of features with weights.
const (
	weighted = "[likelihood]\nfeatures = 'weighted'\n"
	graded   = "[likelihood]\nfeatures = 'graded'\n"
)

var put, names, wantError = fixture.Put, fixture.Names, fixture.WantError

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // thousands of small runs
	goleak.VerifyTestMain(m)
}

// build returns the problem of a text of TOML.
func build(t *testing.T, text string) *model.Problem {
	t.Helper()
	s, err := spec.ParseTOML([]byte(fixture.Binary(text)), "spec.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := input.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// opened opens a run.
func opened(t *testing.T, dir string) *Run {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tree returns the contents of all files below a directory, by their paths from
// there.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		got[strings.TrimPrefix(path, dir+string(filepath.Separator))] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// shortSegments makes segments of a few draws during a test: short runs have several.
func shortSegments(t *testing.T, draws int) {
	segmentDraws = func(int) int { return draws }
	t.Cleanup(func() { segmentDraws = model.SegmentDraws })
}

// timeless is tree without the files that hold times.
func timeless(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := tree(t, dir)
	maps.DeleteFunc(got, func(name, _ string) bool {
		return strings.HasSuffix(name, reportFile) || strings.HasSuffix(name, checkpointFile)
	})
	return got
}

// resumed resumes the run in dir to its end and returns the notes.
func resumed(t *testing.T, dir string, draws int) []string {
	t.Helper()
	r, notes, err := Resume(dir, ResumeOptions{Version: "v1", AddedDraws: draws})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Sample(t.Context()); err != nil {
		t.Fatal(err)
	}
	return notes
}

// oneCore runs the rest of a test on one core, so that chains take turns in a fixed order.
func oneCore(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}
