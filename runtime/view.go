package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

const (
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

	before, after string // for people
}

// overview is what is said of a diff that is not shown whole.
type overview struct {
	Rows        int      `json:"rows"`
	Changes     int      `json:"changes"`
	LeftOut     int      `json:"left_out"` // rows
	LargestRise *rowView `json:"largest_rise,omitzero"`
	LargestFall *rowView `json:"largest_fall,omitzero"`
	Whole       string   `json:"whole"` // address of the resource that shows all of it
}

// view renders what is shown of the change of that id.
func (s shown) view(id string, e extent) view {
	v := view{
		summary: marked(shortened(s.Summary, e.limit(maxValueChars))),
		loses:   visible(shortened(s.Loses, e.limit(maxValueChars))),
	}
	v.rows = listed(s.Rows, e)
	left, cut := len(s.Rows)-len(v.rows), slices.ContainsFunc(v.rows, func(r rowView) bool { return r.Cut })
	if left > 0 || cut {
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
				views[i], count, size = &v, count+1, size+v.size()
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

// size is how many bytes of an answer a row takes, more or less.
func (v *rowView) size() int {
	n := len(v.Field) + len(v.Before) + len(v.After)
	for _, l := range v.Lines {
		n += len(l)
	}
	return n
}

func (l line) view(e extent) rowView {
	label := excerptOf(l.Field, e.limit(maxLabelChars))
	v := rowView{
		Field: visible(label.String()), Context: l.Context, KnownAfterApply: l.KnownAfterApply, Sensitive: l.Sensitive,
		Cut: label.left > 0,
	}
	var cut bool
	v.Before, v.before, cut = valueView(l.Before, e)
	v.Cut = v.Cut || cut
	v.After, v.after, cut = valueView(l.After, e)
	v.Cut = v.Cut || cut
	if lines := lineDiff(l.Before, l.After); lines != nil {
		if e == excerpted {
			lines, cut = boundedLines(lines)
			v.Cut = v.Cut || cut
		}
		for _, text := range lines {
			v.Lines = append(v.Lines, visible(text))
		}
	}
	return v
}

// valueView is a value as programs and as people are told it. A text is cut as the text it is, anything else as JSON. For
// people, what is left out stands outside the quotes, where no value can pose as it.
func valueView(value json.RawMessage, e extent) (told json.RawMessage, text string, cut bool) {
	if value == nil {
		return nil, noValue, false
	}
	content, isText := textOf(value)
	if !isText {
		content = string(value)
	}
	short := excerptOf(content, e.limit(maxValueChars))
	if short.left == 0 {
		return value, visible(string(value)), false
	}
	told, err := exact.FromTree(short.String())
	if err != nil {
		told = hiddenJSON() // of what is no text, which no ledger of ours holds
	}
	head, tail := visible(short.head), visible(short.tail)
	if isText {
		head, tail = quotedText(short.head), quotedText(short.tail)
	}
	return told, head + " " + short.omission() + " " + tail, true
}

// quotedText is a text in quotes, visible.
func quotedText(s string) string {
	quoted, err := exact.FromTree(s)
	if err != nil {
		return `"` + visible(s) + `"`
	}
	return visible(string(quoted))
}

func newOverview(rows []line, left int, id string) *overview {
	o := &overview{Rows: len(rows), LeftOut: left, Whole: changeURI(id)}
	var rise, fall line
	highest, lowest := new(big.Rat), new(big.Rat)
	for _, l := range rows {
		if l.changes() {
			o.Changes++
		}
		by := l.by()
		switch {
		case by == nil:
		case by.Cmp(highest) > 0:
			highest, rise = by, l
		case by.Cmp(lowest) < 0:
			lowest, fall = by, l
		}
	}
	o.LargestRise, o.LargestFall = extreme(rise, highest), extreme(fall, lowest)
	return o
}

// by is how much a number grows; nil where the row is not about a number.
func (l line) by() *big.Rat {
	before, wasNumber := numberOf(l.Before)
	after, isNumber := numberOf(l.After)
	if !wasNumber || !isNumber || l.Context {
		return nil
	}
	return new(big.Rat).Sub(after, before)
}

func numberOf(value json.RawMessage) (*big.Rat, bool) {
	if len(value) == 0 || !bytes.ContainsRune([]byte("-0123456789"), rune(value[0])) {
		return nil, false
	}
	return new(big.Rat).SetString(string(value))
}

// extreme is nil where no number rises, or falls.
func extreme(l line, by *big.Rat) *rowView {
	if by.Sign() == 0 {
		return nil
	}
	v := l.view(excerpted)
	return &v
}

// text of a row: what changes, or what is there for orientation.
func (v rowView) text() string {
	after := v.after
	if v.KnownAfterApply {
		after = "(known after apply)"
	}
	switch {
	case v.Sensitive != "":
		return fmt.Sprintf("%s: %s (its value is not shown)", v.Field, v.Sensitive)
	case v.Context:
		return fmt.Sprintf("%s: %s (does not change)", v.Field, v.before)
	case v.Lines != nil:
		return fmt.Sprintf("%s:\n    %s", v.Field, strings.Join(v.Lines, "\n    "))
	}
	return fmt.Sprintf("%s: %s -> %s", v.Field, v.before, after)
}

// text is the whole row as a person reads it. The lines of a line diff are lines of their own below it.
func (l line) text() string { return l.view(entire).text() }

// text of an overview, in one line.
func (o *overview) text() string {
	told := fmt.Sprintf("Not all of it is shown here: %s, %d of which change; %d are left out.", counted(o.Rows, "row"), o.Changes, o.LeftOut)
	if o.LargestRise != nil {
		told += " Largest rise: " + o.LargestRise.text() + "."
	}
	if o.LargestFall != nil {
		told += " Largest fall: " + o.LargestFall.text() + "."
	}
	return told + " The whole is the resource " + o.Whole + "."
}

// marked is a text of an author's, visible. Its further lines stand behind a mark, so that none of them can be taken for
// one of ours.
func marked(s string) string { return strings.ReplaceAll(visibleLines(s), "\n", "\n  | ") }

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
