package schemafile_test

import (
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/schemafile"
)

const file = `{
	"pay.payload": {"type": "object", "properties": {"amount": {"type": "integer"}}},
	"pay.result": {"type": "object", "properties": {"code": {"type": "string", "x-sensitive": true}}, "additionalProperties": false},
	"ship.payload": {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
	"ship.arguments": {"type": "object"},
	"bad.payload": {"type": "nothing"},
	"taken.payload": {"type": "object", "required": ["request_id"]},
	"taken.arguments": {"type": "object"}
}`

func read(t *testing.T) *schemafile.File {
	t.Helper()
	f, err := schemafile.Read([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFileIsReadStrictly(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "[]", `{"a":{},"a":{}}`, `{"a":NaN}`} {
		if _, err := schemafile.Read([]byte(bad)); err == nil || !strings.Contains(err.Error(), "Spec.Schemas") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestSchemaIsCompiledOnce(t *testing.T) {
	t.Parallel()
	f := read(t)
	first, err := f.Required("pay.payload", payload.Options{})
	if again, other := f.Required("pay.payload", payload.Options{}); err != nil || other != nil || first == nil || again != first {
		t.Errorf("%p and %p, %v, %v", first, again, err, other)
	}
	if _, err := f.Required("pay.state", payload.Options{}); err == nil || !strings.Contains(err.Error(), "pay.state is missing") {
		t.Errorf("a schema that is missing: %v", err)
	}
	if schema, err := f.Optional("pay.state", payload.Options{}); err != nil || schema != nil {
		t.Errorf("a schema that need not be there: %v, %v", schema, err)
	}
	if _, err := f.Optional("bad.payload", payload.Options{}); err == nil || !strings.Contains(err.Error(), "bad.payload") {
		t.Errorf("a schema that is none: %v", err)
	}
}

func TestClientsAreShownTheSchemaMeantForThem(t *testing.T) {
	t.Parallel()
	f := read(t)
	for operation, want := range map[string]string{"pay": "amount", "ship": "properties"} {
		shown, err := f.PreviewInput(operation, "A name of your choice.")
		if err != nil || !strings.Contains(string(shown), want) || !strings.Contains(string(shown), "A name of your choice.") ||
			strings.Contains(string(shown), "oneOf") {
			t.Errorf("%s: %s, %v", operation, shown, err)
		}
	}
	if shown, err := f.PreviewInput("taken", "x"); err == nil {
		t.Errorf("a payload with the name of the request id: %s", shown)
	}
	shown, err := f.ResultOutput("pay", "(hidden)")
	if err != nil || !strings.Contains(string(shown), "(hidden)") {
		t.Errorf("a sensitive result: %s, %v", shown, err)
	}
	if shown, err := f.ResultOutput("ship", "(hidden)"); err != nil || shown != nil {
		t.Errorf("no result: %s, %v", shown, err)
	}
}
