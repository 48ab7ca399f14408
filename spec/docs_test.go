package spec_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
)

// reference is the documentation of the language.
var reference = filepath.Join("..", "docs", "spec.md")

func TestReferenceListsEveryCode(t *testing.T) {
	t.Parallel()
	text := string(load(t, reference))
	for code, meaning := range diag.Meaning {
		if row := "| `" + code + "` | " + meaning + " |\n"; !strings.Contains(text, row) {
			t.Errorf("%s lacks the row %s", reference, row)
		}
	}
}

func TestReferenceNamesEveryKey(t *testing.T) {
	t.Parallel()
	var language struct {
		Properties map[string]any `json:"properties"`
		Defs       map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(load(t, "changeset.schema.json"), &language); err != nil {
		t.Fatal(err)
	}
	text := string(load(t, reference))
	check := func(where string, properties map[string]any) {
		for key := range properties {
			if !strings.Contains(text, "`"+key+"`") && !strings.Contains(text, "`"+key+": ") {
				t.Errorf("%s does not name the key %s of %s", reference, key, where)
			}
		}
	}
	check("the top", language.Properties)
	for name, def := range language.Defs {
		check(name, def.Properties)
	}
}

// The spec that the reference begins with is one.
func TestReferenceShowsASpecThatIsAccepted(t *testing.T) {
	t.Parallel()
	_, rest, _ := strings.Cut(string(load(t, reference)), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatalf("no example in %s", reference)
	}
	if _, faults := spec.Read(specFile, []byte(example)); len(faults) > 0 {
		t.Error(faults)
	}
}
