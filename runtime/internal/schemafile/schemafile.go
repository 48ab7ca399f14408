// Package schemafile reads the generated file of schemas: what the payload, the state and the result of an operation are,
// and what clients are shown of them.
package schemafile

import (
	"encoding/json"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/requestid"
)

// File is the schema file of a spec. Each schema is compiled once, when it is first asked for.
type File struct {
	raw      map[string]json.RawMessage
	compiled map[compiledSchema]*payload.Schema
}

// compiledSchema is a schema as an operation wants it: those that share a resource may differ in whether formats count.
type compiledSchema struct {
	name    string
	options payload.Options
}

const (
	slack = 1 << 20 // room for numbers, which the limit counts as the canonical form writes them out
	depth = 1000    // schemas nest deeper than the payloads they describe
)

// Read reads a file strictly: what encoding/json would pass over is an error, a name that comes twice above all.
func Read(file []byte) (*File, error) {
	if _, err := exact.Canonical(file, exact.Limits{Bytes: len(file) + slack, Depth: depth}); err != nil {
		return nil, fmt.Errorf("Spec.Schemas: %w", err)
	}
	f := &File{compiled: map[compiledSchema]*payload.Schema{}}
	if err := json.Unmarshal(file, &f.raw); err != nil {
		return nil, fmt.Errorf("Spec.Schemas: give the generated file, a JSON object of schemas: %w", err)
	}
	return f, nil
}

// Required compiles the schema of that name.
func (f *File) Required(name string, options payload.Options) (*payload.Schema, error) {
	schema, err := f.Optional(name, options)
	if err == nil && schema == nil {
		err = fmt.Errorf("schema %s is missing in Spec.Schemas: generate the file again, or add it", name)
	}
	return schema, err
}

// Optional is Required for a schema that need not be there; it is then nil.
func (f *File) Optional(name string, options payload.Options) (*payload.Schema, error) {
	key := compiledSchema{name, options}
	if c := f.compiled[key]; c != nil {
		return c, nil
	}
	raw, ok := f.raw[name]
	if !ok {
		return nil, nil
	}
	c, err := payload.Compile(name, raw, options)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	f.compiled[key] = c
	return c, nil
}

// PreviewInput is the schema of all that a preview takes: the payload and a request id, of which clients are told so.
func (f *File) PreviewInput(operation, aboutRequestID string) (json.RawMessage, error) {
	if err := requestid.CheckUnused(f.raw[operation+".payload"]); err != nil {
		return nil, err
	}
	shown, err := payload.Unmarked(f.arguments(operation))
	if err != nil {
		return nil, fmt.Errorf("schema %s.payload: %w", operation, err)
	}
	return requestid.AddTo(shown, aboutRequestID)
}

// arguments is the schema that clients are shown for a preview: without what some of them cannot take, where the payload
// has that.
func (f *File) arguments(operation string) json.RawMessage {
	if shown, ok := f.raw[operation+".arguments"]; ok {
		return shown
	}
	return f.raw[operation+".payload"]
}

// ResultOutput is the schema of what clients get of a result: of its sensitive values, hidden in their place. It is nil
// where there is no result, and where a schema cannot say so.
func (f *File) ResultOutput(operation, hidden string) (json.RawMessage, error) {
	result, ok := f.raw[operation+".result"]
	if !ok {
		return nil, nil
	}
	shown, ok, err := payload.Redacted(result, hidden)
	if err != nil {
		return nil, fmt.Errorf("schema %s.result: %w", operation, err)
	}
	if !ok {
		return nil, nil
	}
	return shown, nil
}
