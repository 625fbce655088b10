package spec

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// jsonText returns a spec in JSON.
func jsonText(s Spec) string {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(b)
}

// fromJSON reads the text of jsonText.
func fromJSON(text string) (s Spec, err error) {
	err = UnmarshalJSON([]byte(text), "json", &s)
	return s, err
}

// full is a spec in which every key differs from its default.
const full = `
[data]
builtin = ""
file = "x.csv"
preset = "alzheimers"
side = "side.csv"
id = "-"
columns = ["a", "b*"]
missing = ["-9", "none"]
sample = 7
holdout = 0.1
header = true
holdout_file = "h.csv"
holdout_unit = "items"
log = []
log1p = ["a"]
count = ["n*"]
hellinger = ["b*"]
min_noise = 0.3
center = false
intercept = true
noise = "columns"
binary = ["smoker"]
ordinal = ["stars", "grade=low,mid,high"]
scale = false
hash = "00"
[likelihood]
features = "weighted"
[[distance]]
kind = "euclidean"
name = "place"
temperature = { fixed = true, value = 0.6, shape = 11, rate = 12 }
period = 24
columns = ["a \"quoted\" one", "ü"]
standardize = true
shift = 1e-5
file = "m.csv"
[[distance]]
kind = "same"
columns = ["firm"]
[distance.temperature]
rate = 13
[prior]
law = "ddibp"
proximity = "p.csv"
decay = "reciprocal"
decay_shift = 0.25
temperature_unit = "distance"
mass = { fixed = true, value = 2, shape = 3, rate = 4 }
temperature = { fixed = true, value = 0.5, shape = 5, rate = 6 }
permutation = { kind = "fixed", column = "c", order = [2, 1] }
sigma_x = { fixed = true, value = 0.1, max = 2, mean = 4, shape = 7, rate = 8 }
sigma_a = { fixed = true, value = 0.2, max = 3, mean = 5, shape = 9, rate = 10 }
[sampler]
seed = 9223372036854775807
chains = 2
warmup = 3
draws = 4
skip = 7
thin = 5
until = "draws"
other_updates = 6
round = 3
shuffle_size = 7
insertions = 8
anneal = 0.25
step_temperature = 0.1
step_sigma_x = 0.2
step_sigma_a = 0.3
step_correlation = 0.4
tune = false
init = "z.txt"
`

// The spec above must set every key, so that the round trips below say something
// about each.
func TestFullSetsEveryKey(t *testing.T) {
	var walk func(path string, got, open reflect.Value)
	walk = func(path string, got, open reflect.Value) {
		for f, field := range got.Fields() {
			other := open.FieldByIndex(f.Index)
			if f.Tag.Get("toml") == "-" { // the same keys again
				if field.Len() != 1 {
					t.Errorf("%s%s has %d elements", path, f.Name, field.Len())
				}
				continue
			}
			switch {
			case field.Kind() == reflect.Struct:
				walk(path+f.Name+".", field, other)
			case reflect.DeepEqual(field.Interface(), other.Interface()) && path+f.Name != "Data.Builtin":
				t.Errorf("%s%s is as by default", path, f.Name)
			}
			if f.Tag.Get("toml") == "" || f.Tag.Get("toml") != keyOf(f) {
				t.Errorf("%s%s has the tags %q", path, f.Name, f.Tag)
			}
		}
	}
	walk("", reflect.ValueOf(parse(t, full)), reflect.ValueOf(Default()))
}

func TestRoundTrip(t *testing.T) {
	for _, text := range []string{"", full, small, "[data]\nfile = 'x.csv'", "[data]\nfile = 'x.csv'\npreset = 'alzheimers'", "[prior]\nlaw = 'ibp'",
		"[prior]\nlaw = 'ddibp'\ndecay = 'reciprocal'", "[prior]\nlaw = 'ddibp'\nproximity = 'symmetric'", "[prior]\nlaw = 'ddibp'\nproximity = 'p.csv'",
		"[distance]\nkind = 'same'\ncolumns = ['firm']", "distance = [{ kind = 'same', columns = ['firm'] }, { kind = 'tree', file = 'a', temperature = { value = 2, fixed = true } }]\n[prior]\nlaw = 'ddibp'",
	} {
		s := parse(t, text).Complete()
		if again := s.Complete(); !reflect.DeepEqual(again, s) {
			t.Errorf("completed twice:\n%+v, expected\n%+v", again, s)
		}
		back, err := ParseTOML(s.TOML(), "toml")
		if err != nil || !reflect.DeepEqual(back.Complete(), s) {
			t.Errorf("from TOML:\n%+v (%v), expected\n%+v", back, err, s)
		}
		back, err = fromJSON(jsonText(s))
		if err != nil || !reflect.DeepEqual(back.Complete(), s) { // run.json leaves out some empty lists
			t.Errorf("from JSON:\n%+v (%v), expected\n%+v", back, err, s)
		}
	}
}

// Keys match without case, also those of an array of tables.
func TestDistancesWithoutCase(t *testing.T) {
	const text = "[[distance]]\nkind = 'same'\ncolumns = ['firm']\n[[distance]]\nkind = 'absolute'\ncolumns = ['year']\n"
	if got, expected := parse(t, strings.ReplaceAll(text, "distance", "Distance")), parse(t, text); !reflect.DeepEqual(got, expected) {
		t.Errorf("found %+v, expected %+v", got.Distance, expected.Distance)
	}
}

// A distance takes the prior of all, of which its own keys replace some. An own rate is not multiplied by the
// number of distances.
func TestDistances(t *testing.T) {
	s := parse(t, `
[prior]
temperature = { shape = 2, rate = 5 }
[[distance]]
kind = "same"
columns = ["firm"]
[[distance]]
kind = "absolute"
columns = ["year"]
temperature = { rate = 7 }
[[distance]]
kind = "matrix"
file = "m.csv"
temperature = { fixed = true, value = 1 }
`).Complete()
	got := s.Distances()
	for m, want := range []OwnTemperature{{Shape: 2, Rate: 15}, {Shape: 2, Rate: 7}, {Shape: 2, Rate: 15, Fixed: true, Value: new(1.0)}} {
		if !reflect.DeepEqual(got[m].Temperature, want) {
			t.Errorf("distance %d: found %+v, expected %+v", m+1, got[m].Temperature, want)
		}
	}
	if random := s.RandomTemperatures(); !reflect.DeepEqual(random, []int{0, 1}) || !s.HasTemperature() {
		t.Errorf("found random temperatures %v", random)
	}
	s.Prior.Temperature.Value, s.Prior.Temperature.Fixed = new(4.0), true
	if random := s.RandomTemperatures(); !reflect.DeepEqual(random, []int{1}) { // which has a prior of its own
		t.Errorf("found random temperatures %v, expected that of distance 1", random)
	}
}

// A run.json has an array of distances.
func TestDistancesInJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"distance": {"kind": "same", "columns": ["firm"]}}`:    "json: distance: found object, expected a list",
		`{"distance": [{"kind": "same", "columns": ["firm"]}]}`:  "",
		`{"distance": [{"kind": "same", "columns": [[["firm"]]}`: "json: line 1: invalid character '}' after array element",
		`{"distance": [{"kind": "same"}, {"column": ["firm"]}]}`: `json: line 1: unknown key of distance "column", did you mean "columns"?`,
		`{"distance": [{"kind": 3}]}`:                            `json: distance.kind: found number, expected text in quotes`,
		`{"distance": []}`:                                       `json: distance: found an empty array, expected a distance, of kind none if there is none`,
		`{"distance": [` + strings.Repeat("[", 100_000) + `}`:    "json: line 1: invalid character '[' exceeded max depth",
	} {
		switch s, err := fromJSON(text); {
		case want != "":
			wantError(t, err, want)
		case err != nil || s.Distance.Kind != "same" || len(s.Distance.FurtherDistances) != 0:
			t.Errorf("%s: found %+v, %v", text, s.Distance, err)
		}
	}
}

// The text of a spec shows every key.
func TestTOMLIsComplete(t *testing.T) {
	text := string(Default().TOML())
	for line := range strings.Lines(full) {
		key, _, ok := strings.Cut(line, " = ")
		if ok && !strings.Contains(text, key+" = ") && !strings.Contains(text, "[prior."+key+"]") && !strings.Contains(text, "[distance."+key+"]") {
			t.Errorf("no key %q in\n%s", key, text)
		}
	}
	for _, line := range []string{
		`builtin = 'usstates'`, `# value = ...`, `warmup = 1000`, `step_correlation = -0.3`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

// Any text and any number that is not NaN comes back as it was.
func TestRoundTripOfValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Default()
		s.Data.File = rapid.String().Draw(t, "file")
		s.Data.Columns = rapid.SliceOf(rapid.String()).Draw(t, "columns")
		s.Distance.Shift = rapid.Float64().Draw(t, "shift")
		s.Prior.Mass.Value = new(rapid.Float64().Draw(t, "mass"))
		s.Prior.Permutation.Order = rapid.SliceOf(rapid.Int()).Draw(t, "order")
		s.Sampler.Seed = uint64(rapid.Int64Min(0).Draw(t, "seed"))
		s = s.Complete()
		back, err := ParseTOML(s.TOML(), "toml")
		if err != nil || !reflect.DeepEqual(back.Complete(), s) {
			t.Errorf("from TOML:\n%+v (%v), expected\n%+v", back, err, s)
		}
		back, err = fromJSON(jsonText(s))
		if err != nil || !reflect.DeepEqual(back.Complete(), s) { // run.json leaves out some empty lists
			t.Errorf("from JSON:\n%+v (%v), expected\n%+v", back, err, s)
		}
	})
}

func TestParseTOMLErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[data]\nfil = 'x'", `s.toml: line 2: unknown key of data "fil", did you mean "file"?`},
		{"\n[prior.mas]\nvalue = 1", `s.toml: line 2: unknown key of prior "mas", did you mean "mass"?`},
		{"[sampler]\ndraws = 3\nchain = 4", `s.toml: line 3: unknown key of sampler "chain", did you mean "chains"?`},
		{"seed = 1", `s.toml: line 1: unknown key "seed", expected one of data, distance, likelihood, prior, sampler`},
		{"[Data]\nfil = 1", `s.toml: line 2: unknown key "Data", did you mean "data"?`},
		{"[prior]\nmass = { fixed = true, valu = 1 }", `s.toml: line 2: unknown key of prior.mass "valu", did you mean "value"?`},
		{"[prior]\nmass.valu = 1\n[sampler\n", `s.toml: line 2: unknown key of prior.mass "valu", did you mean "value"?`},
		{"[sampler]\ndraws = 'many'", `s.toml: line 2: sampler.draws: found string, expected a whole number`},
		{"[sampler]\ndraws = 1.5", `s.toml: line 2: sampler.draws: found float, expected a whole number`},
		{"[prior.mass]\nvalue = 'a'", `s.toml: line 2: prior.mass.value: found string, expected a number`},
		{"[data]\ncenter = 1", `s.toml: line 2: data.center: found integer, expected true or false`},
		{"[data]\ncolumns = 'a'", `s.toml: line 2: data.columns: found string, expected a list`},
		{"[data]\ncolumns = [1]", `s.toml: line 2: data.columns: found integer, expected text in quotes`},
		{"[[distance]]\nkind = 'same'\n[[distance]]\nkin = 3", `s.toml: line 4: unknown key of distance "kin", did you mean "kind"?`},
		{"distance = [{ kind = 'same' }, { kin = 3 }]", `s.toml: line 1: unknown key of distance "kin", did you mean "kind"?`},
		{"[[distance]]\nkind = 3", `s.toml: line 2: distance.kind: found integer, expected text in quotes`},
		{"[distance]\nkind = 'same'\n[[distance]]\nkind = 'tree'", `s.toml: line 3: distance: key distance already exists as a table, but should be an array table`},
		{"[[data]]\nfile = 'x'", `s.toml: line 1: data: cannot store an array table in a struct`},
		{"data = 1", `s.toml: line 1: data: found integer, expected a table`},
		{"[prior.mass]\nvalue.x = 1", `s.toml: line 2: prior.mass.value.x: found table, expected a number`},
		{"[sampler\n", `s.toml: line 1: expected ']' to close table name`},
		{"[sampler]\nseed = -1", `s.toml: line 2: sampler.seed: negative integer value -1 cannot be stored in uint64`},
	} {
		_, err := ParseTOML([]byte(c.text), "s.toml")
		wantError(t, err, c.want)
	}
}

// The first of many unknown keys ends the reading: to collect all of these would take minutes.
func TestManyUnknownKeys(t *testing.T) {
	var text strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&text, "key%d = 1\n", i)
	}
	_, err := ParseTOML([]byte(text.String()), "s.toml")
	wantError(t, err, `s.toml: line 1: unknown key "key0", expected one of data, distance, likelihood, prior, sampler`)
}

func TestValidate(t *testing.T) {
	for _, text := range []string{
		"", small,
		"[prior.temperature]\nfixed = true\nvalue = 0",
		"[prior]\nlaw = 'ibp'\n[distance]\nkind = 'matrix'\n[likelihood]\nfeatures = 'binary'",
		"[prior]\nlaw = 'ddibp'\npermutation = { kind = 'fixed' }",
		"[prior]\nlaw = 'ddibp'\nproximity = 'symmetric'\ndecay = 'reciprocal'",
		"[prior]\nlaw = 'ddibp'\nproximity = 'p.csv'",
		"[prior.sigma_x]\nshape = 1\nrate = 2",
		"[sampler]\nwarmup = 0\nother_updates = 1\nshuffle_size = 0",
	} {
		if err := parse(t, text).Validate(); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"[data]\nfile = 'x'\nbuiltin = 'usstates'", `data.file: found the file x and the built-in set "usstates", expected one of them`},
		{"[data]\nbuiltin = 'usstate'", `data.builtin: unknown data set "usstate", did you mean "usstates"?`},
		{"[data]\nfile = 'x'\npreset = 'alzheimer'", `data.preset: unknown preset "alzheimer", did you mean "alzheimers"?`},
		{"[data]\npreset = 'alzheimers'", `data.file: found none, expected the file of the preset alzheimers, which is not part of this program`},
		{"[data]\nfile = 'x'\npreset = 'alzheimers'\nside = 'y'", `data.side: found y, expected none: the preset alzheimers has its covariates in its file`},
		{"[data]\nfile = 'x'\n[prior]\nlaw = 'aibd'", `distance.kind: found none, expected absolute, euclidean, great-circle, same, cyclic, gower, matrix or tree, or prior.law ibp, which needs no distances`},
		{"[distance]\nkind = 'absolut'", `distance.kind: unknown distance "absolut", did you mean "absolute"?`},
		{"[distance]\nkind = 'absolute'", `distance.columns: found 0 columns, expected one to take the absolute difference of`},
		{"[distance]\nkind = 'euclidean'", `distance.columns: found none, expected the columns to take the Euclidean distance of`},
		{"[distance]\nkind = 'great-circle'\ncolumns = ['lon']", `distance.columns: found 1 column, expected two, longitude and latitude`},
		{"[distance]\nkind = 'matrix'", `distance.file: found none, expected the file of the matrix`},
		{"[distance]\nkind = 'matrix'\nfile = 'm'\ncolumns = ['a']", `distance.columns: found 1 column, expected none for a matrix`},
		{"[distance]\nkind = 'same'", `distance.columns: found 0 columns, expected one whose labels are the same or not`},
		{"[distance]\nkind = 'cyclic'\nperiod = 24", `distance.columns: found 0 columns, expected one to take the cyclic difference of`},
		{"[distance]\nkind = 'cyclic'\ncolumns = ['a']", `distance.period: found none, expected the period of the column, such as 24 for hours`},
		{"[distance]\nkind = 'cyclic'\ncolumns = ['a']\nperiod = -1", `distance.period: found -1, expected a number from 0 to 1e300`},
		{"[distance]\nkind = 'absolute'\ncolumns = ['a']\nperiod = 24", `distance.period: found 24, expected none unless distance.kind is cyclic`},
		{"[distance]\nkind = 'tree'", `distance.file: found none, expected the file of the tree`},
		{"[distance]\nkind = 'tree'\nfile = 't'\ncolumns = ['a']", `distance.columns: found 1 column, expected none for a tree`},
		{"[distance]\nfile = 'm'", `distance.file: found m, expected none unless distance.kind is matrix or tree`},
		{"[distance]\nstandardize = true", `distance.standardize: found true, expected false for great-circle`},
		{"[distance]\nshift = -1", `distance.shift: found -1, expected a finite number of at least 0`},
		{"[distance]\nshift = nan", `distance.shift: found NaN, expected a finite number of at least 0`},
		{"[prior]\nlaw = 'iibp'", `prior.law: unknown law "iibp", did you mean "ibp"?`},
		{"[prior]\nlaw = 'dd-ibp'", `prior.law: unknown law "dd-ibp", did you mean "ddibp"?`},
		{"[prior]\nproximity = 'symmetric'", `prior.proximity: found symmetric, expected it with prior.law ddibp only`},
		{"[prior]\nlaw = 'ddibp'\nproximity = ''", `prior.proximity: found nothing, expected sequential, symmetric or a file`},
		{"[prior]\nlaw = 'ddibp'\ndecay = 'reciprocal'\ndecay_shift = 0.5", `prior.decay_shift: found 0.5, expected 1 under ddibp, whose decays are 1 at distance 0`},
		{"[prior]\nlaw = 'ddibp'\nproximity = 'symmetric'\npermutation = { kind = 'fixed' }", `prior.permutation.kind: found fixed, expected random, the default: under proximity symmetric items have no order`},
		{"[prior]\nlaw = 'ddibp'\nproximity = 'p.csv'\npermutation = { kind = 'ordered', column = 'x' }", `prior.permutation.kind: found ordered, expected random, the default: under proximity p.csv items have no order`},
		{"[prior]\nlaw = 'ddibp'\nproximity = 'symmetric'\npermutation = { order = [1, 2] }", `prior.permutation.order: found 2 items, expected none: under proximity symmetric items have no order`},
		{"[prior]\nlaw = 'ddibp'\nproximity = 'p.csv'\ndecay = 'reciprocal'", `prior.decay: found reciprocal, expected given: p.csv gives the proximities`},
		{"[distance]\nkind = 'absolute'\ncolumns = ['x']\n[prior]\nlaw = 'ddibp'\nproximity = 'p.csv'", `distance.kind: found absolute, expected none: p.csv gives the proximities`},
		{"[prior]\nlaw = 'ddibp'\n[data]\nfile = 'x'", `distance.kind: found none, expected absolute, euclidean, great-circle, same, cyclic, gower, matrix or tree, or prior.law ibp, which needs no distances`},
		{"[prior]\ndecay = 'exponentiel'", `prior.decay: unknown decay "exponentiel", did you mean "exponential"?`},
		{"[prior]\ndecay = 'reciprocal'\ndecay_shift = -1", `prior.decay: decay reciprocal: found shift -1, expected a finite number of at least 0`},
		{"[prior]\ndecay = 'given'", `prior.decay: found given, expected a distance of kind matrix with shift 0, which holds the similarities`},
		{"[prior.mass]\nvalue = 0", `prior.mass.value: found 0, expected a finite number above 0`},
		{"[prior.mass]\nvalue = -1\nfixed = true", `prior.mass.value: found -1, expected a finite number above 0`},
		{"[prior.mass]\nfixed = true", `prior.mass.value: found none, expected the value to fix it at`},
		{"[prior.mass]\nshape = 0", `prior.mass.shape: found 0, expected a finite number above 0`},
		{"[prior.mass]\nrate = inf", `prior.mass.rate: found +Inf, expected a finite number above 0`},
		{"[prior.temperature]\nvalue = 0", `prior.temperature.value: found 0, expected a finite number above 0`},
		{"[prior.temperature]\nvalue = -1\nfixed = true", `prior.temperature.value: found -1, expected a finite number of at least 0`},
		{"[prior.permutation]\nkind = 'randm'", `prior.permutation.kind: unknown kind "randm", did you mean "random"?`},
		{"[prior.permutation]\nkind = 'ordered'", `prior.permutation.column: found none, expected the column to order by`},
		{"[prior.permutation]\ncolumn = 'x'", `prior.permutation.column: found "x", expected none unless prior.permutation.kind is ordered`},
		{"[prior.permutation]\nkind = 'ordered'\ncolumn = 'x'\norder = [1]", `prior.permutation.order: found 1 item, expected none: a column gives the order`},
		{"[prior.sigma_x]\nvalue = 0", `prior.sigma_x.value: found 0, expected a finite number above 0`},
		{"[prior.sigma_a]\nfixed = true", `prior.sigma_a.value: found none, expected the value to fix it at`},
		{"[prior.sigma_a]\nmax = -1", `prior.sigma_a.max: found -1, expected a finite number of at least 0`},
		{"[prior.sigma_a]\nshape = 1", `prior.sigma_a.shape: found 1 with rate 0, expected both above 0, or both 0`},
		{"[prior.sigma_a]\nmax = 2\nshape = 1\nrate = 1", `prior.sigma_a.max: found 2 with shape 1 and rate 1, expected either max or shape and rate`},
		{"[prior.sigma_a]\nmean = 2\nshape = 1\nrate = 1", `prior.sigma_a.mean: found 2 with shape 1 and rate 1, expected either mean or shape and rate`},
		{"[prior.sigma_x]\nmean = 2\nmax = 1", `prior.sigma_x.mean: found 2 with max 1, expected either max or mean`},
		{"[sampler]\nchains = 0", `sampler.chains: found 0, expected 1 to 1000`},
		{"[sampler]\nwarmup = -1", `sampler.warmup: found -1, expected 0 to 1000000000`},
		{"[sampler]\ndraws = 0", `sampler.draws: found 0, expected 1 to 2147483647`},
		{"[sampler]\ndraws = 600000000", `sampler.draws: found 600000000, expected 1 to 536870911 with 4 chains`},
		{"[sampler]\nthin = 0", `sampler.thin: found 0, expected 1 to 1000000000`},
		{"[sampler]\nother_updates = -1", `sampler.other_updates: found -1, expected 0 to 100000`},
		{"[sampler]\nshuffle_size = 1", `sampler.shuffle_size: found 1, expected 0 or at least 2`},
		{"[sampler]\nstep_sigma_x = -1", `sampler.step_sigma_x: found -1, expected a finite number of at least 0`},
		{"[sampler]\nstep_correlation = 1", `sampler.step_correlation: found 1, expected a number between -1 and 1`},
	} {
		wantError(t, parse(t, c.text).Validate(), c.want)
	}
	s := Default()
	s.Sampler.Seed = math.MaxUint64
	wantError(t, s.Validate(), fmt.Sprintf("sampler.seed: found %d, expected 0 to %d", uint64(math.MaxUint64), math.MaxInt64))
}

// The settings of a round have what package fit says, and sample until the chains agree.
func TestNext(t *testing.T) {
	s := Sampler{Chains: 16, Warmup: 10, Draws: 100, Thin: 3, Skip: 40, Round: 1}
	if next := s.Next(4); next.ThisRound() != s.ThisRound().Next(4) || next.Until != UntilAgreed || next.Warmup != 10 || next.Round != 2 {
		t.Errorf("found %+v", next)
	}
}
