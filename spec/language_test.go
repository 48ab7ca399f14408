package spec_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/spec/conform"
	"github.com/changesetgen/changesetgen/spec/document"
)

// The language says itself what a schema may look like, and says the same as the metaschema.
func TestLanguageTakesTheKeywordsThatTheMetaschemaTakes(t *testing.T) {
	t.Parallel()
	own := whole(t, "https://changesetgen.invalid/own", load(t, "changeset.schema.json"))
	own, err := own.Part("/$defs/schema")
	if err != nil {
		t.Fatal(err)
	}
	standard := whole(t, "https://changesetgen.invalid/standard", []byte(`{"$ref": "https://json-schema.org/draft/2020-12/schema"}`))
	values := []string{
		"null", "true", "0", "-1", "1", "1.0", "1.5", "string", "strin", "''", "'^a#'", "[]", "[string]", "[string, string]", "[strin]", "[1]",
		"[{}]", "[true]", "[{type: 5}]", "{}", "{a: 5}", "{a: {}}", "{a: {type: 5}}", "{a: []}", "{a: [b]}", "{a: [b, b]}", "{type: 5}", "{type: string}",
	}
	keywords := ownKeywords(t)
	for _, keyword := range keywords {
		for _, value := range values {
			tree, faults := document.Read("f", []byte("{"+keyword+": "+value+"}"))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			got, want := own.Check(tree), standard.Check(tree)
			if len(got) == 0 != (len(want) == 0) {
				t.Errorf("%s: %s: the language says %v, and the metaschema %v", keyword, value, got, want)
			}
		}
	}
}

// A mark on what is sensitive that says anything but true would be one that an editor takes and nobody keeps.
func TestMarksSayTrue(t *testing.T) {
	t.Parallel()
	language := whole(t, "https://changesetgen.invalid/marks", load(t, "changeset.schema.json"))
	own, err := language.Part("/$defs/schema")
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]bool{"true": true, "false": false, "'true'": false, "1": false, "{}": false, "null": false} {
		tree, faults := document.Read("f", []byte("{x-sensitive: "+value+"}"))
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if got := own.Check(tree); len(got) == 0 != want {
			t.Errorf("%s: %v", value, got)
		}
	}
}

// whole is a schema with an address.
func whole(t *testing.T, address string, src []byte) *conform.Schema {
	t.Helper()
	schema, err := conform.Compile(address, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// ownKeywords are the keywords of JSON Schema of which the language says something.
func ownKeywords(t *testing.T) []string {
	t.Helper()
	var language struct {
		Defs struct {
			Schema struct {
				Properties map[string]any `json:"properties"`
			} `json:"schema"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(load(t, "changeset.schema.json"), &language); err != nil {
		t.Fatal(err)
	}
	if len(language.Defs.Schema.Properties) == 0 {
		t.Fatal("the language has no keywords")
	}
	maps.DeleteFunc(language.Defs.Schema.Properties, func(keyword string, _ any) bool { return strings.HasPrefix(keyword, "x-") })
	return slices.Sorted(maps.Keys(language.Defs.Schema.Properties))
}
