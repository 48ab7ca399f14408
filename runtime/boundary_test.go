package runtime_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
)

// A message of any size is answered, and the session goes on. What is too large is refused in the same way whatever tool
// it is for.
func TestMessagesOfAnySizeAreAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.options.MaxPayloadBytes = 2 * exact.DefaultLimits.Bytes })
	c := talk(t, w, 0)
	setting := func(bytes int) string {
		return fmt.Sprintf(`{"key":"theme","value":"%s"}`, strings.Repeat("x", bytes))
	}
	refused := func(id, tool, arguments, code string) {
		t.Helper()
		c.send(t, callLine(id, tool, arguments))
		m := c.receive(t)
		r, err := readReply(m.Result)
		if err != nil || string(m.ID) != id || r.Code != code {
			t.Errorf("id %s: %v, %v, %.300s", id, m.Error, err, m.Result)
		}
		c.wantAlive(t)
	}
	refused("1", "preview_set_setting", setting(900<<10), "invalid_payload") // read, and longer than its schema allows
	refused("2", "preview_set_setting", setting(1<<20), "too_large")
	refused("3", "apply_set_setting", `{"change_id":"`+strings.Repeat("x", 1<<20)+`"}`, "invalid_arguments")
	for id, tool := range map[string]string{"4": "preview_set_setting", "5": "apply_set_setting"} {
		c.sendSetting(t, id, tool, 40)
		m := c.receive(t)
		if string(m.ID) != id || m.Error == nil || m.Error.Code != jsonrpc.CodeInvalidRequest ||
			!strings.Contains(m.Error.Message, fmt.Sprintf("longer than %d bytes", runtime.DefaultMaxLine)) {
			t.Errorf("id %s: %v, %.300s", m.ID, m.Error, m.Result)
		}
		c.wantAlive(t)
	}
}

// sendSetting calls a tool with a value of so many MiB, of which no more than one is in memory at once.
func (c *lineClient) sendSetting(t *testing.T, id, tool string, mebibytes int) {
	t.Helper()
	before, after, _ := strings.Cut(callLine(id, tool, `{"key":"theme","value":"…"}`), "…")
	parts := slices.Repeat([]string{strings.Repeat("x", 1<<20)}, mebibytes)
	for _, part := range slices.Concat([]string{before}, parts, []string{after, "\n"}) {
		if _, err := io.WriteString(c.in, part); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPayloadOfASizeThatIsAllowedIsPreviewedAndApplied(t *testing.T) {
	t.Parallel()
	schemas := strings.Replace(schemaFile, `"maxLength": 100000`, `"maxLength": 300000`, 1)
	w := newWorld(t, func(w *world) {
		w.options.MaxPayloadBytes = 2 * exact.DefaultLimits.Bytes
		w.spec.Schemas = []byte(schemas)
	})
	long := strings.Repeat("x", 300_000)
	p := w.preview(t, "theme", long)
	if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" || w.value(t, "theme") != long {
		t.Errorf("%.300s", a.raw)
	}
}

type (
	dueNote struct {
		ID       string  `json:"id"`
		DueDate  *string `json:"due_date,omitzero"`
		ClearDue *bool   `json:"clear_due,omitzero"`
		Tags     []any   `json:"tags,omitzero"`
	}
	dueChange = runtime.Change[*dueNote, *runtime.None]
)

// dueSchemas are as the generator writes them for a payload with exactly one of two properties.
const dueSchemas = `{
  "set_due.arguments": {
    "type": "object", "required": ["id"],
    "properties": {"id": {"type": "string"}, "due_date": {"type": "string"}, "clear_due": {"type": "boolean"}, "tags": {"type": "array", "items": {}}},
    "unevaluatedProperties": false
  },
  "set_due.payload": {
    "type": "object", "required": ["id"],
    "properties": {"id": {"type": "string"}, "due_date": {"type": "string"}, "clear_due": {"type": "boolean"}, "tags": {"type": "array", "items": {}}},
    "oneOf": [{"required": ["due_date"]}, {"required": ["clear_due"]}],
    "unevaluatedProperties": false
  }
}`

// newDue serves an operation whose payload clients cannot be shown as it is.
func newDue(t *testing.T) *lineClient {
	t.Helper()
	w := newWorld(t)
	op := &runtime.Operation[*dueNote, *runtime.None, *runtime.None]{
		Meta:    runtime.Meta{Name: "set_due", Digest: "d", UndoDigest: "u"},
		Summary: func(c *dueChange) string { return runtime.Textf("Note %v", c.Payload.ID) },
		Apply:   runtime.NoResult(func(context.Context, *dueChange) error { return nil }),
	}
	if err := w.guard.Register(w.server, runtime.Spec{Server: "notes", Schemas: []byte(dueSchemas)}, op); err != nil {
		t.Fatal(err)
	}
	return talk(t, w, 0)
}

// Some clients drop a tool whose schema has a combinator at its root, or an array without items, or an output that is no
// object. What they are shown is without; what is enforced is not.
func TestClientsAreShownSchemasThatTheyTake(t *testing.T) {
	t.Parallel()
	c := newDue(t)
	c.send(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	listed := c.receive(t)
	tree, err := exact.Canonical(listed.Result, exact.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	value, err := exact.Tree(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range value.(map[string]any)["tools"].([]any) {
		shown := tool.(map[string]any)
		for _, name := range []string{"inputSchema", "outputSchema"} {
			root, _ := shown[name].(map[string]any)
			if root["type"] != "object" {
				t.Errorf("the %s of %v is not that of an object", name, shown["name"])
			}
			for _, keyword := range []string{"oneOf", "anyOf", "allOf", "not", "if"} {
				if _, ok := root[keyword]; ok {
					t.Errorf("the %s of %v has %s at its root", name, shown["name"], keyword)
				}
			}
			requireItems(t, root)
		}
	}
}

// requireItems looks for arrays that say nothing of their items.
func requireItems(t *testing.T, schema any) {
	t.Helper()
	switch schema := schema.(type) {
	case map[string]any:
		if _, ok := schema["items"]; schema["type"] == "array" && !ok {
			t.Errorf("an array without items: %v", schema)
		}
		for _, part := range schema {
			requireItems(t, part)
		}
	case []any:
		for _, part := range schema {
			requireItems(t, part)
		}
	}
}

func TestWhatClientsAreNotShownIsEnforced(t *testing.T) {
	t.Parallel()
	c := newDue(t)
	for _, test := range []struct{ name, arguments, says string }{
		{"both", `{"id":"a","due_date":"2024-01-31","clear_due":true}`,
			`exactly one of 2 alternatives: (1) an object with "due_date", (2) an object with "clear_due"`},
		{"both, told apart", `{"id":"a","due_date":"2024-01-31","clear_due":true}`, `which fits (1) and (2)`},
		{"none", `{"id":"a"}`, `exactly one of 2 alternatives: (1) an object with "due_date", (2) an object with "clear_due", found {"id":"a"}`},
	} {
		c.send(t, callLine("1", "preview_set_due", test.arguments))
		r, err := readReply(c.receive(t).Result)
		if err != nil || r.Code != string(runtime.CodeInvalidPayload) || len(r.Violations) != 1 || r.Violations[0].Pointer != "" ||
			!strings.Contains(r.text, test.says) {
			t.Errorf("%s: %v, %s", test.name, err, r.text)
		}
	}
	for _, arguments := range []string{`{"id":"a","due_date":"2024-01-31"}`, `{"id":"a","clear_due":true,"tags":[1,"x",null]}`} {
		c.send(t, callLine("2", "preview_set_due", arguments))
		if r, err := readReply(c.receive(t).Result); err != nil || r.Status != "preview" {
			t.Errorf("%s: %v, %s", arguments, err, r.text)
		}
	}
}

func TestPayloadThatWouldTakeTooLongToCheckIsRefused(t *testing.T) {
	t.Parallel()
	schemas := strings.Replace(schemaFile, `"minLength": 1, "maxLength": 100000`, `"pattern": "(a{0,500}b){1,2}c{300}$"`, 1)
	w := newWorld(t, func(w *world) { w.spec.Schemas = []byte(schemas) })
	r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": strings.Repeat("a", 500_000)})
	if r.Code != string(runtime.CodeTooComplex) || !strings.Contains(r.Message, "/value") {
		t.Errorf("%.300s", r.raw)
	}
}

func TestFormatsAreAssertedWhereTheOperationSaysSo(t *testing.T) {
	t.Parallel()
	schemas := strings.Replace(schemaFile, `"minLength": 1,`, `"format": "date",`, 1)
	for _, asserts := range []bool{false, true} {
		w := newWorld(t, func(w *world) {
			w.spec.Schemas = []byte(schemas)
			w.operation.AssertFormats = asserts
		})
		r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"})
		if refused := r.Code == string(runtime.CodeInvalidPayload); refused != asserts {
			t.Errorf("asserted %v: %s", asserts, r.raw)
		}
		if r := w.preview(t, "theme", "2024-02-29"); r.Status != "preview" {
			t.Errorf("asserted %v: %s", asserts, r.raw)
		}
	}
}

func TestProcessGoesOnAfterAMessageThatIsTooLarge(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	if err := openTargetDB(t, directory).Close(); err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, inFiles(directory), "")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := p.try(ctx, "preview_set_setting", map[string]string{"key": "theme", "value": strings.Repeat("x", runtime.DefaultMaxLine)})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("longer than %d bytes", runtime.DefaultMaxLine)) {
		t.Errorf("a value of the longest line: %.300v", err)
	}
	wantRefused(t, p.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": strings.Repeat("x", 1<<20)}), "too_large")
	if r := p.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"}); r.Status != "preview" {
		t.Errorf("after that: %s", r.raw)
	}
}
