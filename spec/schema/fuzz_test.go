package schema_test

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/changesetgen/changesetgen/spec/conform"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// FuzzRead reads any schema: it must not panic, and what it accepts the validator must take, if keywords have values of
// the right kinds. The schema of the language sees to that.
func FuzzRead(f *testing.F) {
	metaschema, err := conform.Compile("https://changesetgen.invalid/form", []byte(`{"$ref": "https://json-schema.org/draft/2020-12/schema"}`), nil)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		properties("a: {type: string, enum: [x], default: x}, b: {type: integer, minimum: 1}"),
		"$defs: {A: {type: array, items: {$ref: '#/$defs/B'}}, B: {oneOf: [{$ref: '#/$defs/A'}, {type: 'null'}]}}\n" + properties("a: {$ref: '#/$defs/A'}"),
		properties("u: {oneOf: [{type: object, required: [k], properties: {k: {const: a}}}, {type: object, required: [k], properties: {k: {const: b}, '': {default: {}}}}]}"),
		properties("a: {$ref: '#'}, 'b/c~%d': {$ref: '#/properties/b~1c~0%25d/not', not: {if: true, then: false}}"),
		properties("a: {type: object, patternProperties: {'^x': {}}, additionalProperties: {prefixItems: [{}, false], items: {type: number}}}"),
		"schema: {type: object, properties: {}, allOf: [{properties: {a: {x-go-type: raw}}}], unevaluatedProperties: {type: string}}",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, src string, open bool) {
		tree, faults := document.Read("f.yaml", []byte(src))
		if len(faults) > 0 || tree.Get("schema") == nil {
			return // there is no schema to read
		}
		reader := schema.NewReader(tree.Get("$defs"))
		root := reader.Read(tree.Get("schema"), place, schema.Options{Open: open, Arguments: true})
		schema.Name(slices.Concat(root.Named, reader.Defs()))
		if len(reader.Faults())+len(reader.Suspects())+len(metaschema.Check(tree))+len(metaschema.Check(tree.Get("schema"))) > 0 {
			return
		}
		for _, handed := range [][]byte{root.JSON, root.Arguments} {
			if handed != nil {
				compile(t, handed)
			}
		}
	})
}

// compile is a schema as the validator reads it, which must take it.
func compile(t *testing.T, handed []byte) *jsonschema.Schema {
	t.Helper()
	const address = "https://changesetgen.invalid/fuzz"
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	compiler.LoadURL = func(string) (io.ReadCloser, error) { return nil, io.ErrUnexpectedEOF }
	if err := compiler.AddResource(address, bytes.NewReader(handed)); err != nil {
		t.Fatalf("%s: %v", handed, err)
	}
	compiled, err := compiler.Compile(address)
	if err != nil {
		t.Fatalf("%s: %v", handed, err)
	}
	return compiled
}
