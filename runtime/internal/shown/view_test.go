package shown_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/internal/shown"
)

const address = "changeset://c"

func texts(rows []shown.LineView) []string {
	var told []string
	for _, r := range rows {
		told = append(told, r.Text())
	}
	return told
}

func TestWhatIsKeptIsReadAsItWas(t *testing.T) {
	t.Parallel()
	kept := shown.Change{
		Summary: "Set theme", Loses: "the old one", Compensates: true, NeedsResult: true,
		Rows: []shown.Line{{Field: "theme", Before: json.RawMessage(`null`)}, {Field: "pin", Sensitive: shown.SensitiveChanged}},
	}
	canonical, err := kept.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := shown.Read(canonical)
	if diff := cmp.Diff(kept, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, broken := range []string{"", `"text"`, `{"rows":`, `{"rows":7}`} {
		if _, err := shown.Read([]byte(broken)); err == nil {
			t.Errorf("%q was read", broken)
		}
	}
}

func TestRowAsAPersonReadsIt(t *testing.T) {
	t.Parallel()
	one, two := json.RawMessage(`1`), json.RawMessage(`2`)
	for _, test := range []struct {
		name           string
		line           shown.Line
		text, reversed string
		changes        bool
	}{
		{"a change", shown.Line{Field: "n", Before: one, After: two}, "n: 1 -> 2", "n: 2 -> 1", true},
		{"the same", shown.Line{Field: "n", Before: one, After: one}, "n: 1 -> 1", "n: 1 -> 1", false},
		{"it comes", shown.Line{Field: "n", After: two}, "n: (none) -> 2", "n: 2 -> (none)", true},
		{"it goes", shown.Line{Field: "n", Before: one}, "n: 1 -> (none)", "n: (none) -> 1", true},
		{"null is none of these", shown.Line{Field: "n", Before: json.RawMessage(`null`)}, "n: null -> (none)", "n: (none) -> null", true},
		{"context", shown.Line{Field: "n", Before: one, Context: true}, "n: 1 (does not change)", "n: 1 (does not change)", false},
		{"made by the target", shown.Line{Field: "n", Before: one, KnownAfterApply: true}, "n: 1 -> (known after apply)", "n: (made by the apply) -> 1", true},
		{"sensitive", shown.Line{Field: "n", Before: one, After: two}.Redacted(), "n: changed (its value is not shown)", "n: changed (its value is not shown)", true},
		{"sensitive and the same", shown.Line{Field: "n", Before: one, After: one}.Redacted(), "n: unchanged (its value is not shown)", "n: unchanged (its value is not shown)", false},
		{"asked for", shown.Line{Field: "n", After: two, Asked: true}, "n: (none) -> 2", "n: 2 (asked for with the change; nothing shows that the undo writes it)", true},
		{"asked for and sensitive", shown.Line{Field: "n", After: two, Asked: true}.Redacted(), "n: changed (its value is not shown)", "n: (its value is not shown) (asked for with the change; nothing shows that the undo writes it)", true},
		{"a name that poses as more", shown.Line{Field: `n: 1 -> "2"`, Before: one, After: two}, `"n: 1 -> \"2\"": 1 -> 2`, `"n: 1 -> \"2\"": 2 -> 1`, true},
		{
			"lines", shown.Line{Field: "n", Before: json.RawMessage(`"a\nb\n"`), After: json.RawMessage(`"a\nc\n"`)},
			"n:\n    @@ -1,2 +1,2 @@\n     a\n    -b\n    +c", "n:\n    @@ -1,2 +1,2 @@\n     a\n    -c\n    +b", true,
		},
	} {
		if diff := cmp.Diff([]string{test.text, test.reversed}, []string{test.line.Text(), test.line.ReversedText()}); diff != "" || test.line.Changes() != test.changes {
			t.Errorf("%s: changes %t (-want +got):\n%s", test.name, test.line.Changes(), diff)
		}
	}
}

func TestOnlyTextsAreShownByTheirLines(t *testing.T) {
	t.Parallel()
	was := json.RawMessage(`"a\nb"`)
	for now, want := range map[string]bool{`"a\nc"`: true, `["a\nb"]`: false, ``: false, `null`: false} {
		if got := (shown.Line{Before: was, After: value(t, now)}).View(shown.Entire); (got.Lines != nil) != want {
			t.Errorf("%s: %q", now, got.Lines)
		}
	}
}

func TestSmallChangeIsShownWhole(t *testing.T) {
	t.Parallel()
	c := shown.Change{Summary: "Set a\nb", Loses: "c\nd", Rows: []shown.Line{{Field: "n", After: json.RawMessage(`1`)}}}
	v := c.View(address, shown.Excerpted)
	if v.Summary != "Set a\n  | b" || v.Loses != `c\nd` || v.Overview != nil {
		t.Errorf("%+v", v)
	}
	if diff := cmp.Diff([]string{"n: (none) -> 1"}, texts(v.Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if none := (shown.Change{}).View(address, shown.Excerpted); none.Rows == nil || none.Overview != nil {
		t.Errorf("no rows: %+v", none)
	}
}

// Rows that change nothing do not take the room of those that do, and what is left out is counted.
func TestExcerptCrowdsNoChangeOut(t *testing.T) {
	t.Parallel()
	c := shown.Change{Summary: "Set all"}
	for i := range 60 {
		c.Rows = append(c.Rows, shown.Line{Field: fmt.Sprint("same", i), Before: json.RawMessage(`"x"`), Context: true})
	}
	c.Rows = append(c.Rows,
		shown.Line{Field: "rise", Before: json.RawMessage(`1`), After: json.RawMessage(`100`)},
		shown.Line{Field: "fall", Before: json.RawMessage(`1`), After: json.RawMessage(`-7.5`)})
	v := c.View(address, shown.Excerpted)
	told := texts(v.Rows)
	if n := len(told); n != 50 || told[n-2] != "rise: 1 -> 100" || told[n-1] != "fall: 1 -> -7.5" {
		t.Errorf("%d rows: %q", n, told)
	}
	const want = "Not all of it is shown here: 62 rows, 2 of which change; 12 are left out. " +
		"Largest rise: rise: 1 -> 100. Largest fall: fall: 1 -> -7.5. The whole is the resource changeset://c."
	if v.Overview == nil || v.Overview.Text() != want {
		t.Errorf("overview: %+v", v.Overview)
	}
	if whole := c.View(address, shown.Entire); len(whole.Rows) != 62 || whole.Overview != nil {
		t.Errorf("the whole has %d rows and %+v", len(whole.Rows), whole.Overview)
	}
}

func TestLongValuesAreCutWhereTheyDiffer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 9000)
	text := func(s string) json.RawMessage { return json.RawMessage(`"` + s + `"`) }
	for _, test := range []struct {
		name          string
		was, now      json.RawMessage
		extent        shown.Extent
		cut           bool
		differsAt     int
		wantIn, notIn string
	}{
		{"short", text("a"), text("b"), shown.Excerpted, false, 0, `"b"`, "…"},
		{"in the middle", text(long + "b" + long), text(long + "c" + long), shown.Excerpted, true, 9001, "c", ""},
		{"on one side only", nil, text(long), shown.Excerpted, true, 0, "a", ""},
		{"in whole", text(long), text(long + "c"), shown.Entire, false, 0, long + "c", "…"},
	} {
		p := shown.Tell(test.was, test.now, test.extent)
		if p.Cut != test.cut || p.DiffersAt != test.differsAt || !strings.Contains(p.Now.Text, test.wantIn) ||
			test.notIn != "" && strings.Contains(p.Now.Text, test.notIn) {
			t.Errorf("%s: cut %t, differs at %d: %.80s", test.name, p.Cut, p.DiffersAt, p.Now.Text)
		}
		if !json.Valid(p.Now.JSON) || p.Cut == (string(p.Now.JSON) == string(test.now)) {
			t.Errorf("%s: for programs %.80s", test.name, p.Now.JSON)
		}
		if test.was == nil && (p.Was.JSON != nil || p.Was.Text != shown.None) {
			t.Errorf("%s: nothing is told as %s", test.name, p.Was.Text)
		}
	}
	if got := shown.Excerpted.Text(long + "\n"); len(got) >= len(long) || shown.Entire.Text("a\n") != `a\n` {
		t.Errorf("a text of %d characters is told in %d", len(long), len(got))
	}
}
