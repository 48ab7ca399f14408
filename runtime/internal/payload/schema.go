package payload

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// Schema is one compiled JSON Schema. It is safe for concurrent use.
type Schema struct {
	name     string
	doc      any // the schema as it was written, canonical
	root     *rule
	defaults *filler
}

const (
	// draft is what every schema is read as, whether it says so or not.
	draft = "https://json-schema.org/draft/2020-12/schema"
	// base is what references are relative to; nothing is ever loaded from there.
	base = "changeset:///"
	// address stands for the one document there is.
	address = base + "schema"
)

// schemaLimits bound a schema, which comes from the author of the server. Schemas nest deeper than what they describe.
var schemaLimits = exact.Limits{Bytes: 4 << 20, Depth: 1000}

// Compile reads a schema. Its errors say what in the schema is wrong and do not repeat the name, which is for the
// errors of Accept and Validate.
func Compile(name string, schema []byte, options Options) (*Schema, error) {
	canonical, err := exact.Canonical(schema, schemaLimits)
	if err != nil {
		return nil, err
	}
	s := &Schema{name: name}
	if s.doc, err = exact.Tree(canonical); err != nil {
		return nil, err
	}
	if err := checkDocument(s.doc); err != nil {
		return nil, err
	}
	var compiled *jsonschema.Schema
	err = guarded(func() error {
		compiled, err = s.compile()
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.build(compiled, options); err != nil {
		return nil, err
	}
	if err := s.planDefaults(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Schema) compile() (*jsonschema.Schema, error) {
	text, err := s.declared()
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	compiler.LoadURL = func(url string) (io.ReadCloser, error) { return nil, refuseAddress(url) }
	if err := compiler.AddResource(address, strings.NewReader(text)); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile(address)
	if err != nil {
		return nil, compileError(err)
	}
	return compiled, nil
}

// node is the object that a schema was read from; nil for true and false, and for what is not in this document.
func (s *Schema) node(location string) map[string]any {
	document, fragment, _ := strings.Cut(location, "#")
	if document != address {
		return nil
	}
	value, _ := lookup(s.doc, tokensOf(fragment))
	object, _ := value.(map[string]any)
	return object
}

// declared returns the text of the schema with its draft in it. Where none is named, the library asserts format.
func (s *Schema) declared() (string, error) {
	object, ok := s.doc.(map[string]any)
	if ok {
		if named, ok := object["$schema"]; ok && named != draft {
			return "", fmt.Errorf("$schema is %s; write schemas for %s", show(named), draft)
		}
		object["$schema"] = draft
	}
	text, err := exact.FromTree(s.doc)
	return string(text), err
}

func refuseAddress(url string) error {
	return fmt.Errorf("$ref to %s: a schema can refer only to its own parts, as in #/$defs/name", printable(strings.TrimPrefix(url, base)))
}

// compileError leaves out the name of the library and an address that nobody has seen.
func compileError(err error) error {
	var wrapped *jsonschema.SchemaError
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		for len(invalid.Causes) > 0 {
			invalid = invalid.Causes[0]
		}
		return fmt.Errorf("%s: %s", place(pointerOf(invalid.InstanceLocation)), printable(invalid.Message))
	}
	return errors.New(strings.NewReplacer("jsonschema: ", "", address, "").Replace(err.Error()))
}

// guarded makes an error of a panic of the library, which is not written for schemas from outside.
func guarded(call func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the schema cannot be evaluated: %s", printable(fmt.Sprint(cause)))
		}
	}()
	return call()
}
