package runtime

import (
	"encoding/json"

	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What the preview promised is not what an undo writes over. That is the state as the look after apply found it, or a
// later one, with whatever others had written by then. Whoever agrees to an undo is shown it, and decides on it.

// unlookedAt tells that nobody knows what an applied change left, so that the first undo only looks.
func unlookedAt(r *ledger.Record) bool {
	return r.Status == ledger.Applied && hasUndo(r) && r.State != nil && r.After == nil
}

// leftBy are the rows of what differs between the states before an apply and after it; nil where that is not known.
// Operators have no operations, so nothing tells them what is volatile: that is among it.
func leftBy(r *ledger.Record) []shown.Line {
	if r.Status != ledger.Applied || !hasUndo(r) || r.Before == nil || r.After == nil {
		return nil
	}
	changed, err := state.Bind(nil, nil, nil).Compare(r.Before, r.After)
	if err != nil {
		return nil // damaged, and told as that where it counts
	}
	var lines []shown.Line
	for _, d := range withoutSecrets(changed, r, nil) {
		line := shown.Line{Field: visible.Value(d.Field()), Before: d.Was, After: d.Now}
		if d.Sensitive {
			line.Sensitive = shown.SensitiveChanged
		}
		lines = append(lines, line)
	}
	return lines
}

// showLeft shows what an apply left.
func (v *View) showLeft(r *ledger.Record) {
	v.Unlooked = unlookedAt(r)
	for _, l := range leftBy(r) {
		v.Left, v.LeftLines = append(v.Left, DiffRow(l)), append(v.LeftLines, l.Text())
	}
}

// leftDigest is over what showLeft shows, or over what was found after an apply where nobody had looked before it: that has no
// rows, and a yes from before the look is no yes to it.
func leftDigest(r *ledger.Record) string {
	if unlookedAt(r) {
		return "unlooked"
	}
	if r.Status == ledger.Applied && hasUndo(r) && r.Before == nil && r.After != nil {
		return digestOf("left unseen", string(r.After))
	}
	rows, err := json.Marshal(leftBy(r))
	if err != nil {
		return "unreadable" // the states are damaged
	}
	return digestOf("left", string(rows))
}
