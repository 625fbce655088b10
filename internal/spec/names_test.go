package spec

import (
	"slices"
	"testing"
)

// TestLawName: the name of a law includes what distinguishes it.
func TestLawName(t *testing.T) {
	for want, p := range map[string]Prior{
		"IBP":                                  {Law: "ibp", Decay: "reciprocal"},
		"AIBD with reciprocal decay":           {Law: "aibd", Decay: "reciprocal"},
		"AIBD":                                 {Law: "aibd", Decay: "exponential"},
		"AIBD with given similarities":         {Law: "aibd", Decay: "given"},
		"symmetric dd-IBP":                     {Law: "ddibp", Proximity: "symmetric"},
		"dd-IBP with the proximities of p.csv": {Law: "ddibp", Proximity: "p.csv"},
	} {
		if got := (Spec{Prior: p}).LawName(); got != want {
			t.Errorf("found %s, expected %s", got, want)
		}
	}
}

// TestModelName: the kind of features is part of the name unless features are binary.
func TestModelName(t *testing.T) {
	s := Spec{Prior: Prior{Law: "ibp"}}
	for kind, want := range map[string]string{"": "IBP", "graded": "IBP, graded features"} {
		if s.Likelihood.Features = kind; s.ModelName() != want {
			t.Errorf("%q: found %s, expected %s", kind, s.ModelName(), want)
		}
	}
}

// TestSetErrors: a text that is not of the type of a setting is refused with what was expected.
func TestSetErrors(t *testing.T) {
	for key, c := range map[Key]struct{ text, kind, want string }{
		"data.center":      {"maybe", "bool", "expected true or false"},
		"data.scale":       {"maybe", "bool", "expected auto, true or false"},
		"sampler.chains":   {"2.5", "int", "expected a whole number"},
		"sampler.seed":     {"-1", "int", "expected a whole number of at least 0"},
		"prior.mass.rate":  {"1,5", "number", "expected a number"},
		"prior.mass.value": {"", "number", "expected a number"},
		"data.columns":     {"a, b", "list", ""},
		"sampler.init":     {"Z.txt", "name", ""},
	} {
		d := settings[slices.IndexFunc(settings, func(d Setting) bool { return d.Key == key })]
		s, message := Default(), ""
		if err := d.Set(&s, c.text); err != nil {
			message = err.Error()
		}
		if message != c.want || d.Type() != c.kind {
			t.Errorf("%s of type %s: found %q, expected %q of type %s", key, d.Type(), message, c.want, c.kind)
		}
	}
}
