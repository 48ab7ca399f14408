package field_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"runtime/debug"
	"testing"

	"github.com/changesetgen/changesetgen/generator"
	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
)

// specFile is what every spec is called, and so what messages begin with.
const specFile = "field.changeset.yaml"

// subject is a schema from the field, as the payload of an operation.
type subject struct {
	from    string // where it was found, for messages
	name    string // of the operation
	payload any
	result  map[string]any // nil for none
	shared  map[string]any // definitions of the document that it refers to
	open    bool           // with closing off

	accepted bool // by spec.Read
	faults   diag.List
	spec     *spec.Spec // of this operation alone; nil unless accepted
	schema   any        // what is handed out for the payload
	served   string     // the server, and the package, that has it
}

// tool is the name of its preview tool.
func (s *subject) tool() string { return s.served + "_preview_" + s.name }

// document is a spec of operations that change nothing and show their whole payload.
func document(name string, subjects ...*subject) []byte {
	operations, definitions := map[string]any{}, map[string]any{}
	for _, s := range subjects {
		maps.Copy(definitions, s.shared)
		operation := map[string]any{
			"payload": s.payload, "observe": "none", "summary": "Try", "apply": "go", "undo": "none",
			"diff": []any{map[string]any{"label": "payload", "after": "payload"}},
		}
		if s.open {
			operation["open"] = true
		}
		if s.result != nil {
			operation["result"] = s.result
		}
		operations[s.name] = operation
	}
	return encode(map[string]any{
		"version": 1, "package": name, "server": map[string]any{"name": name}, "prefix": name + "_", "$defs": definitions, "operations": operations,
	})
}

// whole is the schema of the payload with all that it refers to.
func (s *subject) whole() any {
	payload, ok := s.payload.(map[string]any)
	if !ok || s.shared == nil {
		return s.payload
	}
	payload = maps.Clone(payload)
	payload["$defs"] = s.shared
	return payload
}

// encode writes JSON as a spec may hold it: characters as themselves, numbers as they were written.
func encode(v any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(v); err != nil {
		panic(err) // it was JSON
	}
	return out.Bytes()
}

// read reads a subject as a spec of its own.
func (s *subject) read(t *testing.T) {
	t.Helper()
	defer func() {
		if cause := recover(); cause != nil {
			t.Errorf("%s: panic: %v\n%s", s.from, cause, debug.Stack())
		}
	}()
	if s.spec, s.faults = spec.Read(specFile, document("alone", s)); len(s.faults) > 0 {
		return
	}
	files, err := generator.Generate(s.spec)
	check(t, s.from, err)
	var schemas map[string]any
	decodeTo(t, files["field.changeset.json"], &schemas)
	s.accepted, s.schema = true, schemas[s.name+".payload"]
}

// generateAll makes the files of a spec of several subjects, all of them accepted.
func generateAll(t *testing.T, name string, subjects []*subject) map[string][]byte {
	t.Helper()
	src := document(name, subjects...)
	s, faults := spec.Read(specFile, src)
	if len(faults) > 0 {
		_ = faults.Write(t.Output(), map[string][]byte{specFile: src})
		t.Fatalf("%s: its operations are accepted alone, and refused together", name)
	}
	files, err := generator.Generate(s)
	check(t, name, err)
	return files
}
