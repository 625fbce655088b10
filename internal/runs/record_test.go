package runs

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"aibd/internal/spec"
)

import ()

// record of a spec, as text.
func recordText(s spec.Spec) string {
	b, err := json.MarshalIndent(record{Format: 1, Spec: s}, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestParseJSONErrors(t *testing.T) {
	good := recordText(spec.Default().Complete())
	for _, c := range []struct{ old, new, want string }{ // LINE: where old is
		{`"shape"`, `"shap"`, `run.json: line LINE: unknown key of spec.prior.mass "shap", did you mean "shape"?`},
		{`"spec"`, `"specs"`, `run.json: line LINE: unknown key "specs", did you mean "spec"?`},
		{`"draws": 1000`, `"draws": "many"`, `run.json: line LINE: spec.sampler.draws: found string, expected a whole number`},
		{`"draws": 1000`, `"draws": }`, `run.json: line LINE: invalid character '}' looking for beginning of value`},
		{`"format": 1`, `"format": 2`, `run.json: found format 2, expected the run.json of a run, format 1`},
		{`"format": 1,`, ``, `run.json: found format 0, expected the run.json of a run, format 1`},
		{"null\n}", "null", `run.json: line LINE: unexpected end of JSON input`},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("no %s in\n%s", c.old, good)
		}
		line := 1 + strings.Count(good[:strings.Index(good, c.old)], "\n")
		_, err := ParseJSON([]byte(text), "run.json")
		wantError(t, err, strings.ReplaceAll(c.want, "LINE", strconv.Itoa(line)))
	}
	for text, want := range map[string]string{
		"":   `run.json: line 1: unexpected end of JSON input`,
		"[]": `run.json: line 1: found array, expected a table`,
		"{}": `run.json: found format 0, expected the run.json of a run, format 1`,
	} {
		_, err := ParseJSON([]byte(text), "run.json")
		wantError(t, err, want)
	}
}
