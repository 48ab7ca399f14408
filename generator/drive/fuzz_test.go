package drive_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
	preferences "github.com/changesetgen/changesetgen/testdata/golden/free_map/want"
	surveys "github.com/changesetgen/changesetgen/testdata/golden/lists/want"
	labels "github.com/changesetgen/changesetgen/testdata/golden/map/want"
	access "github.com/changesetgen/changesetgen/testdata/golden/map_of_objects/want"
	schedules "github.com/changesetgen/changesetgen/testdata/golden/nullable_union/want"
	contacts "github.com/changesetgen/changesetgen/testdata/golden/open_object/want"
	issues "github.com/changesetgen/changesetgen/testdata/golden/optional_nullable/want"
	people "github.com/changesetgen/changesetgen/testdata/golden/optional_nullable_object/want"
	cells "github.com/changesetgen/changesetgen/testdata/golden/raw/want"
	layouts "github.com/changesetgen/changesetgen/testdata/golden/recursive_list/want"
	menus "github.com/changesetgen/changesetgen/testdata/golden/recursive_tree/want"
	orders "github.com/changesetgen/changesetgen/testdata/golden/references/want"
	kinds "github.com/changesetgen/changesetgen/testdata/golden/state_kinds/want"
	pages "github.com/changesetgen/changesetgen/testdata/golden/union/want"
	tokens "github.com/changesetgen/changesetgen/testdata/golden/wide_integer/want"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// typed is a schema of a golden and the Go type that is generated for it.
type typed struct {
	golden, schema string
	again          func(canonical []byte) ([]byte, error) // through the type
	seeds          []string
}

// again reads JSON into a type and writes it.
func again[T any](canonical []byte) ([]byte, error) {
	v := new(T)
	if err := exact.Decode(canonical, v); err != nil {
		return nil, err
	}
	return exact.Encode(v)
}

var typedSchemas = []typed{
	{"free_map", "set_preferences.payload", again[preferences.SetPreferencesPayload], []string{`{"a":null,"":[1.5]}`}},
	{"lists", "replace_questions.payload", again[surveys.ReplaceQuestionsPayload], []string{
		`{"survey":"","questions":[{"text":"","choices":[],"pages":[null,{"number":1}]}],"answers":[null,1.1],"matrix":[[],[1]],"hints":[{"a":"b"}],"order":null}`,
	}},
	{"map", "label_workload.payload", again[labels.LabelWorkloadPayload], []string{`{"name":"w","labels":{"a":"1"},"quotas":{"":0.1},"notes":{"x":null}}`}},
	{"map_of_objects", "grant_access.payload", again[access.GrantAccessPayload], []string{
		`{"project":"p","members":{"a":{"role":"owner","until":null}},"teams":{"t":[{"environment":"e","deploy":true}]}}`,
	}},
	{"nullable_union", "schedule_job.payload", again[schedules.ScheduleJobPayload], []string{
		`{"job":"j","trigger":{"kind":"every","seconds":1},"pause":null,"others":{"a":{"kind":"at","at":"2026-03-01T12:00:00Z"}}}`,
	}},
	{"open_object", "update_contact.payload", again[contacts.UpdateContactPayload], []string{
		`{"id":1,"email":"a@b.c","custom":{"source":"","Source":{"a":1e3}},"prices":{"currency":"EUR","x":0.5}}`,
	}},
	{"optional_nullable", "update_issue.payload", again[issues.UpdateIssuePayload], []string{
		`{"id":1,"description":null,"estimate":1.5,"labels":["a"],"due":null,"priority":3,"meta":{"a":"b"}}`, `{"id":1,"labels":null,"meta":null,"priority":null}`,
	}},
	{"optional_nullable_object", "update_person.payload", again[people.UpdatePersonPayload], []string{
		`{"id":"","address":{"city":"","country":{"code":null}}}`, `{"id":"","description":"","address":null}`,
	}},
	{"raw", "set_cell.payload", again[cells.SetCellPayload], []string{
		`{"name":"","value":{"a":null},"rule":1.5,"keys":["a"],"range":["a",1],"anything":[],"mixed":[1,2],"options":{"x":null},"rows":[1],"tags":["a",1]}`,
	}},
	{"recursive_list", "set_layout.payload", again[layouts.SetLayoutPayload], []string{`{"page":"","rows":[[],[[]]],"folders":{"a":{"":{}}},"more":null}`}},
	{"recursive_tree", "replace_menu.payload", again[menus.ReplaceMenuPayload], []string{
		`{"id":"","root":{"title":"","shortcut":{"title":"","shortcut":null,"weight":0.1},"below":[],"next":null,"by_language":{}}}`,
	}},
	{"references", "place_order.payload", again[orders.PlaceOrderPayload], []string{
		`{"billing":{"street":"","zip/code":""},"items":[{"sku":"","price":{"amount":1}}],"follow_up":{"billing":{"street":""},"items":[]}}`,
	}},
	{"state_kinds", "thing.state", again[kinds.ThingState], []string{fullThing}},
	{"union", "move_page.payload", again[pages.MovePagePayload], []string{
		`{"id":"","parent":{"type":"page_id","page_id":"a"},"fallbacks":[{"type":"workspace"},{"type":"database_id","database_id":"d","rank":1}]}`,
	}},
	{"wide_integer", "set_balance.payload", again[tokens.SetBalancePayload], []string{`{"owner":"","amount":18446744073709551616,"held":null,"splits":[1e30,-1]}`}},
}

// FuzzWhatASchemaTakesItsTypeHolds looks for a value that a schema takes, and that its Go type changes or refuses.
func FuzzWhatASchemaTakesItsTypeHolds(f *testing.F) {
	compiled := make([]*jsonschema.Schema, len(typedSchemas))
	for i, s := range typedSchemas {
		compiled[i] = compile(f, s)
		for _, seed := range s.seeds {
			f.Add(uint8(i), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, raw []byte) {
		i := int(which) % len(typedSchemas)
		canonical, err := exact.Canonical(raw, exact.DefaultLimits)
		if err != nil {
			return
		}
		tree, err := exact.Tree(canonical)
		if err != nil {
			t.Fatal(err)
		}
		if compiled[i].Validate(tree) != nil {
			return
		}
		if got, err := typedSchemas[i].again(canonical); err != nil || !bytes.Equal(got, canonical) {
			t.Errorf("%s: %s came back as %s, %v", typedSchemas[i].schema, canonical, got, err)
		}
	})
}

func TestSeedsOfTheFuzzTargetAreTaken(t *testing.T) {
	t.Parallel()
	for _, s := range typedSchemas {
		for _, seed := range s.seeds {
			canonical, err := exact.Canonical([]byte(seed), exact.DefaultLimits)
			check(t, seed, err)
			tree, err := exact.Tree(canonical)
			check(t, seed, err)
			check(t, seed, compile(t, s).Validate(tree))
		}
	}
}

// compile makes a validator of a schema that is handed out.
func compile(t testing.TB, s typed) *jsonschema.Schema {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../../testdata/golden", s.golden, "want/spec.changeset.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schemas map[string]json.RawMessage
	if err := json.Unmarshal(content, &schemas); err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	if err := c.AddResource(s.schema, bytes.NewReader(schemas[s.schema])); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile(s.schema)
	if err != nil {
		t.Fatalf("%s: %v", s.schema, err)
	}
	return compiled
}
