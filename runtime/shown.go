package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
)

// shown is what a person is shown of a change. It is stored as canonical JSON, exact and whole but for what is sensitive,
// and everything that is shown later is rendered from those bytes.
type shown struct {
	Summary string `json:"summary"`
	Rows    []line `json:"rows"`
	Loses   string `json:"loses,omitzero"`
	// Compensates tells that an undo does what comes closest.
	Compensates bool `json:"compensates,omitzero"`
}

// line is one row of a diff. A nil value is absent; null is `null`.
type line struct {
	Field           string          `json:"field"`
	Before          json.RawMessage `json:"before,omitzero"`
	After           json.RawMessage `json:"after,omitzero"`
	Context         bool            `json:"context,omitzero"`
	KnownAfterApply bool            `json:"known_after_apply,omitzero"`
	Sensitive       string          `json:"sensitive,omitzero"` // changed or unchanged, which is then all there is
}

// What a row says instead of sensitive values.
const (
	sensitiveChanged   = "changed"
	sensitiveUnchanged = "unchanged"
)

// changes tells whether a row says that something becomes different.
func (l line) changes() bool {
	switch {
	case l.Context:
		return false
	case l.Sensitive != "":
		return l.Sensitive == sensitiveChanged
	}
	return l.KnownAfterApply || !bytes.Equal(l.Before, l.After)
}

// redacted is the row without its values. Whether they differ was decided on the values themselves.
func (l line) redacted() line {
	says := sensitiveUnchanged
	if l.changes() {
		says = sensitiveChanged
	}
	return line{Field: l.Field, Context: l.Context, Sensitive: says}
}

// linesOf are the rows that an author's row is shown as, without what it says is sensitive.
func linesOf(row Row) ([]line, error) {
	l, err := newLine(row)
	if err != nil {
		return nil, err
	}
	hidden, err := place.ReadPatterns(row.Hidden)
	switch {
	case err != nil:
		return nil, fmt.Errorf("its Hidden: %w", err)
	case row.SkipAbsent && l.After == nil:
		return nil, nil
	case row.Sensitive:
		return []line{l.redacted()}, nil
	case hidden != nil, row.Parts && !row.Context && !row.KnownAfterApply:
		return takeApart(l, hidden)
	}
	return []line{l}, nil
}

func newLine(row Row) (line, error) {
	before, err := encodeValue(row.Before)
	if err != nil {
		return line{}, fmt.Errorf("its Before: %w", err)
	}
	after, err := encodeValue(row.After)
	if err != nil {
		return line{}, fmt.Errorf("its After: %w", err)
	}
	return line{
		Field: row.Label, Before: before, After: after, Context: row.Context, KnownAfterApply: row.KnownAfterApply,
	}, nil
}

// encodeValue keeps what is absent: an untyped nil, an Optional without anything, and no JSON at all.
func encodeValue(v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case optional:
		if v.IsAbsent() {
			return nil, nil
		}
	case json.RawMessage:
		if v == nil {
			return nil, nil
		}
	}
	return exact.Encode(v)
}

// shownOf is what a person is shown of a change: what its operation says, and its rows. It is hidden by place alone, as the
// rows say: whoever decides would not see what a value hides that happens to be sensitive elsewhere, and whoever asks could
// try which value that is.
func shownOf(said shown, rows []Row) (shown, error) {
	for _, row := range rows {
		lines, err := linesOf(row)
		if err != nil {
			return shown{}, fmt.Errorf("row %q of the diff: %w", row.Label, err)
		}
		said.Rows = append(said.Rows, lines...)
	}
	return said, nil
}

func (s shown) encode() ([]byte, error) { return exact.Encode(s) }

// readShown decodes what was stored.
func readShown(canonical []byte) (shown, error) {
	var s shown
	if err := exact.Decode(canonical, &s); err != nil {
		return shown{}, fmt.Errorf("the stored diff: %w", err)
	}
	return s, nil
}

// lines are the rows, never nil.
func (s shown) lines() []line {
	if s.Rows == nil {
		return []line{}
	}
	return s.Rows
}
