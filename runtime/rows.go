package runtime

import (
	"encoding/json"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
)

// shownOf is what a person is shown of a change: what its operation says, and its rows. It is hidden by place alone, as the
// rows say: whoever decides would not see what a value hides that happens to be sensitive elsewhere, and whoever asks could
// try which value that is. The state tells whether a row that shows nothing of it could.
func shownOf(said shown.Change, rows []Row, state []byte) (shown.Change, error) {
	isThere := state != nil && string(state) != jsonNull
	for _, row := range rows {
		lines, err := linesOf(row, isThere)
		if err != nil {
			return shown.Change{}, fmt.Errorf("row %q of the diff: %w", row.Label, err)
		}
		said.Rows = append(said.Rows, lines...)
	}
	return said, nil
}

// linesOf are the rows that an author's row is shown as, without what it says is sensitive.
func linesOf(row Row, isThere bool) ([]shown.Line, error) {
	l, err := newLine(row)
	l.Asked = isThere && row.Before == nil && !row.Context && !row.KnownAfterApply
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
		return []shown.Line{l.Redacted()}, nil
	case hidden != nil, row.Parts && !row.Context && !row.KnownAfterApply:
		return l.Apart(hidden)
	}
	return []shown.Line{l}, nil
}

func newLine(row Row) (shown.Line, error) {
	before, err := encodeValue(row.Before)
	if err != nil {
		return shown.Line{}, fmt.Errorf("its Before: %w", err)
	}
	after, err := encodeValue(row.After)
	if err != nil {
		return shown.Line{}, fmt.Errorf("its After: %w", err)
	}
	return shown.Line{
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
