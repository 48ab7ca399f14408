package runtime

import (
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
	// maxRowBytes is how much the rows take before an answer lists no further one.
	maxRowBytes = 32 << 10
)

// extent says how much of a change is shown.
type extent int

const (
	excerpted extent = iota // as an agent is answered
	entire                  // as a person reads it who decides on it
)

// limit is how many characters of a text are shown; all for the entire change.
func (e extent) limit(chars int) int {
	if e == entire {
		return math.MaxInt
	}
	return chars
}

// view is what is shown of a change, as both halves of an answer say it. Every text in it is visible; values are exact,
// unless they are cut.
type view struct {
	summary, loses string
	rows           []rowView
	overview       *overview // where not all of it is in the rows; nil else
}

// rowView is one row as it is told.
type rowView struct {
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

// view renders what is shown of the change of that id.
func (s shown) view(id string, e extent) view {
	summary, loses := excerpt.Of(s.Summary, e.limit(maxValueChars)), excerpt.Of(s.Loses, e.limit(maxValueChars))
	v := view{summary: marked(summary.String()), loses: visible.Text(loses.String()), rows: listed(s.Rows, e)}
	left := len(s.Rows) - len(v.rows)
	isCut := summary.IsCut() || loses.IsCut() || slices.ContainsFunc(v.rows, func(r rowView) bool { return r.Cut })
	if left > 0 || isCut {
		v.overview = newOverview(s.Rows, left, id)
	}
	return v
}

// listed are the rows that are told, in their order. Where there is no room for all, those that change something come
// before those that do not, so that no change is crowded out.
func listed(rows []line, e extent) []rowView {
	views := make([]*rowView, len(rows))
	count, size := 0, 0
	for _, changing := range []bool{true, false} {
		for i, l := range rows {
			if e == excerpted && (count == maxRows || size > maxRowBytes) {
				break
			}
			if l.changes() == changing {
				v := l.view(e)
				views[i], count, size = &v, count+1, size+sizeOf(v, v.text())
			}
		}
	}
	told := []rowView{}
	for _, v := range views {
		if v != nil {
			told = append(told, *v)
		}
	}
	return told
}

// sizeOf is how many bytes an entry takes in that half of an answer in which it takes more, with all its escapes.
func sizeOf(entry any, text string) int {
	structured, err := visible.Marshal(entry)
	if err != nil {
		return len(text) // of what the whole answer fails for
	}
	return max(len(structured), len(text))
}

func (l line) view(e extent) rowView {
	label := excerpt.Of(l.Field, e.limit(maxLabelChars))
	v := rowView{
		Field: visible.Text(label.String()), Context: l.Context, KnownAfterApply: l.KnownAfterApply, Sensitive: l.Sensitive,
		Cut: label.IsCut(),
	}
	values := tell(l.Before, l.After, e)
	v.Before, v.before = values.was.json, values.was.text
	v.After, v.after = values.now.json, values.now.text
	v.DiffersAt, v.Cut = values.differsAt, v.Cut || values.cut
	if lines := lineDiff(l.Before, l.After); lines != nil {
		if e == excerpted {
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

// text of a row: what changes, or what is there for orientation.
func (v rowView) text() string {
	after := v.after
	if v.KnownAfterApply {
		after = "(known after apply)"
	}
	field := fieldText(v.Field)
	switch {
	case v.Sensitive != "":
		return fmt.Sprintf("%s: %s (its value is not shown)", field, v.Sensitive)
	case v.Context:
		return fmt.Sprintf("%s: %s (does not change)", field, v.before)
	case v.Lines != nil:
		return fmt.Sprintf("%s:\n    %s", field, strings.Join(v.Lines, "\n    "))
	}
	return fmt.Sprintf("%s: %s -> %s%s", field, v.before, after, differsText(v.DiffersAt))
}

// fieldText is the visible name of a field in a line of text: in quotes where it could be taken for more of the line. A
// key of an object may be any text.
func fieldText(field string) string {
	if strings.Contains(field, ": ") || strings.Contains(field, "->") {
		return `"` + strings.ReplaceAll(field, `"`, `\"`) + `"`
	}
	return field
}

// text is the whole row as a person reads it. The lines of a line diff are lines of their own below it.
func (l line) text() string { return l.view(entire).text() }

// marked is a text of an author's, visible. Its further lines stand behind a mark, so that none of them can be taken for
// one of ours.
func marked(s string) string { return strings.ReplaceAll(visible.Lines(s), "\n", "\n  | ") }

// diff writes the summary, and each row in a line of its own.
func (p *page) diff(v view) {
	p.line("%s", v.summary)
	for _, row := range v.rows {
		p.line("  %s", row.text())
	}
	if v.overview != nil {
		p.line("%s", v.overview.text())
	}
}
