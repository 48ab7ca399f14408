package field_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/spec/schema"
	"github.com/google/go-cmp/cmp"
)

// group is a schema of the JSON-Schema-Test-Suite with values that it takes and does not take.
type group struct {
	file        string // without its extension
	Description string
	Schema      any
	Tests       []struct {
		Data  json.RawMessage
		Valid bool
	}

	placed []placed // in each of places where it can be
}

// placed is the schema of a group somewhere in a payload.
type placed struct {
	*subject
	place
}

// property is the property of a payload in which a schema of the suite stands.
const property = "value"

// place is where in a payload a schema of the suite stands.
type place struct {
	name    string
	pointer string // to the schema
	payload func(schema any) map[string]any
	value   string // the arguments around a value
	typed   bool   // with the type of the first valid value, where the schema says none
}

// places are the ways in which a schema is used in a payload: each gives a field of another type. The first is how the
// suite is counted.
var places = []place{
	{"required", "#/properties/value", needed, `{"value": %s}`, false},
	{"typed", "#/properties/value", needed, `{"value": %s}`, true},
	{"optional", "#/properties/value", optional, `{"value": %s}`, true},
	{"item", "#/properties/value/items", item, `{"value": [%s]}`, false},
	{"entry", "#/properties/value/additionalProperties", entry, `{"value": {"key": %s}}`, true},
}

func needed(schema any) map[string]any {
	payload := optional(schema)
	payload["required"] = []any{property}
	return payload
}

func optional(schema any) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{property: schema}}
}

func item(schema any) map[string]any {
	return optional(map[string]any{"type": "array", "items": schema})
}

func entry(schema any) map[string]any {
	return optional(map[string]any{"type": "object", "additionalProperties": schema})
}

// suite is the JSON-Schema-Test-Suite, read as specs.
func suite(t *testing.T) []*group {
	t.Helper()
	var all []*group
	for _, path := range sources(t, "json-schema-suite/draft2020-12/*.json") {
		var groups []*group
		load(t, path, &groups)
		for i, g := range groups {
			g.file = strings.TrimSuffix(filepath.Base(path), ".json")
			for _, p := range places {
				g.put(t, p, i+1)
			}
		}
		all = append(all, groups...)
	}
	return all
}

// put reads the schema of the group somewhere in a payload.
func (g *group) put(t *testing.T, p place, number int) {
	t.Helper()
	schema := moved(g.Schema, p.pointer)
	object, ok := schema.(map[string]any)
	p.typed = p.typed && ok && object["type"] == nil && g.kind() != "" && !isRecursive(g.Schema)
	if p.typed {
		object["type"] = g.kind()
	}
	s := &subject{
		from:    g.file + ": " + g.Description + " (" + p.name + ")",
		name:    fmt.Sprintf("group_%d_%s", number, p.name),
		open:    true,
		payload: p.payload(schema),
		served:  strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(g.file)) + "suite",
	}
	s.read(t)
	g.placed = append(g.placed, placed{s, p})
}

// accepted tells whether the group is, as the suite has it.
func (g *group) accepted() bool { return g.placed[0].accepted }

// kind is the type of the first valid value; "" if it is null, or there is none.
func (g *group) kind() string {
	for _, test := range g.Tests {
		if test.Valid {
			return kindOf(test.Data)
		}
	}
	return ""
}

func kindOf(data json.RawMessage) string {
	switch c := data[0]; c {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return ""
	}
	return "number"
}

// isRecursive tells whether a schema refers to itself as a whole, so that its values need not be of one type.
func isRecursive(schema any) bool { return strings.Contains(string(encode(schema)), `"$ref": "#"`) }

// moved is a schema as it reads elsewhere than at the root: without its dialect, and with the references to its own
// parts led there.
func moved(root any, pointer string) any {
	there := rebase(root, pointer)
	if object, ok := there.(map[string]any); ok {
		delete(object, "$schema")
	}
	return there
}

func rebase(node any, pointer string) any {
	object, ok := node.(map[string]any)
	if !ok {
		return node
	}
	there := maps.Clone(object)
	for keyword, value := range object {
		switch inner := value.(type) {
		case string:
			if keyword == "$ref" && (inner == "#" || strings.HasPrefix(inner, "#/")) {
				there[keyword] = pointer + strings.TrimPrefix(inner, "#")
			}
		case []any:
			if !holdsValues(keyword) {
				there[keyword] = rebaseAll(inner, pointer)
			}
		case map[string]any:
			if !holdsValues(keyword) {
				there[keyword] = rebaseIn(keyword, inner, pointer)
			}
		}
	}
	return there
}

func rebaseAll(nodes []any, pointer string) []any {
	there := make([]any, len(nodes))
	for i, node := range nodes {
		there[i] = rebase(node, pointer)
	}
	return there
}

// rebaseIn rebases the schemas by name, or the schema, under a keyword.
func rebaseIn(keyword string, inner map[string]any, pointer string) any {
	if !holdsSchemas(keyword) {
		return rebase(inner, pointer)
	}
	there := map[string]any{}
	for name, node := range inner {
		there[name] = rebase(node, pointer)
	}
	return there
}

// trial is one value of the suite in one place of a payload.
type trial struct {
	of    *subject
	valid bool
	preview
}

// trials are all values of the groups that are accepted.
func trials(groups []*group) []trial {
	var all []trial
	for _, g := range groups {
		for _, p := range g.placed {
			if !p.accepted {
				continue
			}
			for _, test := range g.Tests {
				valid := test.Valid && (!p.typed || kindOf(test.Data) == g.kind())
				arguments := fmt.Appendf(nil, p.value, test.Data)
				all = append(all, trial{p.subject, valid, preview{p.tool(), arguments}})
			}
		}
	}
	return all
}

// The verdict on each value of the suite is the suite's own, and an accepted value is the same after it was decoded to
// the generated type and encoded again.
func TestSuiteIsAcceptedAndRefusedAsItSays(t *testing.T) {
	t.Parallel()
	m := newModule(t)
	groups := suite(t)
	byPackage := map[string][]*subject{}
	accepted, narrow, places, narrowPlaces := 0, 0, 0, 0
	for _, g := range groups {
		if g.accepted() {
			accepted++
			narrow += g.placed[0].narrow()
		}
		for _, p := range g.placed {
			if !p.typed && p.accepted != g.accepted() {
				t.Errorf("%s is accepted: %t, and in the first place: %t; %v", p.from, p.accepted, g.accepted(), p.faults)
			}
			if p.accepted {
				byPackage[p.served] = append(byPackage[p.served], p.subject)
				places++
				narrowPlaces += p.narrow()
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byPackage)) {
		m.add(t, name, generateAll(t, name, byPackage[name]))
	}
	m.vet(t)
	all := trials(groups)
	t.Logf("%d groups: %d accepted, %d of them narrower than json.RawMessage, %d diagnosed", len(groups), accepted, narrow, len(groups)-accepted)
	t.Logf("%d values in %d places, %d of them narrower than json.RawMessage", len(all), places, narrowPlaces)
	m.try(t, all)
}

// narrow is 1 if values have a narrower type than json.RawMessage.
func (p placed) narrow() int {
	use := p.spec.Operations[0].Payload.Fields[0].Use
	if use.Type.Elem.Type != nil && p.value != places[0].value {
		use = use.Type.Elem
	}
	if use.Type.Kind == schema.Raw {
		return 0
	}
	return 1
}

// try has a server judge all values.
func (m *module) try(t *testing.T, all []trial) {
	t.Helper()
	calls := make([]preview, len(all))
	for i, one := range all {
		calls[i] = one.preview
	}
	for i, got := range m.serve(t).preview(t, calls) {
		one := all[i]
		if got.accepted() != one.valid || got.refused() == one.valid {
			t.Errorf("%s: %s is %v, and valid is %t", one.of.from, one.arguments, got, one.valid)
		}
		if got.accepted() {
			one.of.checkKept(t, one.arguments, got)
		}
	}
}

// listed is the part of the reference about the suite, and a row of its table.
const listed = "### The official test suite\n"

var listedRow = regexp.MustCompile("(?m)^\\| `(CS[0-9]+)` \\| [^|]+ \\| ([^|]+) \\|$")

// What of the suite is refused when code is generated stands in the reference, with the reason.
func TestReferenceListsWhatOfTheSuiteIsRefused(t *testing.T) {
	t.Parallel()
	refused := map[string]int{}
	for _, g := range suite(t) {
		if !g.accepted() {
			refused[g.placed[0].faults[0].Code+" "+g.file]++
		}
	}
	reference, err := os.ReadFile(filepath.Join("..", "..", "docs", "spec.md"))
	check(t, "read the reference", err)
	_, part, found := strings.Cut(string(reference), listed)
	if !found {
		t.Fatalf("the reference has no part %q", listed)
	}
	part, _, _ = strings.Cut(part, "\n## ")
	told := map[string]int{}
	for _, row := range listedRow.FindAllStringSubmatch(part, -1) {
		for group := range strings.SplitSeq(row[2], ", ") {
			file, number, _ := strings.Cut(group, " ")
			n, err := strconv.Atoi(number)
			check(t, row[0], err)
			told[row[1]+" "+file] += n
		}
	}
	if diff := cmp.Diff(refused, told); diff != "" {
		t.Errorf("groups that are refused (-really +in the reference):\n%s", diff)
	}
}
