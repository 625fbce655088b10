package spec

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every setting is declared whole: its flag is its own, its default is in its range and
// comes back from the text, and its help is sentences. All help is of a setting or a table.
func TestSettings(t *testing.T) {
	flags, defaults, unused := map[string]bool{}, Default(), maps.Clone(helps)
	for _, d := range settings {
		table, help := d.Table()
		if help == "" {
			t.Errorf("table %s has no help", table)
		}
		delete(unused, table)
		if d.Flag != "" && (flags[d.Flag] || strings.ContainsAny(d.Flag, "_*")) {
			t.Errorf("%s: flag %q", d.Key, d.Flag)
		}
		flags[d.Flag] = true
		for line := range strings.SplitSeq(d.Help, "\n") {
			if !strings.HasSuffix(line, ".") || line != strings.TrimSpace(line) {
				t.Errorf("%s: help %q", d.Key, d.Help)
			}
		}
		delete(unused, string(d.Key))
		if d.limits != "" {
			if low, high, words := limits(d.limits, d.Type() == "int"); !(low < high) || words == "" {
				t.Errorf("%s: range %s", d.Key, d.limits)
			}
		}
		if d.Default != "" {
			if got := fmt.Sprint(d.field(&defaults)); got != d.Default {
				t.Errorf("%s: default %s, expected %s", d.Key, got, d.Default)
			}
		}
	}
	if len(flags) < 50 {
		t.Errorf("%d flags", len(flags))
	}
	if len(unused) > 0 {
		t.Errorf("help of no setting: %v", slices.Sorted(maps.Keys(unused)))
	}
}

// Ends of ranges belong to them or not, and NaN never does.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		key  Key
		x    float64
		good bool
	}{
		{"sampler.anneal", 0, true}, {"sampler.anneal", 1, true}, {"sampler.anneal", math.Nextafter(1, 2), false}, {"sampler.anneal", math.NaN(), false},
		{"sampler.step_correlation", -1, false}, {"sampler.step_correlation", 0.99, true}, {"sampler.step_correlation", 1, false},
		{"prior.mass.rate", 0, false}, {"prior.mass.rate", 1e-300, true}, {"prior.mass.rate", math.Inf(1), false},
		{"distance.shift", 0, true}, {"distance.shift", math.Inf(1), false}, {"distance.shift", math.NaN(), false},
	} {
		for _, d := range settings {
			s := Default()
			if d.Key != c.key {
				continue
			}
			if err := d.Set(&s, fmt.Sprint(c.x)); err != nil {
				t.Fatal(err)
			}
			if err := d.check(&s); (err == nil) != c.good {
				t.Errorf("%s %v: %v", c.key, c.x, err)
			}
		}
	}
}

// A kind of distance may have its arguments behind a colon.
func TestKindsWithArguments(t *testing.T) {
	kind := settings[slices.IndexFunc(settings, func(d Setting) bool { return d.Key == "distance.kind" })]
	for text, want := range map[string]Distance{
		"absolute":              {Kind: "absolute"},
		"absolute:age":          {Kind: "absolute", Columns: []string{"age"}},
		"euclidean:x, y":        {Kind: "euclidean", Columns: []string{"x", "y"}},
		"same:firm":             {Kind: "same", Columns: []string{"firm"}},
		"cyclic:hour":           {Kind: "cyclic", Columns: []string{"hour"}},
		"cyclic:hour,24":        {Kind: "cyclic", Columns: []string{"hour"}, Period: 24},
		"matrix:C:\\d,2.csv":    {Kind: "matrix", File: "C:\\d,2.csv"},
		"tree:birds.nwk":        {Kind: "tree", File: "birds.nwk"},
		"great-circle:lon,lat,": {Kind: "great-circle", Columns: []string{"lon", "lat"}},
	} {
		var s Spec
		if err := kind.Set(&s, text); err != nil || !reflect.DeepEqual(s.Distance, want) {
			t.Errorf("%s: %+v, %v", text, s.Distance, err)
		}
	}
	for text, want := range map[string]string{
		"same:":           "expected columns or a file behind the colon",
		"tree: ":          "expected columns or a file behind the colon",
		"cyclic:hour,day": "expected a column and a number, its period",
	} {
		if err := kind.Set(new(Spec), text); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// An error calls every setting by the given name.
func TestErrorText(t *testing.T) {
	err := Errorf("distance.file", "found m, expected none unless %s is matrix: %w", Key("distance.kind"), strings.NewReader("").UnreadByte()).(*Error)
	if got, want := err.Error(), "distance.file: found m, expected none unless distance.kind is matrix: strings.Reader.UnreadByte: at beginning of string"; got != want {
		t.Errorf("found %s, expected %s", got, want)
	}
	if got := err.Text(func(k Key) string { return "<" + string(k) + ">" }); !strings.HasPrefix(got, "<distance.file>: found m, expected none unless <distance.kind> is") {
		t.Errorf("found %s", got)
	}
	if err.Unwrap() == nil {
		t.Error("the cause is lost")
	}
}

// A byte order mark is skipped. Text that JSON cannot hold is refused.
func TestEncodings(t *testing.T) {
	if s, err := ParseTOML([]byte("\ufeff[sampler]\nthin = 3\n"), "s.toml"); err != nil || s.Sampler.Thin != 3 {
		t.Errorf("%+v, %v", s.Sampler, err)
	}
	for _, c := range []struct {
		change func(*Spec)
		want   string
	}{
		{func(s *Spec) { s.Data.File = "caf\xe9.csv" }, `data.file: found "caf\xe9.csv", expected text in UTF-8`},
		{func(s *Spec) { s.Data.Columns = []string{"a", "\xff"} }, `data.columns: found "\xff", expected text in UTF-8`},
	} {
		s := Default()
		c.change(&s)
		wantError(t, s.Validate(), c.want)
	}
}

// The labels of an ordinal column end where the next column with labels begins.
func TestOrdinal(t *testing.T) {
	for text, want := range map[string][]OrdinalColumn{
		"stars,q*":                   {{"stars", nil}, {"q*", nil}},
		"stars,grade=low, mid,high":  {{"stars", nil}, {"grade", []string{"low", "mid", "high"}}},
		"grade=low,high,size=s,m, l": {{"grade", []string{"low", "high"}}, {"size", []string{"s", "m", "l"}}},
	} {
		s := Default()
		for _, d := range settings {
			if d.Key == "data.ordinal" {
				if err := d.Set(&s, text); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := s.Data.OrdinalColumns(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: found %v, expected %v", text, got, want)
		}
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"grade=", "grade=low", "=a,b", "grade=a,b,a"} {
		s := Default()
		s.Data.Ordinal = []string{text}
		wantError(t, s.Validate(), "data.ordinal: found "+text+", expected a column and at least two different labels, such as grade=low,mid,high")
	}
}
