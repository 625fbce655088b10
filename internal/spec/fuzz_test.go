package spec

import (
	"reflect"
	"strings"
	"testing"
)

// A spec that was read from TOML is written as TOML of the same spec.
func FuzzTOML(f *testing.F) {
	for _, text := range []string{
		"", full, small, "[prior.mas]\nvalue.x.y = 1", "[Data]\nfil = 1\n[prior]\nmass.value.a = 2\n", "sampler = 1", "[[sampler]]", "[sampler]\nseed = -1", "[sampler]\nchains = 1e3",
		"[data]\ncolumns = ['a', 1]", "[data]\nfile = \"\\u0000\\n\"", "[prior.mass]\nvalue = nan", "[prior]\nmass = { value = inf, fixed = true }", "[sampler]\nwarmup = 0x10", "a = 1979-05-27", "\xff", "[prior.permutation]\norder = [9223372036854775808]",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseTOML([]byte(text), "name")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "name: ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		if err := s.Validate(); err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		again, err := ParseTOML(s.TOML(), "again")
		if err != nil || !reflect.DeepEqual(again, s.Complete()) {
			t.Errorf("%v\n%+v\n%+v in\n%s", err, again, s.Complete(), s.TOML())
		}
	})
}
