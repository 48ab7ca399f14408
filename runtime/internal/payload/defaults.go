package payload

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// filler is what a schema fills into a value that it always applies to. It follows properties, items, $ref, allOf, and
// a union whose only other branch is null. Elsewhere it is not sure which schema applies, so nothing is filled in.
type filler struct {
	members  []*member
	patterns []patternFiller
	others   *filler // of members that are neither of the above; may be nil, as any filler
	prefix   []*filler
	items    *filler // of items after the prefix
	also     []*filler
}

// member is a property of an object.
type member struct {
	name       string
	rule       *rule
	filler     *filler
	hasDefault bool
	given      any    // the default as the schema has it
	fallback   []byte // canonical bytes of the default, itself filled in, once it is done
	state      completion
}

type patternFiller struct {
	pattern
	filler *filler
}

// completion is how far filling in a default itself has come. After Compile it is done everywhere.
type completion int

const (
	waiting completion = iota
	running
	done
)

// fill changes tree in place. It says whether it filled anything in, and refuses to fill in more than limits allow.
func (f *filler) fill(tree any, limits exact.Limits) (filled bool, err error) {
	run := &filling{room: cmp.Or(limits.Bytes, exact.DefaultLimits.Bytes), steps: maxSteps}
	err = f.into(tree, run)
	return run.filled, err
}

// filling is one run of fill.
type filling struct {
	room   int // bytes of defaults that may still be filled in
	steps  int // that are left
	filled bool
}

func (run *filling) spend(steps int) error {
	if run.steps -= steps; run.steps < 0 {
		return &TooComplex{}
	}
	return nil
}

func (f *filler) into(value any, run *filling) error {
	if f == nil {
		return nil
	}
	err := run.spend(1)
	if err != nil {
		return err
	}
	switch v := value.(type) {
	case map[string]any:
		err = f.intoObject(v, run)
	case []any:
		err = f.intoItems(v, run)
	}
	for _, also := range f.also {
		if err == nil {
			err = also.into(value, run)
		}
	}
	return err
}

func (f *filler) intoObject(object map[string]any, run *filling) error {
	if err := run.spend(len(f.members) / stepMembers); err != nil {
		return err
	}
	for _, m := range f.members {
		value, there := object[m.name]
		var err error
		switch {
		case there:
			err = m.filler.into(value, run)
		case m.hasDefault:
			object[m.name], err = run.take(m)
		}
		if err != nil {
			return err
		}
	}
	if len(f.patterns) == 0 && f.others == nil {
		return nil
	}
	for name, value := range object {
		parts, cost := f.unnamed(name)
		if err := run.spend(cost); err != nil {
			return err
		}
		for _, part := range parts {
			if err := part.into(value, run); err != nil {
				return err
			}
		}
	}
	return nil
}

// unnamed are the fillers of a member that apply by the look of its name, and the steps that it took to find them.
func (f *filler) unnamed(name string) (parts []*filler, cost int) {
	for _, p := range f.patterns {
		cost += p.cost(name)
		if p.expression.MatchString(name) {
			parts = append(parts, p.filler)
		}
	}
	isMember := slices.ContainsFunc(f.members, func(m *member) bool { return m.name == name })
	if len(parts) == 0 && !isMember {
		parts = append(parts, f.others)
	}
	return parts, cost + len(f.members)/stepMembers
}

func (f *filler) intoItems(items []any, run *filling) error {
	for i, item := range items {
		part := f.items
		if i < len(f.prefix) {
			part = f.prefix[i]
		}
		if err := part.into(item, run); err != nil {
			return err
		}
	}
	return nil
}

// take returns a fresh copy of a default.
func (run *filling) take(m *member) (any, error) {
	if err := m.complete(); err != nil {
		return nil, err
	}
	run.room -= len(m.fallback)
	if run.room < 0 {
		return nil, &exact.Error{Offset: -1, Cause: exact.ErrTooLarge, Detail: "the defaults of the schema do not fit in; send less"}
	}
	run.filled = true
	return exact.Tree(m.fallback)
}

// complete fills in a default itself, once.
func (m *member) complete() error {
	switch m.state {
	case done:
		return nil
	case running:
		return fmt.Errorf("%s: the default holds itself without end; leave it out", m.rule.place())
	}
	m.state = running
	given, err := exact.FromTree(m.given)
	if err != nil {
		return err
	}
	tree, err := exact.Tree(given) // a copy, as filling in changes it
	if err != nil {
		return err
	}
	if _, err := m.filler.fill(tree, exact.DefaultLimits); err != nil {
		return err
	}
	m.fallback, err = exact.FromTree(tree)
	m.state = done
	return err
}
