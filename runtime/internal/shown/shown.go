// Package shown renders what is shown of a change to whoever decides on it: a summary, and a diff in rows. What is kept is
// exact and whole, and all that is ever told comes from that: visible, and cut where an answer has no room, but never so
// that a change is crowded out or two values look the same.
package shown

import (
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// Change is what a person is shown of a change. It is stored as canonical JSON, exact and whole but for what is sensitive,
// and everything that is shown is rendered from those bytes.
type Change struct {
	Summary string `json:"summary"`
	Rows    []Line `json:"rows"`
	Loses   string `json:"loses,omitzero"`
	// Compensates tells that an undo does what comes closest.
	Compensates bool `json:"compensates,omitzero"`
	// NeedsResult tells that an undo cannot do without the result of the apply, which a lost answer takes with it.
	NeedsResult bool `json:"needs_result,omitzero"`
}

// Read decodes what was stored.
func Read(canonical []byte) (Change, error) {
	var s Change
	if err := exact.Decode(canonical, &s); err != nil {
		return Change{}, fmt.Errorf("the stored diff: %w", err)
	}
	return s, nil
}
