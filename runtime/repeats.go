package runtime

import (
	"slices"

	"github.com/changesetgen/changesetgen/runtime/internal/place"
	"github.com/changesetgen/changesetgen/runtime/internal/secret"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What is sensitive in the payload of a change may stand unmarked in what it left behind, as in the state that repeats it. It
// is hidden there too: whoever asked knows it, so that nothing can be learnt from that, and nobody decides by it. What is
// sensitive in a state is hidden by its place alone.

// tellable are differences as anybody may be told them.
func (e *erased) tellable(changed []state.Difference, r *ledger.Record) []state.Difference {
	if !e.isSensitive() {
		return withoutSecrets(changed, r, nil)
	}
	return withoutSecrets(changed, r, secret.Find(e.payload, r.Payload).Pointers)
}

// withoutSecrets is tellable where no operation is known, only what the record says is sensitive, and these places in its
// payload.
func withoutSecrets(changed []state.Difference, r *ledger.Record, inPayload []string) []state.Difference {
	changed = state.InFields(changed)
	if inPayload == nil && r.Sensitive == nil && r.SensitiveNow == nil {
		return changed
	}
	fixed, now, err := sensitiveOf(r)
	if err != nil {
		return state.Without(changed, wholeHidden())
	}
	asked := secret.In(r.Payload, slices.Concat(fixed.Payload, inPayload))
	s, err := secret.Gather(asked)
	if err != nil {
		return state.Without(changed, wholeHidden())
	}
	hidden := &place.Set{}
	for _, pointer := range slices.Concat(fixed.State, now.Before, now.After) {
		hidden.Add(place.At(pointer))
	}
	for _, d := range changed {
		if i := slices.IndexFunc(d.At, s.IsWithin); i >= 0 {
			hidden.Add(d.At[:i])
		} else if s.IsIn(d.Was) || s.IsIn(d.Now) {
			hidden.Add(d.At)
		}
	}
	return state.Without(changed, hidden)
}

// wholeHidden is all that there is.
func wholeHidden() *place.Set {
	all := &place.Set{}
	all.Add(nil)
	return all
}
