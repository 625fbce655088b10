package cli

import (
	"reflect"
	"testing"

	"github.com/spf13/cobra"

	"aibd/internal/spec"
)

// A list that is given again adds to the list; a first one replaces the list of a spec file. Other settings
// that are given again replace what was given. A flag and --set do the same.
func TestFlagsGivenAgain(t *testing.T) {
	lists := 0
	for _, s := range spec.Settings() {
		if s.Key == permutationKey {
			continue
		}
		texts := map[string][2]string{
			"list": {"u,v", "w"}, "bool": {"true", "false"}, "int": {"3", "5"}, "number": {"0.5", "0.25"}, "name": {"u", "v"},
		}[s.Type()]
		var base, want spec.Spec
		expected := texts[1]
		if s.Type() == "list" {
			lists++
			expected = "u,v,w"
			if err := s.Set(&base, "z"); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Set(&want, expected); err != nil {
			t.Fatal(err)
		}
		set := "--set=" + string(s.Key) + "="
		flag := set
		if hasFlag(s.Key) {
			flag = "--" + s.Flag + "="
		}
		lay(t, &base, flag+texts[0], set+texts[1])
		switch s.Key {
		case orderKey:
			want.Prior.Permutation.Kind = "ordered"
		case "distance.kind": // two distances
			want.Distance.Kind, want.Distance.FurtherDistances = "u", []spec.Distance{{Kind: "v"}}
		}
		if !reflect.DeepEqual(base, want) {
			t.Errorf("%s%s %s%s: found %+v, want %+v", flag, texts[0], set, texts[1], base, want)
		}
	}
	if lists < 6 {
		t.Errorf("found %d lists, expected at least 6", lists)
	}
}

// The labels of a column that is named by a flag given again are its own. A flag is not given again by one
// whose name it begins.
func TestListsGivenAgain(t *testing.T) {
	s := spec.Spec{Data: spec.Data{Log: []string{"z"}}}
	lay(t, &s, "--ordinal", "a=lo,hi", "--ordinal", "b", "--log1p", "c", "--log", "d")
	if want := (spec.Data{Ordinal: []string{"a=lo,hi", "b"}, Log1p: []string{"c"}, Log: []string{"d"}}); !reflect.DeepEqual(s.Data, want) {
		t.Errorf("found %+v, want %+v", s.Data, want)
	}
}

// lay lays flags over a spec.
func lay(t *testing.T, s *spec.Spec, args ...string) {
	t.Helper()
	c := &cobra.Command{}
	flags := addSpecFlags(c, spec.Settings())
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	if err := flags.apply(s); err != nil {
		t.Fatal(err)
	}
}

// A distance on the command line replaces several of a spec, and not the keys of a single one.
func TestDistanceOverSpec(t *testing.T) {
	one := spec.Distance{Kind: "same", Columns: []string{"firm"}, Shift: 2}
	s := spec.Spec{Distance: one}
	lay(t, &s, "--distance", "absolute:year")
	if want := (spec.Distance{Kind: "absolute", Columns: []string{"year"}, Shift: 2}); !reflect.DeepEqual(s.Distance, want) {
		t.Errorf("found %+v, want %+v", s.Distance, want)
	}
	s.Distance = one
	s.Distance.FurtherDistances = []spec.Distance{{Kind: "absolute", Columns: []string{"day"}}}
	lay(t, &s, "--set", "distance.day.shift=7", "--set", "distance.firm.standardize=true")
	if want := s.Distance.FurtherDistances[0]; want.Shift != 7 || s.Distance.Shift != 2 || !s.Distance.Standardize || want.Standardize {
		t.Errorf("found %+v", s.Distance)
	}
	lay(t, &s, "--distance", "absolute:year")
	if want := (spec.Distance{Kind: "absolute", Columns: []string{"year"}}); !reflect.DeepEqual(s.Distance, want) {
		t.Errorf("found %+v, want %+v", s.Distance, want)
	}
}
