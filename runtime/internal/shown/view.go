package shown

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/internal/excerpt"
	"github.com/changesetgen/changesetgen/runtime/internal/linediff"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// How much an answer repeats of one text, in characters. The whole is in the ledger, and in the resource of the change.
const (
	maxValueChars = 2000 // of a value, a summary, or a sentence of the author's
	maxLabelChars = 200  // of a label, or of the name of a field
	maxLineChars  = 500  // of one line of a line diff
)

const (
	// maxDiffLines is how many lines of one line diff an answer repeats.
	maxDiffLines = 100
	// maxRows is how many rows of a diff an answer lists; the rest is counted.
	maxRows = 50
	// MaxBytes is how much the rows of a diff, or what stands for them, take before an answer lists no further one.
	MaxBytes = 32 << 10
)

// Extent says how much of a change is shown.
type Extent int

const (
	Excerpted Extent = iota // as an agent is answered
	Entire                  // as a person reads it who decides on it
)

// limit is how many characters of a text are shown; all for the entire change.
func (e Extent) limit(chars int) int {
	if e == Entire {
		return math.MaxInt
	}
	return chars
}

// Text is a text of an author's or of a person's, visible and as long as it is shown.
func (e Extent) Text(s string) string {
	return visible.Text(excerpt.Of(s, e.limit(maxValueChars)).String())
}

// View is what is shown of a change, as both halves of an answer say it. Every text in it is visible; values are exact,
// unless they are cut.
type View struct {
	Summary, Loses string
	Rows           []LineView
	Overview       *Overview // where not all of it is in the rows; nil else
}

// LineView is one row as it is told.
type LineView struct {
	Field           string          `json:"field"`
	Before          json.RawMessage `json:"before,omitzero"`
	After           json.RawMessage `json:"after,omitzero"`
	Context         bool            `json:"context,omitzero"`
	KnownAfterApply bool            `json:"known_after_apply,omitzero"`
	Sensitive       string          `json:"sensitive,omitzero"`
	Lines           []string        `json:"lines,omitzero"` // of a line diff
	Cut             bool            `json:"cut,omitzero"`   // something of it is left out
	DiffersAt       int             `json:"differs_at,omitzero"`

	before, after string // for people
}

// View renders what is shown of a change, whose resource with all of it has that address.
func (s Change) View(address string, e Extent) View {
	summary, loses := excerpt.Of(s.Summary, e.limit(maxValueChars)), excerpt.Of(s.Loses, e.limit(maxValueChars))
	v := View{Summary: marked(summary.String()), Loses: visible.Text(loses.String()), Rows: listed(s.Rows, e)}
	left := len(s.Rows) - len(v.Rows)
	isCut := summary.IsCut() || loses.IsCut() || slices.ContainsFunc(v.Rows, func(r LineView) bool { return r.Cut })
	if left > 0 || isCut {
		v.Overview = newOverview(s.Rows, left, address)
	}
	return v
}

// listed are the rows that are told, in their order. Where there is no room for all, those that change something come
// before those that do not, so that no change is crowded out.
func listed(rows []Line, e Extent) []LineView {
	bounded := e == Excerpted && !haveRoom(rows)
	views := make([]*LineView, len(rows))
	count, size := 0, 0
	for _, changing := range []bool{true, false} {
		for i, l := range rows {
			if bounded && (count == maxRows || size > MaxBytes) {
				break
			}
			if l.Changes() != changing {
				continue
			}
			v := l.View(e)
			views[i], count = &v, count+1
			if bounded {
				size += Size(v, v.Text())
			}
		}
	}
	told := []LineView{}
	for _, v := range views {
		if v != nil {
			told = append(told, *v)
		}
	}
	return told
}

const (
	// maxEscape is how many times as long as it is a text may become by its escapes, in either half of an answer.
	maxEscape = 6
	// maxRowFrame is what a row takes at most besides its texts and values.
	maxRowFrame = 512
)

// haveRoom tells whether rows are so few and short that there is room for all, whatever their characters are. It is quicker
// than to write them all for the sake of their length. What a line diff takes is not told by the length of its texts.
func haveRoom(rows []Line) bool {
	size := 0
	for _, l := range rows {
		if bytes.Contains(l.Before, lineBreak) || bytes.Contains(l.After, lineBreak) {
			return false
		}
		size += maxRowFrame + maxEscape*(len(l.Field)+len(l.Before)+len(l.After))
	}
	return len(rows) <= maxRows && size <= MaxBytes
}

// lineBreak is one in canonical JSON.
var lineBreak = []byte(`\n`)

// Size is how many bytes an entry takes in that half of an answer in which it takes more, with all its escapes.
func Size(entry any, text string) int {
	structured, err := visible.Marshal(entry)
	if err != nil {
		return len(text) // of what the whole answer fails for
	}
	return max(len(structured), len(text))
}

// View is the row as it is told.
func (l Line) View(e Extent) LineView {
	label := excerpt.Of(l.Field, e.limit(maxLabelChars))
	v := LineView{
		Field: visible.Text(label.String()), Context: l.Context, KnownAfterApply: l.KnownAfterApply, Sensitive: l.Sensitive,
		Cut: label.IsCut(),
	}
	values := Tell(l.Before, l.After, e)
	v.Before, v.before = values.Was.JSON, values.Was.Text
	v.After, v.after = values.Now.JSON, values.Now.Text
	v.DiffersAt, v.Cut = values.DiffersAt, v.Cut || values.Cut
	if lines := lineDiff(l.Before, l.After); lines != nil {
		if e == Excerpted {
			var cut bool
			lines, cut = linediff.Bounded(lines, maxDiffLines, maxLineChars)
			v.Cut = v.Cut || cut
		}
		for _, text := range lines {
			v.Lines = append(v.Lines, linediff.Visible(text))
		}
	}
	return v
}

// Text of a row: what changes, or what is there for orientation.
func (v LineView) Text() string {
	after := v.after
	if v.KnownAfterApply {
		after = "(known after apply)"
	}
	field := FieldText(v.Field)
	switch {
	case v.Sensitive != "":
		return fmt.Sprintf("%s: %s (its value is not shown)", field, v.Sensitive)
	case v.Context:
		return fmt.Sprintf("%s: %s (does not change)", field, v.before)
	case v.Lines != nil:
		return fmt.Sprintf("%s:\n    %s", field, strings.Join(v.Lines, "\n    "))
	}
	return fmt.Sprintf("%s: %s -> %s%s", field, v.before, after, DiffersText(v.DiffersAt))
}

// FieldText is the visible name of a field in a line of text: in quotes where it could be taken for more of the line. A
// key of an object may be any text.
func FieldText(field string) string {
	if strings.Contains(field, ": ") || strings.Contains(field, "->") {
		return `"` + strings.ReplaceAll(field, `"`, `\"`) + `"`
	}
	return field
}

// marked is a text of an author's, visible. Its further lines stand behind a mark, so that none of them can be taken for
// one of ours.
func marked(s string) string { return strings.ReplaceAll(visible.Lines(s), "\n", "\n  | ") }
