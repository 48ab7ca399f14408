package shown

import (
	"encoding/json"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// keptChange and keptLine are a Change and a Line with their fields in the order of their names in JSON, so that what they are
// written as is canonical.
type (
	keptChange struct {
		Compensates bool       `json:"compensates,omitzero"`
		Loses       string     `json:"loses,omitzero"`
		NeedsResult bool       `json:"needs_result,omitzero"`
		Rows        []keptLine `json:"rows"`
		Summary     string     `json:"summary"`
	}
	keptLine struct {
		After           json.RawMessage `json:"after,omitzero"`
		Asked           bool            `json:"asked,omitzero"`
		Before          json.RawMessage `json:"before,omitzero"`
		Context         bool            `json:"context,omitzero"`
		Field           string          `json:"field"`
		KnownAfterApply bool            `json:"known_after_apply,omitzero"`
		Sensitive       string          `json:"sensitive,omitzero"`
	}
)

// Encode is the canonical JSON of it. The values of its rows must be canonical.
func (s Change) Encode() ([]byte, error) {
	kept := keptChange{
		Compensates: s.Compensates, Loses: s.Loses, NeedsResult: s.NeedsResult, Rows: make([]keptLine, len(s.Rows)), Summary: s.Summary,
	}
	for i, l := range s.Rows {
		kept.Rows[i] = keptLine{
			After: l.After, Asked: l.Asked, Before: l.Before, Context: l.Context, Field: l.Field,
			KnownAfterApply: l.KnownAfterApply, Sensitive: l.Sensitive,
		}
	}
	return exact.Marshal(kept)
}
