package payload_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

// suite holds the required cases of the official JSON-Schema-Test-Suite, where they are at hand.
const suite = "../../../../shared/field/json-schema-suite/draft2020-12"

// refusal is what is refused of a file of the suite before anything is validated.
type refusal struct {
	why    string
	groups []string // nil for all of them
}

var refusals = map[string]refusal{
	"anchor":     {why: "a part is referred to by its JSON Pointer"},
	"default":    {why: "a default that does not fit its own schema would be refused in every payload that leaves it out"},
	"defs":       {why: "the metaschema is another document"},
	"dynamicRef": {why: "what a reference means may not depend on who follows it"},
	"enum": {why: "nothing fits it", groups: []string{
		"empty enum",
	}},
	"ref": {why: "a schema is one document, with one address", groups: []string{
		"$id must be resolved against nearest parent, not just immediate parent",
		"$id with file URI still resolves pointers - *nix",
		"$id with file URI still resolves pointers - windows",
		"Recursive references between schemas",
		"URN base URI with NSS",
		"URN base URI with URN and JSON pointer ref",
		"URN base URI with URN and anchor ref",
		"URN base URI with q-component",
		"URN base URI with r-component",
		"URN ref with nested pointer ref",
		"order of evaluation: $id and $anchor and $ref",
		"order of evaluation: $id and $ref",
		"order of evaluation: $id and $ref on nested schema",
		"ref to else",
		"ref to if",
		"ref to then",
		"ref with absolute-path-reference",
		"refs with relative uris and defs",
		"relative refs with absolute uris and defs",
		"remote ref, containing refs itself",
		"simple URN base URI with $ref via the URN",
		"simple URN base URI with JSON pointer",
	}},
	"refRemote": {why: "a schema is one document"},
	"unevaluatedItems": {why: "what a reference means may not depend on who follows it", groups: []string{
		"unevaluatedItems with $dynamicRef",
	}},
	"unevaluatedProperties": {why: "what a reference means may not depend on who follows it", groups: []string{
		"unevaluatedProperties with $dynamicRef",
	}},
	"vocabulary": {why: "a schema is one document, with one address", groups: []string{
		"schema that uses custom metaschema with with no validation vocabulary",
	}},
}

func TestVerdictsAreThoseOfTheOfficialSuite(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(suite + "/*.json")
	if err != nil || len(files) == 0 {
		t.Skipf("the suite is not at %s", suite)
	}
	total, cases := 0, 0
	for _, file := range files {
		groups := readGroups(t, file)
		total += len(groups)
		var found []string
		for _, group := range groups {
			s, err := payload.Compile(group.Description, asProperty(t, group.Schema), payload.Options{})
			if err != nil {
				found = append(found, group.Description)
				continue
			}
			cases += len(group.Tests)
			group.check(t, s)
		}
		slices.Sort(found)
		listed, all := refusals[strings.TrimSuffix(filepath.Base(file), ".json")], len(found) == len(groups)
		if diff := cmp.Diff(listed.groups, found); diff != "" && (listed.why == "" || listed.groups != nil || !all) {
			t.Errorf("%s: the groups that are refused: -listed +found\n%s", file, diff)
		}
	}
	for name := range refusals {
		if !slices.Contains(files, filepath.Join(suite, name+".json")) {
			t.Errorf("%s is listed and not there", name)
		}
	}
	t.Logf("%d groups; %d cases that are validated", total, cases)
}

// check validates what the group has.
func (g group) check(t *testing.T, s *payload.Schema) {
	t.Helper()
	for _, c := range g.Tests {
		_, err := s.Accept([]byte(`{"value":`+string(c.Data)+`}`), exact.DefaultLimits)
		var invalid *payload.Invalid
		if err != nil && !errors.As(err, &invalid) || (err == nil) != c.Valid {
			t.Errorf("%s: %s: got %v; valid should be %v", g.Description, c.Description, err, c.Valid)
		}
	}
}

type group struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

func readGroups(t *testing.T, file string) []group {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []group
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return groups
}

// asProperty makes a schema that of a property of a payload, as a spec has it.
func asProperty(t *testing.T, schema json.RawMessage) []byte {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	if root, ok := tree.(map[string]any); ok {
		delete(root, "$schema")
	}
	rebase(tree)
	whole, err := exact.FromTree(map[string]any{"type": "object", "properties": map[string]any{"value": tree}})
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// rebase moves the local references of a schema to where the schema now stands.
func rebase(schema any) {
	node, ok := schema.(map[string]any)
	if !ok {
		return
	}
	if target, ok := node["$ref"].(string); ok && (target == "#" || strings.HasPrefix(target, "#/")) {
		node["$ref"] = "#/properties/value" + target[1:]
	}
	for _, keyword := range slices.Sorted(maps.Keys(node)) {
		switch keyword {
		case "const", "enum", "default", "examples":
		case "properties", "patternProperties", "$defs", "dependentSchemas":
			named, _ := node[keyword].(map[string]any)
			for _, part := range named {
				rebase(part)
			}
		default:
			rebase(node[keyword])
			list, _ := node[keyword].([]any)
			for _, part := range list {
				rebase(part)
			}
		}
	}
}
