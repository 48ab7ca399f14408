package shown

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Line is one row of a diff. A nil value is absent; null is `null`.
type Line struct {
	Field           string          `json:"field"`
	Before          json.RawMessage `json:"before,omitzero"`
	After           json.RawMessage `json:"after,omitzero"`
	Context         bool            `json:"context,omitzero"`
	KnownAfterApply bool            `json:"known_after_apply,omitzero"`
	Sensitive       string          `json:"sensitive,omitzero"` // changed or unchanged, which is then all there is
	Asked           bool            `json:"asked,omitzero"`     // what was asked for, with nothing of the state that is there
}

// What a row says instead of sensitive values.
const (
	SensitiveChanged   = "changed"
	SensitiveUnchanged = "unchanged"
)

// Changes tells whether a row says that something becomes different.
func (l Line) Changes() bool {
	switch {
	case l.Context:
		return false
	case l.Sensitive != "":
		return l.Sensitive == SensitiveChanged
	}
	return l.KnownAfterApply || !bytes.Equal(l.Before, l.After)
}

// Redacted is the row without its values. Whether they differ was decided on the values themselves.
func (l Line) Redacted() Line {
	says := SensitiveUnchanged
	if l.Changes() {
		says = SensitiveChanged
	}
	return Line{Field: l.Field, Context: l.Context, Sensitive: says, Asked: l.Asked}
}

// Reversed is a row of the undo of a change: from what it left to what was there before.
func (l Line) Reversed() Line {
	if !l.Context {
		l.Before, l.After = l.After, l.Before
	}
	return l
}

// ReversedText is Reversed as a person reads it. Of what was only asked for it tells that the state need not hold it, as it
// does not hold the reason for a change.
func (l Line) ReversedText() string {
	if l.Asked {
		return l.askedText()
	}
	if !l.KnownAfterApply || l.Context || l.Sensitive != "" {
		return l.Reversed().Text()
	}
	back := l.Reversed()
	back.KnownAfterApply = false
	view := back.View(Entire)
	view.before = "(made by the apply)"
	return view.Text()
}

func (l Line) askedText() string {
	view := l.View(Entire)
	what := view.after
	if l.Sensitive != "" {
		what = "(its value is not shown)"
	}
	return fmt.Sprintf("%s: %s (asked for with the change; nothing shows that the undo writes it)", FieldText(view.Field), what)
}

// Text is the whole row as a person reads it. The lines of a line diff are lines of their own below it.
func (l Line) Text() string { return l.View(Entire).Text() }
