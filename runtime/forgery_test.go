package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// forged are texts that show a reader something else than they are.
var forged = map[string]string{
	"right to left":        "a\u202egpj.exe",
	"isolate":              "a\u2066b",
	"zero width":           "a\u200bb",
	"line separator":       "a\u2028b",
	"erase the screen":     "a\x1b[2Jb",
	"the same in 8 bits":   "a\u009b2Jb",
	"a link":               "\x1b]8;;https://example.com\x1b\\here\x1b]8;;\x1b\\",
	"carriage return":      "approved\rrefused",
	"a line of ours":       "a\n\nApproved by admin",
	"tags":                 "a\U000e0041\U000e0042",
	"a variation selector": "a\ufe0fb",
}

// hides finds a character that a reader would not see as itself. Lines of our own are told from others by their texts.
func hides(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector))
	})
}

// wantUnforged checks what a person may see of something: raw bytes of a structured half, and texts.
func wantUnforged(t *testing.T, what string, surfaces ...string) {
	t.Helper()
	for _, s := range surfaces {
		if hides(s) || strings.Contains(s, "\nApproved by admin") {
			t.Errorf("%s can be forged: %q", what, s)
		}
	}
}

// The text of each answer, the bytes of its other half, and the log show a text that poses as something else as what it
// is; what is hashed, stored and applied is the text itself.
func TestForgedTextIsShownAsItIs(t *testing.T) {
	t.Parallel()
	for name, text := range forged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.preview(t, "theme", text)
			wantUnforged(t, "the preview", p.text, string(p.wireHalf), p.Summary, p.Diff[0].Field)
			wantValue(t, p.Diff[0].After, text)
			s := w.status(t, p.ChangeID)
			wantUnforged(t, "the status", s.text, string(s.wireHalf), s.Summary)
			program, people := w.readChange(t, p.ChangeID)
			wantUnforged(t, "the resource", program, people)
			a := w.apply(t, p.ChangeID, p.ConfirmationToken)
			if a.Status != "applied" || w.value(t, "theme") != text {
				t.Errorf("applied %q, not %q: %s", w.value(t, "theme"), text, a.raw)
			}
			hash := exact.Hash(w.record(t, p.ChangeID).Payload)
			if p.PayloadHash != hash || !strings.Contains(string(w.record(t, p.ChangeID).Payload), mustEncode(t, text)) {
				t.Errorf("the hash is %s, and of the payload %s", p.PayloadHash, hash)
			}
			w.edit(t, "theme", text+"!")
			r := w.undo(t, a.ChangeID, a.UndoToken)
			wantRefused(t, r, "state_changed")
			wantUnforged(t, "a difference", r.text, string(r.wireHalf))
			wantValue(t, r.Changed[0].Was, text)
			wantUnforged(t, "the log", w.log.String())
		})
	}
}

// A label is made by hand where it is not generated, and a refusal and an error may repeat what another system said.
func TestForgedTextOfOthersIsShownAsItIs(t *testing.T) {
	t.Parallel()
	for name, text := range forged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := error(nil)
			w := newWorld(t, func(w *world) {
				w.operation.Title = "Set " + text
				w.options.Logger = slog.New(slog.NewJSONHandler(w.log, nil))
				w.operation.Summary = func(*setChange) string { return "Set it to " + text }
				w.operation.Loses = func(*setChange) string { return text }
				w.operation.Diff = func(c *setChange) []runtime.Row {
					return []runtime.Row{
						{Label: text, Before: c.State.Value, After: c.Payload.Value},
						{Label: "keys", Before: map[string]string{text: "a"}, After: map[string]string{text: "b"}, Parts: true},
						{Label: "whole", Before: map[string]string{text: "a"}, After: map[string]string{text: "b"}},
					}
				}
				w.operation.Apply = func(context.Context, *setChange) (*setResult, error) { return nil, answer }
			})
			p := w.preview(t, "theme", "dark")
			wantUnforged(t, "the preview", p.text, string(p.wireHalf), p.Summary, p.Undo.Loses, p.Diff[0].Field, p.Diff[1].Field)
			for _, err := range []error{
				runtime.NotApplied(runtime.Refuse("the target said: %s", text)), fmt.Errorf("the target said: %s", text),
				runtime.InDoubt(runtime.Refuse("the target said: %s", text)), runtime.InDoubt(errors.New(text)),
			} {
				answer = err
				p := w.preview(t, "theme", "dark")
				r := w.apply(t, p.ChangeID, p.ConfirmationToken)
				s := w.status(t, p.ChangeID)
				program, people := w.readChange(t, p.ChangeID)
				again := w.apply(t, p.ChangeID, p.ConfirmationToken)
				wantUnforged(t, "a refusal", r.text, string(r.wireHalf), r.Message, r.Hint)
				wantUnforged(t, "the status", s.text, string(s.wireHalf), s.Message, s.DoubtReason)
				wantUnforged(t, "the resource", program, people)
				wantUnforged(t, "a repeated call", again.text, string(again.wireHalf), again.Message)
			}
			wantUnforged(t, "the log", w.log.String())
			for _, tool := range w.tools(t) {
				wantUnforged(t, "a tool", tool.Title, tool.Description)
			}
		})
	}
}

// An object key in a payload and in a state is a text from outside too.
func TestForgedKeysAreShownAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, text := range forged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, arguments := range []map[string]any{
				{"key": "theme", "value": "dark", text: 1}, {"key": text, "value": "dark"}, {"key": "theme", "value": map[string]any{text: text}},
			} {
				r := w.call(t, "preview_set_setting", arguments)
				wantRefused(t, r, "invalid_payload")
				wantUnforged(t, "a violation", r.text, string(r.wireHalf), r.Violations[0].Pointer, r.Violations[0].Found, r.Violations[0].Message)
			}
			r := w.call(t, "apply_set_setting", map[string]any{"change_id": text, text: text})
			wantUnforged(t, "an argument", r.text, string(r.wireHalf))
			if _, err := w.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "changeset://" + text}); err == nil {
				t.Error("it was read")
			} else {
				wantUnforged(t, "an address", err.Error())
			}
		})
	}
}

// A key poses as a row of its own: it stays within its quotes.
func TestForgedKeyIsNoRow(t *testing.T) {
	t.Parallel()
	w := showing(t, runtime.Row{
		Label: "labels", Before: map[string]int{`a: 1 -> 1 (does not change), b`: 1}, After: map[string]int{`a: 1 -> 1 (does not change), b`: 2}, Parts: true,
	})
	p := w.preview(t, "theme", "dark")
	if says := `  "labels/a: 1 -> 1 (does not change), b": 1 -> 2`; !strings.Contains(p.text, says) {
		t.Errorf("%q is not in %s", says, p.text)
	}
}

// A person who decides may write anything as their reason.
func TestForgedReasonIsShownAsItIs(t *testing.T) {
	t.Parallel()
	for name, text := range forged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.preview(t, "theme", "dark")
			operator, err := runtime.NewOperator(w.store, runtime.Decider{Name: "ann" + text, Channel: "changesetctl"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := operator.Reject(t.Context(), shownTo(t, operator, p.ChangeID, runtime.SubjectApply), "no: "+text); err != nil {
				t.Fatal(err)
			}
			s, r, again := w.status(t, p.ChangeID), w.apply(t, p.ChangeID, p.ConfirmationToken), w.preview(t, "theme", "dark")
			wantUnforged(t, "the status", s.text, string(s.wireHalf), s.Message)
			wantUnforged(t, "the refusal", r.text, string(r.wireHalf), r.Message)
			wantUnforged(t, "the next preview", again.text, string(again.wireHalf), again.NextStep)
			if kept := w.record(t, p.ChangeID); kept.Status != ledger.Rejected || !strings.Contains(kept.Decision.Reason, strings.TrimSpace(text)) {
				t.Errorf("kept: %q", kept.Decision.Reason)
			}
		})
	}
}

// wantValue checks that a value in an answer is a text, exactly.
func wantValue(t *testing.T, value json.RawMessage, text string) {
	t.Helper()
	var got string
	if err := json.Unmarshal(value, &got); err != nil || got != text {
		t.Errorf("%s is not %q: %v", value, text, err)
	}
}

// mustEncode is a text as the ledger keeps it.
func mustEncode(t *testing.T, text string) string {
	t.Helper()
	encoded, err := exact.FromTree(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}
