package runtime

import (
	"encoding/json"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// shown is what a person is shown of a change. It is stored as canonical JSON, and everything that is shown later is
// rendered from those bytes.
type shown struct {
	Summary string `json:"summary"`
	Rows    []line `json:"rows"`
	Loses   string `json:"loses,omitzero"`
}

// line is one row of a diff. A nil value is absent; null is `null`.
type line struct {
	Field           string          `json:"field"`
	Before          json.RawMessage `json:"before,omitzero"`
	After           json.RawMessage `json:"after,omitzero"`
	Context         bool            `json:"context,omitzero"`
	KnownAfterApply bool            `json:"known_after_apply,omitzero"`
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
