package runtime

import (
	"encoding/json"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/requestid"
)

// ToolStyle says which apply and undo tools a spec gets.
type ToolStyle int

// The styles of tools.
const (
	PerOperation ToolStyle = iota // apply_<op> and undo_<op>, which a client can allow one by one
	SharedTools                   // one apply_change and one undo_change for all operations
)

// Spec is everything about a generated spec that does not belong to one operation.
type Spec struct {
	Server  string // name the changes are recorded under; servers that share a ledger have different ones
	Title   string // for people
	Tools   ToolStyle
	Prefix  string // of every tool name; "" for none
	Schemas []byte // the generated schema file: a JSON object of JSON Schemas by name (set_setting.payload)
}

// schemaSet is the schema file of a spec. Each schema is compiled once, when it is first asked for.
type schemaSet struct {
	raw      map[string]json.RawMessage
	compiled map[compiledSchema]*payload.Schema
}

// compiledSchema is a schema as an operation wants it: those that share a resource may differ in whether formats count.
type compiledSchema struct {
	name    string
	options payload.Options
}

// arguments is the schema that clients are shown for a preview: without what some of them cannot take, where the payload
// has that.
func (s *schemaSet) arguments(operation string) json.RawMessage {
	if shown, ok := s.raw[operation+".arguments"]; ok {
		return shown
	}
	return s.raw[operation+".payload"]
}

// previewInput is the schema of all that a preview takes.
func (s *schemaSet) previewInput(operation string) (json.RawMessage, error) {
	if err := requestid.CheckUnused(s.raw[operation+".payload"]); err != nil {
		return nil, err
	}
	shown, err := payload.Unmarked(s.arguments(operation))
	if err != nil {
		return nil, fmt.Errorf("schema %s.payload: %w", operation, err)
	}
	return requestid.AddTo(shown, aboutRequestID)
}

// resultOutput is the schema of what clients get of a result: of its sensitive values, that there are some. It is nil
// where there is no result, and where a schema cannot say so.
func (s *schemaSet) resultOutput(operation string) (json.RawMessage, error) {
	result, ok := s.raw[operation+".result"]
	if !ok {
		return nil, nil
	}
	shown, ok, err := payload.Redacted(result, hiddenValue)
	if err != nil {
		return nil, fmt.Errorf("schema %s.result: %w", operation, err)
	}
	if !ok {
		return nil, nil
	}
	return shown, nil
}

func readSchemas(file []byte) (*schemaSet, error) {
	// The strict reader first: it refuses what encoding/json would pass over, a name that comes twice above all.
	if _, err := exact.Canonical(file, exact.Limits{Bytes: len(file) + schemaSlack, Depth: schemaDepth}); err != nil {
		return nil, fmt.Errorf("Spec.Schemas: %w", err)
	}
	s := &schemaSet{compiled: map[compiledSchema]*payload.Schema{}}
	if err := json.Unmarshal(file, &s.raw); err != nil {
		return nil, fmt.Errorf("Spec.Schemas: give the generated file, a JSON object of schemas: %w", err)
	}
	return s, nil
}

const (
	schemaSlack = 1 << 20 // room for numbers, which the limit counts as the canonical form writes them out
	schemaDepth = 1000    // schemas nest deeper than the payloads they describe
)

// required compiles the schema of that name.
func (s *schemaSet) required(name string, options payload.Options) (*payload.Schema, error) {
	schema, err := s.optional(name, options)
	if err == nil && schema == nil {
		err = fmt.Errorf("schema %s is missing in Spec.Schemas: generate the file again", name)
	}
	return schema, err
}

// optional is required for a schema that need not be there; it is then nil.
func (s *schemaSet) optional(name string, options payload.Options) (*payload.Schema, error) {
	key := compiledSchema{name, options}
	if c := s.compiled[key]; c != nil {
		return c, nil
	}
	raw, ok := s.raw[name]
	if !ok {
		return nil, nil
	}
	c, err := payload.Compile(name, raw, options)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	s.compiled[key] = c
	return c, nil
}
