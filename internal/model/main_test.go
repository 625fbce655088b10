package model

import (
	"testing"

	"aibd/internal/oracle/fixture"
	"aibd/internal/spec"
)

const small, ages = fixture.Small, fixture.Ages

var put, wantError = fixture.Put, fixture.WantError

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
