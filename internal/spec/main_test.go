package spec

import (
	"testing"

	"aibd/internal/oracle/fixture"
)

const small = fixture.Small

var wantError = fixture.WantError

// spec returns the spec in a text of TOML.
func parse(t *testing.T, text string) Spec {
	t.Helper()
	s, err := ParseTOML([]byte(text), "spec.toml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}
