package runs

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"aibd/internal/spec"
)

// What is read from a run.json and holds is written as JSON that is read as the same.
func FuzzRecord(f *testing.F) {
	for _, text := range []string{
		recordText(spec.Default().Complete()), `{"spec":{"prior":{"mass":[{"x":1}]}},"data":{"sources":[{"x":1}]}}`, "", "{", "null", "[]", `{"format":2,"spec":null}`, `{"format":2e0}`,
		`{"format":2,"spec":{"sampler":{"seed":18446744073709551616}}}`, `{"format":2,"data":{"n":2,"ids":["a","b"]}}`, `{"format":2,"format":2}`, "{\"aibd\":\"\xff\"}", `{"format":2,"spec":{"prior":{"mass":{"value":1e400}}}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseRecord([]byte(text), "name")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "name: ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		if err := r.check(); err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseRecord(b, "again")
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%v\n%+v\n%+v", err, again, r)
		}
	})
}
