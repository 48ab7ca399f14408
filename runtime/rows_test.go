package runtime

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/internal/shown"
)

func orAbsent(v []byte) string {
	if v == nil {
		return "absent"
	}
	return string(v)
}

func describeRows(lines []shown.Line) string {
	var texts []string
	for _, l := range lines {
		switch {
		case l.Sensitive != "":
			texts = append(texts, l.Field+": "+l.Sensitive)
		default:
			texts = append(texts, fmt.Sprintf("%s: %s -> %s", l.Field, orAbsent(l.Before), orAbsent(l.After)))
		}
	}
	return strings.Join(texts, "; ")
}

func TestRowIsTakenApartWhereItsAuthorSaysSo(t *testing.T) {
	t.Parallel()
	was, now := json.RawMessage(`{"a":1,"b":2}`), json.RawMessage(`{"a":1,"b":3}`)
	for want, row := range map[string]Row{
		"x/b: 2 -> 3":                       {Label: "x", Before: was, After: now, Parts: true},
		`y: {"a":1,"b":2} -> {"a":1,"b":3}`: {Label: "y", Before: was, After: now},
	} {
		lines, err := linesOf(row, false)
		if got := describeRows(lines); err != nil || got != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}

func TestPartsAreShownWholeWhereNothingIsCompared(t *testing.T) {
	t.Parallel()
	object := json.RawMessage(`{"a":1}`)
	for want, row := range map[string]Row{
		`x: {"a":1} -> absent`: {Label: "x", Before: object, Context: true, Parts: true},
		`y: {"a":1} -> absent`: {Label: "y", Before: object, KnownAfterApply: true, Parts: true},
		"":                     {Label: "z", Before: object, SkipAbsent: true, Parts: true},
	} {
		lines, err := linesOf(row, false)
		if got := describeRows(lines); err != nil || got != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}

// Rows of what is shown for orientation, and of what the target makes, have parts to hide too.
func TestHiddenPartsOfEveryKindOfRow(t *testing.T) {
	t.Parallel()
	object := json.RawMessage(`{"p":1,"u":"a"}`)
	for want, row := range map[string]Row{
		`x/p: unchanged; x/u: "a" -> "a"`:  {Label: "x", Before: object, After: object, Context: true, Hidden: []string{"/p"}},
		`y/p: changed; y/u: "a" -> absent`: {Label: "y", Before: object, KnownAfterApply: true, Hidden: []string{"/p"}},
		"":                                 {Label: "z", Before: object, SkipAbsent: true, Hidden: []string{"/p"}},
		"v: changed":                       {Label: "v", Before: object, Sensitive: true, Hidden: []string{"/p"}},
	} {
		lines, err := linesOf(row, false)
		if got := describeRows(lines); err != nil || got != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
		for _, l := range lines {
			if l.Context != row.Context || l.Sensitive == "" && l.KnownAfterApply != row.KnownAfterApply {
				t.Errorf("%s: %+v", row.Label, l)
			}
		}
	}
}

func TestHiddenIsAPointer(t *testing.T) {
	t.Parallel()
	for _, pointer := range []string{"p", "p/q", "/~2"} {
		if _, err := linesOf(Row{Label: "x", Hidden: []string{pointer}}, false); err == nil || !strings.Contains(err.Error(), "no JSON Pointer") {
			t.Errorf("%s: %v", pointer, err)
		}
	}
}
