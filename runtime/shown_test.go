package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
)

// showing is a world whose previews show these rows.
func showing(t *testing.T, rows ...runtime.Row) *world {
	t.Helper()
	return newWorld(t, func(w *world) {
		w.operation.Diff = func(*setChange) []runtime.Row { return rows }
	})
}

// wholeChange is what the resource of a change tells programs.
type wholeChange struct {
	Status      string         `json:"status"`
	ChangeID    string         `json:"change_id"`
	Summary     string         `json:"summary"`
	Diff        []rowReply     `json:"diff"`
	Overview    *overviewReply `json:"overview"`
	ShownDigest string         `json:"shown_digest"`
}

func (w *world) wholeChange(t *testing.T, id string) (c wholeChange, people string) {
	t.Helper()
	program, people := w.readChange(t, id)
	if err := json.Unmarshal([]byte(program), &c); err != nil {
		t.Fatal(err)
	}
	return c, people
}

// What an agent is sent of a large diff is a part of it that says so; the digest is over all of it.
func TestLargeDiffIsToldByItsFirstChangesAndReadWhole(t *testing.T) {
	t.Parallel()
	var rows []runtime.Row
	for i := range 200 {
		same := fmt.Sprintf("v%d", i)
		rows = append(rows, runtime.Row{Label: fmt.Sprintf("same %d", i), Before: same, After: same})
	}
	rows = append(rows,
		runtime.Row{Label: "price", Before: 3, After: json.Number("9007199254740993.5")}, runtime.Row{Label: "stock", Before: 10, After: 2},
		runtime.Row{Label: "count", Before: 1, After: 2}, runtime.Row{Label: "note", Before: "a", After: "b"},
		runtime.Row{Label: "kept", Before: 1000, Context: true})
	w := showing(t, rows...)
	p := w.preview(t, "theme", "dark")
	want := &overviewReply{
		Rows: 205, Changes: 4, LeftOut: 155, Whole: "changeset://" + p.ChangeID,
		LargestRise: &rowReply{Field: "price", Before: []byte("3"), After: []byte("9007199254740993.5")},
		LargestFall: &rowReply{Field: "stock", Before: []byte("10"), After: []byte("2")},
	}
	for _, r := range []reply{p, w.status(t, p.ChangeID)} {
		if diff := cmp.Diff(want, r.Overview); diff != "" {
			t.Errorf("%s (-want +got)\n%s", r.Status, diff)
		}
		if len(r.Diff) != 50 || r.Diff[0].Field != "same 0" || r.Diff[46].Field != "price" || r.Diff[49].Field != "note" {
			t.Errorf("%s lists %d rows: %v", r.Status, len(r.Diff), r.Diff)
		}
		for _, says := range []string{"205 rows, 4 of which change; 155 are left out", "Largest rise: price: 3 -> 9007199254740993.5", "Largest fall: stock: 10 -> 2"} {
			if !strings.Contains(r.text, says) {
				t.Errorf("%q is not in %s", says, r.text)
			}
		}
	}
	whole, people := w.wholeChange(t, p.ChangeID)
	if len(whole.Diff) != len(rows) || whole.Overview != nil || whole.Status != "pending" || whole.ShownDigest != p.ShownDigest {
		t.Errorf("the whole: %+v", whole)
	}
	for _, says := range []string{"same 199: ", "kept: 1000 (does not change)", p.ShownDigest} {
		if !strings.Contains(people, says) {
			t.Errorf("%q is not in %s", says, people)
		}
	}
}

func TestRowsThatTakeMuchLeaveRoomForFewer(t *testing.T) {
	t.Parallel()
	var rows []runtime.Row
	for i := range 30 {
		rows = append(rows, runtime.Row{Label: fmt.Sprint("text ", i), Before: strings.Repeat("a", 1500), After: strings.Repeat("b", 500)})
	}
	p := showing(t, append(rows, runtime.Row{Label: "last", Before: 1, After: 2})...).preview(t, "theme", "dark")
	if len(p.Diff) != 17 || p.Overview == nil || p.Overview.LeftOut != 14 || p.Overview.LargestRise.Field != "last" {
		t.Errorf("%d rows, %+v", len(p.Diff), p.Overview)
	}
}

func TestDigestIsOverWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	digest := func(last string) string {
		text := strings.Repeat("x", 5000)
		w := showing(t, runtime.Row{Label: "body", Before: text, After: text[:1500] + "!" + text[1500:3500] + last + text[3500:]})
		p := w.preview(t, "theme", "dark")
		if strings.Contains(p.text, last) || !p.Diff[0].Cut {
			t.Fatalf("the answer tells it: %s", p.text)
		}
		return p.ShownDigest
	}
	if digest("one") == digest("two") {
		t.Error("the digest is the same")
	}
}

func TestLongValueIsCutInTheMiddleAndReadWhole(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 3000) + strings.Repeat("z", 3000)
	list := []string{long, "end"}
	label := strings.Repeat("l", 500)
	w := showing(t, runtime.Row{Label: label, Before: "short", After: long}, runtime.Row{Label: "list", After: list})
	p := w.preview(t, "theme", "dark")
	var text string
	if err := json.Unmarshal(p.Diff[0].After, &text); err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat("a", 1000) + "… (4000 characters left out) …" + strings.Repeat("z", 1000); text != want || !p.Diff[0].Cut {
		t.Errorf("after: %s", p.Diff[0].After)
	}
	if string(p.Diff[0].Before) != `"short"` || !strings.Contains(p.Diff[0].Field, "(300 characters left out)") {
		t.Errorf("%+v", p.Diff[0])
	}
	if err := json.Unmarshal(p.Diff[1].After, &text); err != nil || !strings.HasPrefix(text, `["aaa`) || !strings.HasSuffix(text, `zzz","end"]`) {
		t.Errorf("a list: %s, %v", p.Diff[1].After, err)
	}
	if says := `aaa" … (4000 characters left out) … "zzz`; !strings.Contains(p.text, says) {
		t.Errorf("%q is not in %s", says, p.text)
	}
	if p.Overview == nil || p.Overview.LeftOut != 0 || p.Overview.Whole == "" {
		t.Errorf("overview: %+v", p.Overview)
	}
	whole, people := w.wholeChange(t, p.ChangeID)
	wantValue(t, whole.Diff[0].After, long)
	if whole.Diff[0].Cut || whole.Diff[0].Field != label || !strings.Contains(people, long) {
		t.Error("the resource is cut")
	}
}

func TestLongSummaryIsCutAndReadWhole(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Set it. ", 1000) + "Really."
	w := newWorld(t, func(w *world) { w.operation.Summary = func(*setChange) string { return long } })
	p := w.preview(t, "theme", "dark")
	if !strings.Contains(p.Summary, "characters left out") || !strings.HasSuffix(p.Summary, "Really.") || p.Overview == nil {
		t.Errorf("%s", p.raw)
	}
	if whole, people := w.wholeChange(t, p.ChangeID); whole.Summary != long || !strings.Contains(people, long) {
		t.Error("the resource is cut")
	}
}

func TestLongTextIsShownByItsLines(t *testing.T) {
	t.Parallel()
	before := "title\n\nfirst\nsecond\nthird\nfourth\nfifth\n"
	after := strings.Replace(before, "second", "2nd", 1)
	w := showing(t, runtime.Row{Label: "body", Before: before, After: after})
	p := w.preview(t, "theme", "dark")
	want := []string{"@@ -1,7 +1,7 @@", " title", " ", " first", "-second", "+2nd", " third", " fourth", " fifth"}
	if diff := cmp.Diff(want, p.Diff[0].Lines); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	wantValue(t, p.Diff[0].Before, before)
	wantValue(t, p.Diff[0].After, after)
	if says := "  body:\n    @@ -1,7 +1,7 @@\n     title\n"; !strings.Contains(p.text, says) || strings.Contains(p.text, `\n`) {
		t.Errorf("the text half:\n%s", p.text)
	}
}

func TestPartsOfARowHaveRowsOfTheirOwn(t *testing.T) {
	t.Parallel()
	type part = map[string]any
	w := showing(t, runtime.Row{
		Label: "spec", Parts: true,
		Before: part{"replicas": 1, "labels": part{"app.kubernetes.io/name": "a", "tier": "web"}, "same": []int{1}},
		After:  part{"replicas": 3, "labels": part{"app.kubernetes.io/name": "b", "tier": nil}, "same": []int{1}},
	})
	p := w.preview(t, "theme", "dark")
	var got []string
	for _, row := range p.Diff {
		got = append(got, fmt.Sprintf("%s: %s -> %s", row.Field, row.Before, row.After))
	}
	want := []string{`spec/labels/app.kubernetes.io~1name: "a" -> "b"`, `spec/labels/tier: "web" -> null`, `spec/replicas: 1 -> 3`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Author's texts and differences are cut as rows are, and a value of another's making stays a value.
func TestRefusalsAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("because ", 2000)
	w := newWorld(t, func(w *world) {
		w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
			return nil, runtime.NotApplied(runtime.Refuse("%s!", long))
		}
	})
	p := w.preview(t, "theme", "dark")
	for _, r := range []reply{w.apply(t, p.ChangeID, p.ConfirmationToken), w.status(t, p.ChangeID), w.apply(t, p.ChangeID, p.ConfirmationToken)} {
		if !strings.Contains(r.Message, "characters left out") || !strings.HasSuffix(r.Message, "!") || len(r.Message) > 3000 || len(r.text) > 4500 {
			t.Errorf("%d bytes of %s", len(r.Message), r.raw)
		}
	}
	p = w.preview(t, "theme", "light!")
	w.edit(t, "theme", long)
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, r, "state_changed")
	if !r.Changed[0].Cut || len(r.Changed[0].Now) > 3000 || string(r.Changed[0].Was) != `"light"` || !strings.Contains(r.text, "characters left out") {
		t.Errorf("%s", r.raw)
	}
}

// A change is read by whom get_change_status tells of it, and by nobody else.
func TestResourceIsThereForWhoMadeTheChange(t *testing.T) {
	t.Parallel()
	type tenant struct{}
	w := newWorld(t, func(w *world) {
		w.options.Scope = func(ctx context.Context) string { s, _ := ctx.Value(tenant{}).(string); return s }
	})
	p := w.preview(t, "theme", "dark")
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	program, people := w.readChange(t, p.ChangeID)
	for _, token := range []string{p.ConfirmationToken, a.UndoToken} {
		if strings.Contains(program+people, token) {
			t.Error("a token is in the resource")
		}
	}
	if _, err := exact.Canonical([]byte(program), exact.DefaultLimits); err != nil {
		t.Error(err)
	}
	inScope := func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			return next(context.WithValue(ctx, tenant{}, "other"), method, req)
		}
	}
	w.server.AddReceivingMiddleware(inScope)
	for _, uri := range []string{"changeset://" + p.ChangeID, "changeset://chg_00000000000000000000", "changeset://" + p.ConfirmationToken} {
		_, err := w.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err == nil || !strings.Contains(err.Error(), "not found") || strings.Contains(err.Error(), p.ConfirmationToken) {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

func TestResourceIsListedAsATemplate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	listed, err := w.session.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.ResourceTemplates) != 1 || listed.ResourceTemplates[0].URITemplate != "changeset://{id}" {
		t.Errorf("%+v", listed.ResourceTemplates)
	}
}

// A long value that is changed in its middle only must not be shown as two values that look the same.
func TestLongValuesAreCutAroundWhereTheyDiffer(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("z", 2500)
	before, after := filler+"allow"+filler, filler+"deny"+filler
	w := showing(t,
		runtime.Row{Label: "text", Before: before, After: after},
		runtime.Row{Label: "list", Before: []string{before}, After: []string{after}},
		runtime.Row{Label: "lines", Before: "first\n" + before, After: "first\n" + after},
		runtime.Row{Label: "longer", Before: before, After: before + "!"},
	)
	p := w.preview(t, "theme", "dark")
	for i, at := range []int{2501, 2503, 2507, 5006} {
		r := p.Diff[i]
		if r.DiffersAt != at || !r.Cut || string(r.Before) == string(r.After) {
			t.Errorf("%s: they differ at %d, want %d:\n%s\n%s", r.Field, r.DiffersAt, at, r.Before, r.After)
		}
		if i < 3 && (!strings.Contains(string(r.Before), "allow") || !strings.Contains(string(r.After), "deny")) {
			t.Errorf("%s is cut elsewhere:\n%s\n%s", r.Field, r.Before, r.After)
		}
	}
	if l := p.Diff[2].Lines; len(l) != 6 || !strings.Contains(l[2], "allow") || !strings.Contains(l[4], "deny") {
		t.Errorf("%q", l)
	}
	for _, says := range []string{`zallowz`, `zdenyz`, `(they differ first at character 2501)`, `(they differ first at character 5006)`} {
		if !strings.Contains(p.text, says) {
			t.Errorf("%q is not in %s", says, p.text)
		}
	}
	p = w.preview(t, "theme", before)
	w.edit(t, "theme", after)
	w.apply(t, p.ChangeID, p.ConfirmationToken)
	p = w.preview(t, "theme", "light")
	w.edit(t, "theme", before)
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, r, "state_changed")
	if c := r.Changed[0]; c.DiffersAt != 2501 || !strings.Contains(string(c.Was), "deny") || !strings.Contains(string(c.Now), "allow") ||
		!strings.Contains(r.text, "they differ first at character 2501") {
		t.Errorf("%s", r.raw)
	}
}
