package runtime

import (
	"encoding/json"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/excerpt"
	"github.com/changesetgen/changesetgen/runtime/internal/linediff"
	"github.com/changesetgen/changesetgen/runtime/internal/secret"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// toldValue is a value as programs and as people are told it.
type toldValue struct {
	json json.RawMessage // nil for none
	text string          // visible
}

// toldPair is a value before and after.
type toldPair struct {
	was, now  toldValue
	cut       bool // something is left out
	differsAt int  // then, where they differ first: 1 for the first character; 0 where they do not
}

// tell tells a value before and after. Of long ones that differ, it tells the part where they do: they would look the
// same else.
func tell(before, after json.RawMessage, e extent) toldPair {
	was, now := contentOf(before), contentOf(after)
	at := excerpt.Nowhere
	if before != nil && after != nil {
		at = excerpt.FirstDifference(was, now)
	}
	var p toldPair
	var cutWas, cutNow bool
	p.was, cutWas = tellValue(before, was, e, at)
	p.now, cutNow = tellValue(after, now, e, at)
	if p.cut = cutWas || cutNow; p.cut {
		p.differsAt = at + 1
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
	tree, err := exact.Tree(value)
	text, isText := tree.(string)
	return text, isText && err == nil
}

// tellValue cuts a value that is long. For people, what is left out stands outside the quotes, where no value can pose as
// it.
func tellValue(value json.RawMessage, content string, e extent, at int) (t toldValue, cut bool) {
	if value == nil {
		return toldValue{text: noValue}, false
	}
	short := excerpt.Around(content, e.limit(maxValueChars), at)
	if !short.IsCut() {
		return toldValue{value, visible.Text(string(value))}, false
	}
	cutJSON, err := exact.FromTree(short.String())
	if err != nil {
		cutJSON = secret.HiddenJSON() // of what is no text, which no ledger of ours holds
	}
	spelled := visible.Text
	if _, isText := textOf(value); isText {
		spelled = quotedText
	}
	return toldValue{cutJSON, short.Join(" ", spelled)}, true
}

// differsText says where two values that are cut differ; "" where that is not told.
func differsText(at int) string {
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
