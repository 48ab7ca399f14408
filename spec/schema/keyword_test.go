package schema

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The reader leaves to the language's own schema what values a keyword may have.
func TestLanguageKnowsEveryKeyword(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("../changeset.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var language struct {
		Defs struct {
			Schema struct {
				Properties map[string]any `json:"properties"`
			} `json:"schema"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(src, &language); err != nil {
		t.Fatal(err)
	}
	want, got := slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(keywords)), sensitiveMark))), slices.Sorted(maps.Keys(language.Defs.Schema.Properties))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keywords of the reader and of changeset.schema.json (-reader +language):\n%s", diff)
	}
}
