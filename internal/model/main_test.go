package model

import (
	"os"
	"strings"
	"testing"

	"aibd/internal/spec"
)

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

// spec returns the spec in a text of TOML.
func parse(t *testing.T, text string) spec.Spec {
	t.Helper()
	s, err := spec.ParseTOML([]byte(text), "spec.toml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// build returns the problem of a text of TOML.
func build(t *testing.T, text string) *Problem {
	t.Helper()
	p, err := Build(parse(t, text))
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
