package shown

import (
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/excerpt"
	"github.com/changesetgen/changesetgen/runtime/internal/linediff"
	"github.com/changesetgen/changesetgen/runtime/internal/secret"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// None stands in a text for a value that is not there.
const None = "(none)"

// Value is a value as programs and as people are told it.
type Value struct {
	JSON json.RawMessage // nil for none
	Text string          // visible
}

// Pair is a value before and after.
type Pair struct {
	Was, Now  Value
	Cut       bool // something is left out
	DiffersAt int  // then, where they differ first: 1 for the first character; 0 where they do not
}

// Tell tells a value before and after. Of long ones that differ, it tells the part where they do: they would look the
// same else.
func Tell(before, after json.RawMessage, e Extent) Pair {
	was, now := contentOf(before), contentOf(after)
	at := excerpt.Nowhere
	if before != nil && after != nil {
		at = excerpt.FirstDifference(was, now)
	}
	var p Pair
	var cutWas, cutNow bool
	p.Was, cutWas = tellValue(before, was, e, at)
	p.Now, cutNow = tellValue(after, now, e, at)
	if p.Cut = cutWas || cutNow; p.Cut {
		p.DiffersAt = at + 1
	}
	return p
}

// contentOf is what a value is cut as: a text as the text it is, anything else as JSON.
func contentOf(value json.RawMessage) string {
	if content, isText := textOf(value); isText {
		return content
	}
	return string(value)
}

// lineDiff lists what changes between two values, if both are texts and one of them has several lines; nil otherwise.
func lineDiff(before, after json.RawMessage) []string {
	was, isText := textOf(before)
	now, both := textOf(after)
	if !isText || !both {
		return nil
	}
	return linediff.Of(was, now)
}

// textOf is the text that a value is, if it is one.
func textOf(value json.RawMessage) (string, bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return string(text), err == nil
}

// tellValue cuts a value that is long. For people, what is left out stands outside the quotes, where no value can pose as
// it.
func tellValue(value json.RawMessage, content string, e Extent, at int) (t Value, cut bool) {
	if value == nil {
		return Value{Text: None}, false
	}
	short := excerpt.Around(content, e.limit(maxValueChars), at)
	if !short.IsCut() {
		return Value{value, visible.Text(string(value))}, false
	}
	cutJSON, err := exact.FromTree(short.String())
	if err != nil {
		cutJSON = secret.HiddenJSON() // of what is no text, which no ledger of ours holds
	}
	spelled := visible.Text
	if _, isText := textOf(value); isText {
		spelled = quotedText
	}
	return Value{cutJSON, short.Join(" ", spelled)}, true
}

// DiffersText says where two values that are cut differ; "" where that is not told.
func DiffersText(at int) string {
	if at == 0 {
		return ""
	}
	return fmt.Sprintf(" (they differ first at character %d)", at)
}

// quotedText is a text in quotes, visible.
func quotedText(s string) string {
	quoted, err := exact.FromTree(s)
	if err != nil {
		return `"` + visible.Value(s) + `"`
	}
	return visible.Text(string(quoted))
}
