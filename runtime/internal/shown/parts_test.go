package shown_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
)

func canonical(t *testing.T, text string) []byte {
	t.Helper()
	c, err := exact.Canonical([]byte(text), exact.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func orAbsent(v []byte) string {
	if v == nil {
		return "absent"
	}
	return string(v)
}

// value is a value of a row; "" is none.
func value(t *testing.T, text string) json.RawMessage {
	t.Helper()
	if text == "" {
		return nil
	}
	return canonical(t, text)
}

// hiding are the places of one pointer.
func hiding(t *testing.T, pointer string) place.Patterns {
	t.Helper()
	hidden, err := place.ReadPatterns([]string{pointer})
	if err != nil {
		t.Fatal(err)
	}
	return hidden
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

func TestPartsAreShownWhereTheyDiffer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, before, after, want string }{
		{"a member", `{"a":1,"b":2}`, `{"a":1,"b":3}`, "x/b: 2 -> 3"},
		{"members below members", `{"a":{"b":{"c":1,"d":1}}}`, `{"a":{"b":{"c":2,"d":1}}}`, "x/a/b/c: 1 -> 2"},
		{"a member comes", `{"a":1}`, `{"a":1,"b":null}`, "x/b: absent -> null"},
		{"a member goes", `{"a":1,"b":null}`, `{"a":1}`, "x/b: null -> absent"},
		{"null is no text", `{"a":null}`, `{"a":"null"}`, `x/a: null -> "null"`},
		{"names that a pointer escapes", `{"a/b":1,"c~d":1,"":1}`, `{"a/b":2,"c~d":2,"":2}`, "x/: 1 -> 2; x/a~1b: 1 -> 2; x/c~0d: 1 -> 2"},
		{"items of as many", `[{"a":1},{"a":2}]`, `[{"a":1},{"a":3}]`, "x/1/a: 2 -> 3"},
		{"items of fewer", `[1,2]`, `[1]`, "x: [1,2] -> [1]"},
		{"everything comes", ``, `{"a":{"b":1},"c":[1,2]}`, "x/a/b: absent -> 1; x/c: absent -> [1,2]"},
		{"everything goes", `{"a":{"b":1}}`, ``, "x/a/b: 1 -> absent"},
		{"empty is not absent", `{"a":1}`, `{}`, `x: {"a":1} -> {}`},
		{"absent is not empty", ``, `{}`, `x: absent -> {}`},
		{"null is not absent", `{"a":{"b":1}}`, `{"a":null}`, `x/a: {"b":1} -> null`},
		{"another kind", `{"a":{"b":1}}`, `{"a":[1]}`, `x/a: {"b":1} -> [1]`},
		{"equal", `{"a":1,"b":{"c":2}}`, `{"b":{"c":2},"a":1}`, `x: {"a":1,"b":{"c":2}} -> {"a":1,"b":{"c":2}}`},
		{"no object", `1`, `2`, "x: 1 -> 2"},
		{"numbers beyond a double", `{"a":9007199254740992}`, `{"a":9007199254740993}`, "x/a: 9007199254740992 -> 9007199254740993"},
	} {
		lines, err := shown.Line{Field: "x", Before: value(t, test.before), After: value(t, test.after)}.Apart(nil)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, describeRows(lines)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestRowsHideTheirHiddenPartsAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, hidden, before, after, want string }{
		{"a member", "/p", `{"p":1,"u":"a"}`, `{"p":2,"u":"p"}`, `x/p: changed; x/u: "a" -> "p"`},
		{"what is the same", "/p", `{"p":1,"u":"a"}`, `{"p":1,"u":"b"}`, `x/u: "a" -> "b"`},
		{"all is the same", "/p", `{"p":1,"u":"a"}`, `{"p":1,"u":"a"}`, `x/p: unchanged; x/u: "a" -> "a"`},
		{"a member of that name elsewhere", "/p", `{"o":{"p":1}}`, `{"o":{"p":2}}`, "x/o/p: 1 -> 2"},
		{"every member", "/*", ``, `{"a":1,"b":{"c":2}}`, "x/a: changed; x/b: changed"},
		{"a member of every one", "/*/p", ``, `{"a":{"p":1,"q":2},"p":{"q":3}}`, "x/a/p: changed; x/a/q: absent -> 2; x/p/q: absent -> 3"},
		{"a name that a pointer escapes", "/a~1b", `{"a/b":1,"a":{"b":1}}`, `{"a/b":2,"a":{"b":2}}`, "x/a/b: 1 -> 2; x/a~1b: changed"},
		{"null comes", "/p", `{"p":1,"u":"a"}`, `null`, `x/p: changed; x/u: "a" -> absent; x: absent -> null`},
		{"from null", "/p", `null`, `{"p":1,"u":"a"}`, `x: null -> absent; x/p: changed; x/u: absent -> "a"`},
		{"nothing in it comes", "/p", `{"p":1,"u":"a"}`, `{}`, `x/p: changed; x/u: "a" -> absent; x: absent -> {}`},
		{"null and nothing in it", "/p", `null`, `{}`, "x: null -> {}"},
		{"fewer items", "/*/p", `[{"p":1,"u":"a"},{"p":2,"u":"b"}]`, `[{"p":3,"u":"a"}]`, `x/0/p: changed; x/1/p: changed; x/1/u: "b" -> absent`},
		{"items come", "/*/p", ``, `[{"p":3,"u":"a"}]`, `x/0/p: changed; x/0/u: absent -> "a"`},
		{"what can have no parts", "/p", `{"p":1,"u":"a"}`, `"s"`, `x/p: changed; x/u: "a" -> absent; x: changed`},
		{"all of it", "", `1`, `2`, "x: changed"},
	} {
		lines, err := shown.Line{Field: "x", Before: value(t, test.before), After: value(t, test.after)}.Apart(hiding(t, test.hidden))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, describeRows(lines)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestPartsOfMoreThanIsKeptAreRefused(t *testing.T) {
	t.Parallel()
	object := "{" + strings.TrimSuffix(strings.Repeat(`"a%d":1,`, 2000), ",") + "}"
	for i := range 2000 {
		object = strings.Replace(object, "%d", fmt.Sprint(i), 1)
	}
	_, err := shown.Line{Field: strings.Repeat("x", 1000), After: value(t, object)}.Apart(nil)
	if !errors.Is(err, exact.ErrTooLarge) {
		t.Errorf("error: %v", err)
	}
}

// Whatever the values are, the rows say where they differ, each of them once, and the pointers lead there.
func FuzzPartsLeadToWhatDiffers(f *testing.F) {
	f.Add(`{"a":{"b":1},"c":[1,2]}`, `{"a":{"b":2},"c":[1,3],"d":null}`)
	f.Add(`{"a/b":{"~":{}}}`, `{"a/b":{"~":null}}`)
	f.Add(`[]`, `{}`)
	f.Add(`{"":{}}`, "{\"a\x7fb\":{\"~\":null}}")
	f.Fuzz(func(t *testing.T, before, after string) {
		was, err := exact.Canonical([]byte(before), exact.DefaultLimits)
		if err != nil {
			return
		}
		now, err := exact.Canonical([]byte(after), exact.DefaultLimits)
		if err != nil {
			return
		}
		lines, err := shown.Line{Before: was, After: now}.Apart(nil)
		if err != nil {
			return // larger than is kept
		}
		told := map[string]bool{}
		for _, l := range lines {
			if told[l.Field] {
				t.Errorf("%q is told twice", l.Field)
			}
			told[l.Field] = true
			if strings.Contains(l.Field, `\`) {
				continue // a name that cannot be seen is written out, and leads nowhere as it stands
			}
			if got := at(t, was, l.Field); string(got) != string(l.Before) {
				t.Errorf("%q leads to %s, and says %s", l.Field, got, l.Before)
			}
			if got := at(t, now, l.Field); string(got) != string(l.After) {
				t.Errorf("%q leads to %s, and says %s", l.Field, got, l.After)
			}
		}
		if len(lines) == 0 {
			t.Error("there is no row")
		}
	})
}

// Whatever the values are, what is hidden is told nowhere, and nothing else is hidden.
func FuzzPartsHideByPlace(f *testing.F) {
	f.Add(`{"a":{"p":1},"p":2}`, `{"a":{"p":3,"q":1},"p":[]}`, "/*/p")
	f.Add(`[{"p":1,"u":2}]`, `[]`, "/*/p")
	f.Add(`{"p":1}`, `null`, "/p")
	f.Add(`{"p":{"q":1}}`, `{"p":[0]}`, "/p/q")
	f.Fuzz(func(t *testing.T, before, after, pointer string) {
		was, err := exact.Canonical([]byte(before), exact.DefaultLimits)
		if err != nil {
			return
		}
		now, err := exact.Canonical([]byte(after), exact.DefaultLimits)
		if err != nil {
			return
		}
		hidden, err := place.ReadPatterns([]string{pointer})
		if err != nil {
			return
		}
		lines, err := shown.Line{Before: was, After: now}.Apart(hidden)
		if err != nil {
			return // larger than is kept
		}
		for _, l := range lines {
			at := place.At(l.Field)
			holdsNothing := isHollow(l.Before) && isHollow(l.After)
			switch {
			case strings.Contains(l.Field, `\`): // written so that it can be seen
			case l.Sensitive == "" && (hidden.Covers(at) || hidden.Touches(at) && !holdsNothing):
				t.Errorf("%q is told in %s and %s by hiding %q", l.Field, before, after, pointer)
			case l.Sensitive != "" && !hidden.Touches(at):
				t.Errorf("%q is hidden in %s and %s by hiding %q", l.Field, before, after, pointer)
			}
		}
	})
}

// isHollow tells whether a value is one that holds nothing.
func isHollow(canonical []byte) bool {
	return canonical == nil || slices.Contains([]string{"null", "{}", "[]"}, string(canonical))
}

// at follows a pointer; nil where it leads nowhere.
func at(t *testing.T, document []byte, pointer string) []byte {
	t.Helper()
	tree, err := exact.Tree(document)
	if err != nil {
		t.Fatal(err)
	}
	part, ok := place.At(pointer).In(tree)
	if !ok {
		return nil
	}
	text, err := exact.FromTree(part)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What takes time by the square of the hidden parts would not end here.
func TestManySensitiveValuesAreHidden(t *testing.T) {
	t.Parallel()
	const many = 20_000
	items := make([]string, many)
	for i := range items {
		items[i] = fmt.Sprintf(`{"s":"secret-%d"}`, i)
	}
	list := "[" + strings.Join(items, ",") + "]"
	whole := shown.Line{Field: "x", Before: value(t, strings.ReplaceAll(list, "secret", "s3cret")), After: value(t, list)}
	parts, err := whole.Apart(hiding(t, "/*/s"))
	if err != nil || len(parts) != many || parts[many-1].Sensitive != shown.SensitiveChanged {
		t.Errorf("%d rows, %v", len(parts), err)
	}
}
