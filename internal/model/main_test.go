package model

import (
	"testing"

	"aibd/internal/oracle/fixture"
	"aibd/internal/spec"
)

const small, ages = fixture.Small, fixture.Ages

var put, wantError = fixture.Put, fixture.WantError

// Package model_test, which may import package input, sets what reads files: Load returns the problem
// of a spec, ReadPrior the input of its law, Rerun the files of a run.
var (
	Load      func(s spec.Spec) (*Problem, error)
	ReadPrior func(s spec.Spec) (*Input, error)
	Rerun     func(p *Problem) Again
)

// Again is an input.Run.
type Again interface {
	Problem() (*Problem, error)
	Places() (*Places, error)
	Newcomers(seen *Observed, columns []string, file, side string) (*Newcomers, error)
}

// observed returns what a run saw of X, read again.
func observed(p *Problem) (*Observed, error) {
	again, err := Rerun(p).Problem()
	if err != nil {
		return nil, err
	}
	return &again.Observed, nil
}

// loadPrior returns the law of a spec.
func loadPrior(s spec.Spec, items int) (*PriorProblem, error) {
	in, err := ReadPrior(s)
	if err != nil {
		return nil, err
	}
	return BuildPrior(in, items)
}

// parse returns the spec in a text of TOML.
func parse(t *testing.T, text string) spec.Spec {
	t.Helper()
	s, err := spec.ParseTOML([]byte(fixture.Binary(text)), "spec.toml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// build returns the problem of a text of TOML.
func build(t *testing.T, text string) *Problem {
	t.Helper()
	p, err := Load(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
