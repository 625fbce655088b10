package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"aibd/internal/compare"
	"aibd/internal/prospect"
	"aibd/internal/results"
	"aibd/internal/verdict"
)

var writeSchemas = flag.Bool("schemas", false, "Write the schemas of JSON, in docs/schema.")

// printedJSON are the types of what a verb prints with --json, one of them. A schema gets a new version if a
// program that reads its JSON may fail: a field has gone, or has another type.
var printedJSON = map[string]struct {
	version int
	types   []reflect.Type
}{
	"check":          {1, []reflect.Type{reflect.TypeFor[results.Checks]()}},
	"compare":        {1, []reflect.Type{reflect.TypeFor[compare.Held]()}},
	"estimate":       {1, []reflect.Type{reflect.TypeFor[results.Listed]()}},
	"loglik":         {1, []reflect.Type{reflect.TypeFor[prospect.Densities]()}},
	"logpost":        {1, []reflect.Type{reflect.TypeFor[prospect.Densities]()}},
	"predict":        {1, []reflect.Type{reflect.TypeFor[results.Predictions](), reflect.TypeFor[results.Newcomers]()}},
	"prior features": {1, []reflect.Type{reflect.TypeFor[prospect.Features]()}},
	"prior pmf":      {1, []reflect.Type{reflect.TypeFor[prospect.Densities]()}},
	"prior predict":  {1, []reflect.Type{reflect.TypeFor[prospect.Predicted]()}},
	"prior sample": {1, []reflect.Type{reflect.TypeFor[struct {
		sampleJSON
		Draws [][][]int `json:"draws"` // rows of each
	}]()}},
	"prior sharing": {1, []reflect.Type{reflect.TypeFor[prospect.Sharing]()}},
	"sharing":       {2, []reflect.Type{reflect.TypeFor[posteriorSharing]()}},
	"summary":       {1, []reflect.Type{reflect.TypeFor[summary]()}},
}

// verbOf returns the verb of a command line without the name of the program, such as "prior features".
func verbOf(args []string) string {
	c, _, err := Command().Find(args)
	if err != nil {
		return ""
	}
	_, verb, _ := strings.Cut(c.CommandPath(), " ")
	return verb
}

func schemaFile(verb string) string { return strings.ReplaceAll(verb, " ", "-") + ".json" }

// schemaOf returns the schema of what a verb prints with --json.
func schemaOf(verb string) (*jsonschema.Schema, error) {
	number := &jsonschema.Schema{Types: []string{"null", "number"}}
	text := &jsonschema.Schema{Type: "string"}
	object := func(required string, properties map[string]*jsonschema.Schema) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "object", Properties: properties, Required: strings.Fields(required)}
	}
	hidden := &jsonschema.Schema{Type: "object"}
	options := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{ // of types with a form of their own
		reflect.TypeFor[*results.Judged]():  hidden, // embedded, and not printed
		reflect.TypeFor[verdict.Quantity](): hidden,
		reflect.TypeFor[results.Number]():   number,
		reflect.TypeFor[verdict.Finding](): object("key name r_hat ess_bulk ess_tail", map[string]*jsonschema.Schema{
			"key": text, "name": text, "r_hat": number, "ess_bulk": number, "ess_tail": number,
		}),
	}}
	printed := printedJSON[verb]
	whole := &jsonschema.Schema{}
	for _, t := range printed.types {
		s, err := jsonschema.ForType(t, options)
		if err != nil {
			return nil, err
		}
		whole.AnyOf = append(whole.AnyOf, s)
	}
	if len(whole.AnyOf) == 1 {
		whole = whole.AnyOf[0]
	}
	whole.Schema, whole.ID = "https://json-schema.org/draft/2020-12/schema", fmt.Sprintf("aibd:%s:%d", strings.ReplaceAll(verb, " ", "-"), printed.version)
	whole.Title = fmt.Sprintf("aibd %s --json, version %d", verb, printed.version)
	return whole, nil
}

// The schemas in the documents match the types that the verbs print.
// go test ./internal/cli -run TestSchemas -args -schemas writes them. Each verb with the flag --json has one.
func TestSchemas(t *testing.T) {
	for verb := range printedJSON {
		s, err := schemaOf(verb)
		if err != nil {
			t.Fatalf("%s: %v", verb, err)
		}
		content, err := json.MarshalIndent(s, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		content = append(content, '\n')
		file := filepath.Join("../../docs/schema", schemaFile(verb))
		if *writeSchemas {
			if err := os.WriteFile(file, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s is not the schema of what aibd %s prints, %v: go test ./internal/cli -run TestSchemas -args -schemas writes it; raise the version if a field has gone or has another type", file, verb, err)
		}
	}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		verb := strings.TrimPrefix(c.CommandPath(), "aibd ")
		if _, ok := printedJSON[verb]; ok != (c.Flags().Lookup("json") != nil) {
			t.Errorf("aibd %s has a schema: %v, expected one for each verb with --json", verb, ok)
		}
		for _, child := range c.Commands() {
			visit(child)
		}
	}
	visit(Command())
}

// validJSON returns an error if what a verb printed with --json does not meet its schema. All scripts call it.
func validJSON(verb string, printed []byte) error {
	s, err := schemaOf(verb)
	if err != nil {
		return err
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(printed, &value); err != nil {
		return err
	}
	if err := resolved.Validate(value); err != nil {
		return fmt.Errorf("the JSON of aibd %s does not meet its schema: %w", verb, err)
	}
	return nil
}

func TestInvalidJSON(t *testing.T) {
	good := `{"law": "ibp", "items": ["1"], "seed": 1, "draws": []}`
	if err := validJSON("prior sample", []byte(good)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{strings.Replace(good, `"ibp"`, "1", 1), strings.Replace(good, "law", "Law", 1), strings.Replace(good, `"seed": 1, `, "", 1)} {
		if validJSON("prior sample", []byte(bad)) == nil {
			t.Errorf("%s: found no error", bad)
		}
	}
}
