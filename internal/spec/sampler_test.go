package spec

import "testing"

// The start of a chain.
func TestSampler(t *testing.T) {
	for init, file := range map[string]string{"": "", "prior": "", InitSubsample: "", "z.txt": "z.txt"} {
		s := Sampler{Init: init, Warmup: 10}
		s.FillAnneal()
		keeps := init == "z.txt" || init == InitSubsample
		if s.InitFile() != file || (s.Annealed() == 0) != keeps {
			t.Errorf("init %q: found the file %q and %d scans of annealing", init, s.InitFile(), s.Annealed())
		}
	}
}

func TestUnmarshalJSON(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"drows\": 3}":      `x.json: line 2: unknown key "drows", did you mean "draws"?`,
		"{\n\n\"draws\": true}": "x.json: line 3: draws: found bool, expected a whole number",
		"{\"draws\": 3":         "x.json: line 1: unexpected end of JSON input",
		"{\"draws\": 3}":        "",
	} {
		var s Sampler
		err := UnmarshalJSON([]byte(text), "x.json", &s)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: found %v, expected %q", text, err, want)
		}
	}
}
