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
		var from, want spec.Spec
		expected := texts[1]
		if s.Type() == "list" {
			lists++
			expected = "u,v,w"
			if err := s.Set(&from, "z"); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Set(&want, expected); err != nil {
			t.Fatal(err)
		}
		c := &cobra.Command{}
		flags := addSpecFlags(c, spec.Settings())
		set := "--set=" + string(s.Key) + "="
		flag := set
		if hasFlag(s.Key) {
			flag = "--" + s.Flag + "="
		}
		if err := c.ParseFlags([]string{flag + texts[0], set + texts[1]}); err != nil {
			t.Fatal(err)
		}
		if err := flags.apply(&from); err != nil {
			t.Fatal(err)
		}
		switch s.Key {
		case orderKey:
			want.Prior.Permutation.Kind = "ordered"
		case "distance.kind": // two distances
			want.Distance.Kind, want.Distance.More = "u", []string{"v"}
		}
		if !reflect.DeepEqual(from, want) {
			t.Errorf("%s%s %s%s: found %+v, want %+v", flag, texts[0], set, texts[1], from, want)
		}
	}
	if lists < 6 {
		t.Errorf("found %d lists, expected at least 6", lists)
	}
}

// The labels of a column that is named by a flag given again are its own.
func TestOrdinalGivenAgain(t *testing.T) {
	c := &cobra.Command{}
	flags := addSpecFlags(c, spec.Settings())
	if err := c.ParseFlags([]string{"--ordinal", "a=lo,hi", "--ordinal", "b"}); err != nil {
		t.Fatal(err)
	}
	var s spec.Spec
	if err := flags.apply(&s); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a=lo,hi", "b"}; !reflect.DeepEqual(s.Data.Ordinal, want) {
		t.Errorf("found %q, want %q", s.Data.Ordinal, want)
	}
}
