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

// Every whole spec that the reference shows is one.
func TestReferenceShowsSpecsThatAreAccepted(t *testing.T) {
	t.Parallel()
	shown := 0
	for i, block := range strings.Split(string(load(t, reference)), "```yaml\n")[1:] {
		example, _, found := strings.Cut(block, "```")
		if !found {
			t.Fatalf("example %d of %s does not end", i+1, reference)
		}
		if !strings.HasPrefix(example, "version: ") {
			continue
		}
		shown++
		if _, faults := spec.Read(specFile, []byte(example)); len(faults) > 0 {
			t.Errorf("example %d of %s: %v", i+1, reference, faults)
		}
	}
	if shown == 0 {
		t.Errorf("%s shows no spec", reference)
	}
}
