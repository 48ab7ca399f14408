// Package conform holds a document against a JSON Schema and says where it differs in the words of the document: at
// the place of the key or value, without the vocabulary of schemas.
package conform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/changesetgen/changesetgen/internal/format"
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// Schema is a compiled JSON Schema of draft 2020-12. It is safe for concurrent use.
type Schema struct {
	root    *jsonschema.Schema
	parts   *parts
	hints   map[string]Hint
	formats bool // are asserted
}

// Hint says what to write instead of a value of the wrong kind.
type Hint struct {
	Text     string
	OrQuotes bool // what is no text to YAML may be meant as text, and then quotes are all that is missing
}

// parts finds the schemas within a schema. The compiler is not safe for concurrent use.
type parts struct {
	address  string
	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

// Compile reads a schema whose address is its own; it may refer to the metaschema of its draft and to nothing else
// outside itself. Hints are by the format of what is expected; without one, text is to be quoted.
func Compile(address string, schema []byte, hints map[string]Hint) (*Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	compiler.Formats = formats
	compiler.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("schema %s is not loaded: nothing is fetched", url)
	}
	if err := compiler.AddResource(address, bytes.NewReader(schema)); err != nil {
		return nil, reason(err, address)
	}
	root, err := compiler.Compile(address)
	if err != nil {
		return nil, reason(err, address)
	}
	return &Schema{root: root, parts: &parts{address: address, compiler: compiler}, hints: hints}, nil
}

// AssertFormats makes Check report values that are not of their format, of the formats that can be asserted.
func (s *Schema) AssertFormats() { s.formats = true }

// Part is the schema at a JSON Pointer, each part of which is escaped for a URL.
func (s *Schema) Part(pointer string) (*Schema, error) {
	root, err := s.parts.compile(s.parts.address + "#" + pointer)
	if err != nil {
		return nil, reason(err, s.parts.address)
	}
	return &Schema{root: root, parts: s.parts, hints: s.hints, formats: s.formats}, nil
}

// reason is why a schema cannot be compiled, without the address that only this package knows it by.
func reason(err error, address string) error {
	var wrapped *jsonschema.SchemaError
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		for len(invalid.Causes) > 0 {
			invalid = invalid.Causes[0]
		}
		return fmt.Errorf("at %q: %s", invalid.InstanceLocation, invalid.Message)
	}
	return errors.New(strings.NewReplacer("jsonschema: ", "", "jsonschema ", "", address, "").Replace(err.Error()))
}

// compile compiles the schema at a location. The library panics where there is something else.
func (p *parts) compile(location string) (schema *jsonschema.Schema, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("no schema at %s: %v", location, cause)
		}
	}()
	return p.compiler.Compile(location)
}

// Check says where the document differs from the schema. It says nothing of values that are reported already.
func (s *Schema) Check(tree *document.Node) diag.List {
	err := s.root.Validate(tree.Value())
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return diag.List{tree.Fault(diag.BadValue, "", "cannot be checked: %v", err)}
	}
	var faults diag.List
	for _, leaf := range s.leaves(invalid) {
		node := resolve(tree, leaf.InstanceLocation)
		if !node.Broken {
			faults = append(faults, s.explain(node, leaf)...)
		}
	}
	faults.Sort()
	return faults
}

// formats are those that can be asserted, as the library takes them.
var formats = func() map[string]func(any) bool {
	all := map[string]func(any) bool{}
	for _, name := range format.Names() {
		all[name] = func(value any) bool {
			text, ok := value.(string)
			return !ok || format.Check(name)(text)
		}
	}
	return all
}()

// leaves are the errors that are not about other errors. What breaks a format is none where formats are annotations, or
// the format cannot be asserted.
func (s *Schema) leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		if keyword(e) == "format" && !s.asserts(e) {
			return nil
		}
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		branch := s.leaves(cause)
		if isChoice(e) && len(all) > 0 && !closer(branch, all, e.InstanceLocation) {
			continue
		}
		if isChoice(e) {
			all = nil
		}
		all = append(all, branch...)
	}
	return all
}

// asserts tells whether an error about a format counts.
func (s *Schema) asserts(e *jsonschema.ValidationError) bool {
	at, err := s.at(e)
	return s.formats && err == nil && format.Check(at.Format) != nil
}

// isChoice tells whether an error is about a choice, of whose alternatives only the nearest is worth naming.
func isChoice(e *jsonschema.ValidationError) bool {
	return keyword(e) == "anyOf" || keyword(e) == "oneOf"
}

// closer tells whether an alternative comes closer to the value at instance than another does: it takes the kind of
// value, and differs within it.
func closer(branch, than []*jsonschema.ValidationError, instance string) bool {
	return distance(branch, instance) < distance(than, instance)
}

// distance orders alternatives: those that differ within the value, those that differ in the value, those that take
// other values only, those that take another kind of value.
func distance(branch []*jsonschema.ValidationError, instance string) int {
	const within, same, listed, kind = 0, 1, 2, 3
	nearest := within
	for _, e := range branch {
		switch {
		case e.InstanceLocation == instance && keyword(e) == "type":
			nearest = max(nearest, kind)
		case e.InstanceLocation == instance && (keyword(e) == "enum" || keyword(e) == "const"):
			nearest = max(nearest, listed)
		case e.InstanceLocation == instance:
			nearest = max(nearest, same)
		}
	}
	return nearest
}

// keyword is the keyword of the schema that an error comes from.
func keyword(e *jsonschema.ValidationError) string {
	return e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
}

// at is the schema that holds the keyword an error comes from.
func (s *Schema) at(e *jsonschema.ValidationError) (*jsonschema.Schema, error) {
	location, _ := strings.CutSuffix(e.AbsoluteKeywordLocation, "/"+keyword(e))
	return s.parts.compile(location)
}
