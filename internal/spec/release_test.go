package spec

import (
	"slices"
	"strings"
	"testing"
)

// TestRelease: a change of some keys opens those that were filled in because of them, and no others.
// Tests of package model compare the result with a spec that is new.
func TestRelease(t *testing.T) {
	filled := func() Spec {
		s := Default()
		s.Data.File, s.Data.Scale, s.Data.Intercept = "x.csv", new(true), new(true)
		s.Data.Columns = []string{"!height"} // which names none
		s.Distance.Kind, s.Distance.Columns = "absolute", []string{"age"}
		s.Prior.Law, s.Prior.Proximity, s.Prior.Decay, s.Prior.DecayShift = "ddibp", "symmetric", "reciprocal", 2
		s.Prior.TemperatureUnit = "median"
		s.Prior.SigmaX.Max, s.Prior.SigmaA.Shape, s.Prior.SigmaA.Rate = 3, 1, 2
		s.Sampler.StepTemperature, s.Sampler.Anneal, s.Sampler.Insertions = 0.4, new(0.5), new(1)
		return s
	}
	for change, want := range map[string]func(s *Spec){
		"sampler.seed": func(*Spec) {},
		"prior.law": func(s *Spec) {
			s.Prior.Proximity, s.Prior.DecayShift, s.Sampler.StepTemperature = "sequential", 0, 0
		},
		"prior.decay": func(s *Spec) {
			s.Prior.Decay, s.Prior.DecayShift, s.Sampler.StepTemperature = "exponential", Default().Prior.DecayShift, 0
		},
		"distance.kind": func(s *Spec) {
			s.Distance, s.Sampler.StepTemperature, s.Sampler.Insertions = Distance{}, 0, nil
			s.forgetX()
		},
		"distance.columns": func(s *Spec) {
			s.Sampler.StepTemperature, s.Sampler.Insertions = 0, nil
			s.forgetX()
		},
		"data.preset": func(s *Spec) {
			s.Prior.TemperatureUnit, s.Data.Intercept = "", nil
			s.forgetScales()
		},
		"data.center":         func(s *Spec) { s.Data.Intercept = nil },
		"sampler.init":        func(s *Spec) { s.Sampler.Anneal = nil },
		"prior.sigma_x.shape": func(s *Spec) { s.Prior.SigmaX.Max = 0 },
		"prior.sigma_x.mean":  func(s *Spec) { s.Prior.SigmaX.Max = 0 },
		"prior.sigma_a.max":   func(s *Spec) { s.Prior.SigmaA.Shape, s.Prior.SigmaA.Rate = 0, 0 },
	} {
		found, expected := filled(), filled()
		found.Release(func(prefixes ...string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(change, p) })
		})
		want(&expected)
		if a, b := string(found.TOML()), string(expected.TOML()); a != b {
			t.Errorf("%s: found\n%s\nexpected\n%s", change, a, b)
		}
	}
	// A decay without a temperature leaves its fixed one behind.
	s := filled()
	s.Prior.Decay, s.Prior.Temperature = given, Parameter{Fixed: true}
	s.Release(func(prefixes ...string) bool { return slices.Contains(prefixes, "prior.decay") })
	if s.Prior.Temperature.Fixed {
		t.Error("the temperature of given similarities stays fixed")
	}
}

// TestLawName: the law is told with what distinguishes it.
func TestLawName(t *testing.T) {
	for want, p := range map[string]Prior{
		"IBP":                                  {Law: "ibp", Decay: "reciprocal"},
		"AIBD with reciprocal decay":           {Law: "aibd", Decay: "reciprocal"},
		"AIBD":                                 {Law: "aibd", Decay: "exponential"},
		"AIBD with given similarities":         {Law: "aibd", Decay: "given"},
		"symmetric dd-IBP":                     {Law: "ddibp", Proximity: "symmetric"},
		"dd-IBP with the proximities of p.csv": {Law: "ddibp", Proximity: "p.csv"},
	} {
		if found := (Spec{Prior: p}).LawName(); found != want {
			t.Errorf("found %s, expected %s", found, want)
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
