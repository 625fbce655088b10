package runs

import (
	"strconv"
	"strings"
	"testing"

	"aibd/internal/checksum"
	"aibd/internal/spec"
)

// record of a spec, as text.
func recordText(s spec.Spec) string {
	b, err := marshal(record{Format: format, Given: given(spec.Default()), Spec: s, CRC32C: checksum.Zeros})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestParseRecordErrors(t *testing.T) {
	good := recordText(spec.Default().Complete())
	for _, c := range []struct{ old, new, want string }{ // LINE: where old is
		{`"shape"`, `"shap"`, `run.json: line LINE: unknown key of spec.prior.mass "shap", did you mean "shape"?`},
		{`"spec"`, `"specs"`, `run.json: line LINE: unknown key "specs", did you mean "spec"?`},
		{`"draws": 1000`, `"draws": "many"`, `run.json: line LINE: spec.sampler.draws: found string, expected a whole number`},
		{`"draws": 1000`, `"draws": }`, `run.json: line LINE: invalid character '}' looking for beginning of value`},
		{`"format": 2`, `"format": 1`, `run.json: found format 1, expected the run.json of a run, format 2`},
		{`"format": 2`, `"format": 1, "once": 3`, `run.json: found format 1, expected the run.json of a run, format 2`},
		{`"format": 2,`, ``, `run.json: found format 0, expected the run.json of a run, format 2`},
		{"\n}\n", "\n", `run.json: line LINE: unexpected end of JSON input`},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("no %s in\n%s", c.old, good)
		}
		line := 1 + strings.Count(good[:strings.Index(good, c.old)], "\n")
		if c.new == "\n" {
			line++ // the end is after the line
		}
		_, err := parseRecord([]byte(text), "run.json")
		wantError(t, err, strings.ReplaceAll(c.want, "LINE", strconv.Itoa(line)))
	}
	for text, want := range map[string]string{
		"":   `run.json: line 1: unexpected end of JSON input`,
		"[]": `run.json: line 1: found array, expected a table`,
		"{}": `run.json: found format 0, expected the run.json of a run, format 2`,
	} {
		_, err := parseRecord([]byte(text), "run.json")
		wantError(t, err, want)
	}
}
