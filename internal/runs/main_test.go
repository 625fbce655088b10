package runs

// What the tests share. Every test of the package also proves that no goroutine
// is left behind.

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"aibd/internal/model"
	"aibd/internal/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// put writes files into a fresh working directory. Arguments are names and
// contents in turn.
func put(t *testing.T, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(files[i], []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// build returns the problem of a text of TOML.
func build(t *testing.T, text string) *model.Problem {
	t.Helper()
	s, err := spec.ParseTOML([]byte(text), "spec.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := model.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// small is a spec that takes a moment to run.
const small = `
[data]
columns = ["Murder.arrests", "Assault", "Rape", "UrbanPop"]
[sampler]
chains = 3
warmup = 20
draws = 30
`

// tree returns the contents of all files below a directory, by their paths from
// there.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		found[strings.TrimPrefix(path, dir+string(filepath.Separator))] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// timeless is tree without the files that hold times.
func timeless(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := tree(t, dir)
	maps.DeleteFunc(found, func(name, _ string) bool {
		return strings.HasSuffix(name, reportFile) || strings.HasSuffix(name, checkpointFile)
	})
	return found
}

// resumed goes on with the run in dir to its end and returns the notes.
func resumed(t *testing.T, dir string, more int) []string {
	t.Helper()
	r, notes, err := Resume(dir, ResumeOptions{Version: "v1", More: more})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Sample(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	return notes
}

// wantError reports an error that is not exactly as expected, or not one line.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, expected %q", want)
	}
	if err.Error() != want {
		t.Errorf("error\n%q, expected\n%q", err, want)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q is not one line", err)
	}
}

// ages is a table of three items.
const ages = "id,a,b,age,weight\np,1,4,50,1\nq,3,3,40,4\nr,2,9,61,9\n"
