package payload

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// planDefaults builds the fillers of a schema and completes its defaults. One that does not fit its own schema is an
// error here, as it would make every value without it invalid.
func (s *Schema) planDefaults() error {
	p := &planner{schema: s, built: map[*jsonschema.Schema]*filler{}}
	root := p.filler(s.compiled)
	for _, m := range p.defaults {
		if err := m.complete(); err != nil {
			return err
		}
		if err := s.checkDefault(m); err != nil {
			return err
		}
	}
	if len(p.defaults) > 0 {
		s.defaults = root
	}
	return nil
}

func (s *Schema) checkDefault(m *member) error {
	tree, err := exact.Tree(m.fallback)
	if err != nil {
		return err
	}
	if err := s.validateBy(m.schema, tree); err != nil {
		return fmt.Errorf("%s: the default does not fit: %w", place(pointerOf(fragment(m.schema.Location))), err)
	}
	return nil
}

// planner builds one filler for each schema.
type planner struct {
	schema   *Schema
	built    map[*jsonschema.Schema]*filler
	defaults []*member // those that have one
}

func (p *planner) filler(part *jsonschema.Schema) *filler {
	if part == nil {
		return nil
	}
	if f, ok := p.built[part]; ok {
		return f
	}
	f := &filler{}
	p.built[part] = f // before its parts, which may refer back to it
	for _, name := range slices.Sorted(maps.Keys(part.Properties)) {
		f.members = append(f.members, p.member(name, part.Properties[name]))
	}
	for name, schema := range part.PatternProperties {
		f.patterns = append(f.patterns, pattern{name: name, filler: p.filler(schema)})
	}
	slices.SortFunc(f.patterns, func(a, b pattern) int { return cmp.Compare(a.name.String(), b.name.String()) })
	if others, ok := part.AdditionalProperties.(*jsonschema.Schema); ok {
		f.others = p.filler(others)
	}
	for _, schema := range part.PrefixItems {
		f.prefix = append(f.prefix, p.filler(schema))
	}
	f.items = p.filler(part.Items2020)
	for _, schema := range slices.Concat(always(part), unlessNull(part.AnyOf), unlessNull(part.OneOf)) {
		f.also = append(f.also, p.filler(schema))
	}
	return f
}

func (p *planner) member(name string, schema *jsonschema.Schema) *member {
	m := &member{name: name, schema: schema, filler: p.filler(schema)}
	if m.given, m.hasDefault = p.given(schema); m.hasDefault {
		p.defaults = append(p.defaults, m)
	}
	return m
}

// given finds the default of a schema, its own before those of the schemas that always apply with it.
func (p *planner) given(schema *jsonschema.Schema) (any, bool) {
	if value, ok := p.schema.node(schema)["default"]; ok {
		return value, true
	}
	for _, part := range always(schema) {
		if value, ok := p.given(part); ok {
			return value, true
		}
	}
	return nil, false
}

// always lists the schemas that a schema applies to the same value without a condition.
func always(s *jsonschema.Schema) []*jsonschema.Schema {
	return append(appendSchema(nil, s.Ref), s.AllOf...)
}

// unlessNull returns the one branch of a union that a value other than null can be of, if there is only one.
func unlessNull(union []*jsonschema.Schema) []*jsonschema.Schema {
	isNull := func(s *jsonschema.Schema) bool { return slices.Equal(s.Types, []string{"null"}) }
	rest := slices.DeleteFunc(slices.Clone(union), isNull)
	if len(rest) != 1 {
		return nil
	}
	return rest
}
