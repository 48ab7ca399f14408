package runtime

import (
	"slices"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What is marked as sensitive in one document of a change may stand unmarked in another, as the state that an apply left
// repeats its payload. It is hidden there too.

// tellable are differences as anybody may be told them: of a change, from what a fresh look saw.
func (e *erased) tellable(changed []difference, r *ledger.Record, seen []byte) []difference {
	changed = inFields(changed)
	if !e.isSensitive() && r.Sensitive == nil && r.SensitiveNow == nil {
		return changed
	}
	s, err := e.secretsAround(r, seen)
	if err != nil {
		for i, d := range changed {
			changed[i] = difference{at: d.at, sensitive: true, side: d.side}
		}
		return changed
	}
	return s.hide(changed)
}

// secretsAround are what the running schemas call sensitive in a change and in what was seen of it just now, and what was
// when the change was recorded.
func (e *erased) secretsAround(r *ledger.Record, seen []byte) (*secrets, error) {
	fixed, now, err := sensitiveOf(r)
	if err != nil {
		return nil, err
	}
	recorded := []sensitiveIn{
		{r.Payload, fixed.Payload}, {r.State, fixed.State}, {r.Before, now.Before}, {r.After, now.After}, {r.Result, now.Result},
	}
	return secretsOf(slices.Concat(recorded, e.in(carriedBy(r)), []sensitiveIn{find(e.state, r.State), find(e.state, seen)})...)
}

// hide takes the values out of differences that repeat what is sensitive, or that are in what is called as it is: what
// somebody else wrote there is no value of the change.
func (s *secrets) hide(found []difference) []difference {
	if s == nil {
		return found
	}
	hidden := &places{}
	for _, d := range found {
		if at, ok := s.namedOn(d.at); ok {
			hidden.add(at)
		} else if s.isIn(d.was) || s.isIn(d.now) {
			hidden.add(d.at)
		}
	}
	return without(found, hidden)
}

// namedOn is how far a path may be told that goes through something sensitive: to its name, and not to a key that is
// sensitive itself.
func (s *secrets) namedOn(at path) (path, bool) {
	for i, step := range at {
		switch {
		case s.isWithin(step):
			return at[:i], true
		case s.names[step]:
			return at[:i+1], true
		}
	}
	return nil, false
}

// redact is a document with every sensitive value in it replaced, and taken out of the texts that repeat it.
func (s *secrets) redact(canonical []byte) []byte {
	if s == nil || !s.isIn(canonical) {
		return canonical
	}
	tree, err := exact.Tree(canonical)
	if err != nil {
		return hiddenJSON()
	}
	redacted, err := exact.FromTree(s.redactTree(tree))
	if err != nil {
		return hiddenJSON()
	}
	return redacted
}

func (s *secrets) redactTree(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		for name, member := range v {
			if s.isWithin(name) {
				return hiddenValue // its keys are as sensitive as its values
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
			return s.scrub(v)
		}
	}
	if s.isPart(tree) {
		return hiddenValue
	}
	return tree
}
