package payload

import (
	"fmt"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// planDefaults builds the fillers of a schema and completes its defaults. One that does not fit its own schema is an
// error here, as it would make every value without it invalid.
func (s *Schema) planDefaults() error {
	p := &planner{built: map[*rule]*filler{}}
	root := p.filler(s.root)
	for _, m := range p.defaults {
		if err := m.complete(); err != nil {
			return err
		}
		if err := checkDefault(m); err != nil {
			return err
		}
	}
	if len(p.defaults) > 0 {
		s.defaults = root
	}
	return nil
}

func checkDefault(m *member) error {
	tree, err := exact.Tree(m.fallback)
	if err != nil {
		return err
	}
	if err := validate(m.rule, tree); err != nil {
		return fmt.Errorf("%s: the default does not fit: %w", m.rule.place(), err)
	}
	return nil
}

// planner builds one filler for each rule.
type planner struct {
	built    map[*rule]*filler
	defaults []*member // those that have one
}

func (p *planner) filler(u *rule) *filler {
	if u == nil {
		return nil
	}
	if f, ok := p.built[u]; ok {
		return f
	}
	f := &filler{}
	p.built[u] = f // before its parts, which may refer back to it
	for _, name := range u.names {
		f.members = append(f.members, p.member(name, u.properties[name]))
	}
	for _, next := range u.patterns {
		f.patterns = append(f.patterns, patternFiller{next.pattern, p.filler(next.rule)})
	}
	f.others = p.filler(u.additional)
	for _, next := range u.prefix {
		f.prefix = append(f.prefix, p.filler(next))
	}
	f.items = p.filler(u.others)
	for _, next := range u.always {
		f.also = append(f.also, p.filler(next.rule))
	}
	for _, choice := range u.unions {
		if next := unlessNull(choice.branches); next != nil {
			f.also = append(f.also, p.filler(next))
		}
	}
	return f
}

func (p *planner) member(name string, u *rule) *member {
	m := &member{name: name, rule: u, filler: p.filler(u)}
	if m.given, m.hasDefault = u.given(); m.hasDefault {
		p.defaults = append(p.defaults, m)
	}
	return m
}

// given finds the default of a rule, its own before those of the rules that always hold with it.
func (u *rule) given() (any, bool) {
	for _, part := range u.certain() {
		if value, ok := part.node["default"]; ok {
			return value, true
		}
	}
	return nil, false
}

// unlessNull returns the one branch of a union that a value other than null can be of, if there is only one.
func unlessNull(branches []*rule) *rule {
	rest := slices.DeleteFunc(slices.Clone(branches), func(u *rule) bool { return u.constant == nil && u.kinds == kindNull })
	if len(rest) != 1 {
		return nil
	}
	return rest[0]
}
