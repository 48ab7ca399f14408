package runtime

import (
	"slices"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What is sensitive in the payload of a change may stand unmarked in what it left behind, as in the state that repeats it. It
// is hidden there too: whoever asked knows it, so that nothing can be learnt from that, and nobody decides by it. What is
// sensitive in a state is hidden by its place alone.

// tellable are differences as anybody may be told them.
func (e *erased) tellable(changed []difference, r *ledger.Record) []difference {
	changed = inFields(changed)
	if !e.isSensitive() && r.Sensitive == nil && r.SensitiveNow == nil {
		return changed
	}
	fixed, now, err := sensitiveOf(r)
	if err != nil {
		return without(changed, wholeHidden())
	}
	asked := sensitiveIn{r.Payload, slices.Concat(fixed.Payload, find(e.payload, r.Payload).pointers)}
	s, err := secretsOf(asked)
	if err != nil {
		return without(changed, wholeHidden())
	}
	hidden := &place.Set{}
	for _, pointer := range slices.Concat(fixed.State, now.Before, now.After) {
		hidden.Add(place.At(pointer))
	}
	for _, d := range changed {
		if i := slices.IndexFunc(d.at, s.isWithin); i >= 0 {
			hidden.Add(d.at[:i])
		} else if s.isIn(d.was) || s.isIn(d.now) {
			hidden.Add(d.at)
		}
	}
	return without(changed, hidden)
}

// wholeHidden is all that there is.
func wholeHidden() *place.Set {
	all := &place.Set{}
	all.Add(nil)
	return all
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
