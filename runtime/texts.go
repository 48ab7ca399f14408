package runtime

import (
	"fmt"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// page is the text half of an answer, written line by line. Every value in it is made visible first, so no value can
// pose as a line of ours.
type page struct{ strings.Builder }

func (p *page) line(format string, a ...any) {
	fmt.Fprintf(p, format, a...)
	p.WriteByte('\n')
}

// field writes a line for a value that there is.
func (p *page) field(name, value string) {
	if value != "" {
		p.line("%s: %s", name, value)
	}
}

func (p *page) done() string { return strings.TrimSuffix(p.String(), "\n") }

func (p *previewed) text() string {
	var out page
	out.line("Preview of %s. Nothing has been written.", p.record.Operation)
	out.diff(p.view)
	out.line("%s", p.undo().text())
	out.field("change_id", p.record.ID)
	out.field("confirmation_token", p.token)
	out.field("expires_at", stamp(p.record.ExpiresAt))
	out.field("writes_enabled", fmt.Sprint(p.writes))
	out.field("approval", p.yes.approval())
	if n := p.items(); n > 0 {
		out.field("items", fmt.Sprint(n))
	}
	if p.yes.rejection != nil {
		out.field("previously_rejected", joined(p.yes.rejection.id, visible.Value(p.yes.rejection.reason)))
	}
	out.field("payload_hash", p.record.PayloadHash)
	out.field("shown_digest", p.record.ShownDigest)
	out.line("Next: %s", p.next())
	return out.done()
}

func (u undoJSON) text() string {
	loses := ""
	if u.Loses != "" {
		loses = " It does not bring back: " + u.Loses
	}
	if !u.Possible {
		return "Undo: not possible." + loses
	}
	kind := u.Kind
	if u.Approval != "" {
		kind += ", with an " + u.Approval + "'s yes"
	}
	return fmt.Sprintf("Undo: possible (%s).%s", kind, loses)
}

func (a *appliedAnswer) text() string {
	var out page
	out.line("Applied %s.", a.record.Operation)
	out.field("change_id", a.record.ID)
	out.field("result", visible.Text(string(resultTold(&a.record))))
	out.field("result_flaw", a.record.ResultFlaw)
	out.field("undo_token", a.token)
	out.field("undo_expires_at", stampIf(a.record.UndoExpiresAt))
	out.line("Next: %s", a.next())
	return out.done()
}

func (u *undoneAnswer) text() string {
	var out page
	out.line("Undone %s.", u.record.Operation)
	out.field("change_id", u.record.ID)
	out.line("Next: %s", u.next())
	return out.done()
}

func (s *statusAnswer) text() string {
	r := &s.record
	var out page
	out.line("Change %s of %s is %s.", r.ID, r.Operation, r.Status)
	if s.inDoubt {
		out.line("In doubt: %s", s.doubtReason())
	}
	v := s.view()
	out.diff(v)
	out.field("loses", v.Loses)
	out.field("created_at", stamp(r.CreatedAt))
	out.field("updated_at", stamp(r.UpdatedAt))
	out.field("expires_at", stamp(r.ExpiresAt))
	out.field("applied_at", stampIf(r.AppliedAt))
	out.field("undo_expires_at", stampIf(r.UndoExpiresAt))
	out.field("outcome", r.Outcome)
	out.field("code", r.Code)
	out.field("message", s.message())
	out.field("result_flaw", r.ResultFlaw)
	out.field("approval", s.approval())
	out.field("decision", verdictWord(r.Decision.Verdict))
	out.field("undo_decision", verdictWord(r.UndoDecision.Verdict))
	out.field("retry_of", r.RetryOf)
	out.field("retry_id", r.RetryID)
	out.field("retry_at", stampIf(s.roomAt))
	out.field("payload_hash", r.PayloadHash)
	out.field("shown_digest", r.ShownDigest)
	out.line("Next: %s", s.next())
	return out.done()
}

func (r *refusal) text() string {
	var out page
	out.line("Refused (%s): %s", r.code, r.told())
	for _, d := range r.listedChanges() {
		out.line("  %s", d.text())
	}
	for _, v := range r.listed() {
		out.line("  %s", violationText(v))
	}
	if n := r.omitted(); n > 0 {
		out.line("  … and %d more", n)
	}
	out.field("result", visible.Text(string(r.result)))
	out.field("result_flaw", r.resultFlaw)
	out.field("undo_token", r.undoToken)
	out.field("retry_at", stampIf(r.roomAt))
	out.field("undo_expires_at", r.undoExpires)
	if o := r.retry; o != nil {
		out.field("retry change_id", o.id)
		out.field("retry confirmation_token", o.token)
		out.field("retry expires_at", o.expires)
	}
	out.field("change_id", r.changeID)
	out.field("change_status", string(r.status))
	out.line("What to do: %s", visible.Text(r.hint))
	return out.done()
}

// violationText says each thing once.
func violationText(v payload.Violation) string {
	text := fmt.Sprintf("%s: expected %s, found %s", pointerText(v.Pointer), visible.Text(v.Expected), visible.Text(v.Found))
	if v.Meant != "" {
		text += "; did you mean " + visible.Text(v.Meant) + "?"
	}
	return text
}

// pointerText names the whole, whose pointer is empty, as the messages of violations do.
func pointerText(pointer string) string {
	if pointer == "" {
		return "the whole value"
	}
	return visible.Value(pointer)
}

// diff writes the summary, and each row in a line of its own.
func (p *page) diff(v shown.View) {
	p.line("%s", v.Summary)
	for _, row := range v.Rows {
		p.line("  %s", row.Text())
	}
	if v.Overview != nil {
		p.line("%s", v.Overview.Text())
	}
}
