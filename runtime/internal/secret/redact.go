package secret

import (
	"encoding/json"
	"strconv"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
)

// Find finds what is sensitive in a document by its schema. A document that cannot be read is sensitive as a whole.
func Find(schema *payload.Schema, canonical []byte) Document {
	in := Document{canonical: canonical}
	if schema == nil || canonical == nil {
		return in
	}
	var err error
	if in.Pointers, err = schema.Sensitive(canonical); err != nil {
		in.Pointers = []string{""}
	}
	return in
}

// Redacted is a document with a text instead of each sensitive value; nil stays nil.
func (in Document) Redacted() []byte {
	if len(in.Pointers) == 0 || in.canonical == nil {
		return in.canonical
	}
	tree, err := exact.Tree(in.canonical)
	if err != nil {
		return HiddenJSON()
	}
	for _, pointer := range in.Pointers {
		tree = place.At(pointer).Replace(tree, Hidden)
	}
	redacted, err := exact.FromTree(tree)
	if err != nil {
		return HiddenJSON()
	}
	return redacted
}

// HiddenJSON stands in a document for what is sensitive.
func HiddenJSON() json.RawMessage { return json.RawMessage(strconv.Quote(Hidden)) }

// Redact is a document with every sensitive value in it replaced, and taken out of the texts that repeat it.
func (s *Values) Redact(canonical []byte) []byte {
	if s == nil || !s.IsIn(canonical) {
		return canonical
	}
	tree, err := exact.Tree(canonical)
	if err != nil {
		return HiddenJSON()
	}
	redacted, err := exact.FromTree(s.redactTree(tree))
	if err != nil {
		return HiddenJSON()
	}
	return redacted
}

func (s *Values) redactTree(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		for name, member := range v {
			if s.IsWithin(name) {
				return Hidden // its keys are as sensitive as its values
			}
			v[name] = s.redactTree(member)
		}
		return v
	case []any:
		for i, item := range v {
			v[i] = s.redactTree(item)
		}
		return v
	case string:
		if !s.short[v] {
			return s.Scrub(v)
		}
	}
	if s.isPart(tree) {
		return Hidden
	}
	return tree
}
