package spec

import (
	"strings"
	"testing"
)

// spec returns the spec in a text of TOML.
func parse(t *testing.T, text string) Spec {
	t.Helper()
	s, err := ParseTOML([]byte(text), "spec.toml")
	if err != nil {
		t.Fatal(err)
	}
	return s
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
