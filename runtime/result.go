package runtime

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// answer is one complete answer of a tool. Both halves say all of it, because clients drop one or the other.
type answer interface {
	structure() any // marshals to an object
	text() string
	refuses() bool
}

// toResult makes a tool result of an answer. The structured half is JSON text already, so that numbers keep their
// digits. An answer that cannot be written is one of our own faults, and is answered as such.
func toResult(a answer) (*mcp.CallToolResult, error) {
	structured, err := visible.Marshal(a.structure())
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: a.text()}},
		StructuredContent: structured,
		IsError:           a.refuses(),
	}, nil
}

// The structured halves. Members that have no value are left out.
type (
	previewJSON struct {
		Status            string           `json:"status"`
		ChangeID          string           `json:"change_id"`
		Operation         string           `json:"operation"`
		Summary           string           `json:"summary"`
		Diff              []shown.LineView `json:"diff"`
		Overview          *shown.Overview  `json:"overview,omitzero"`
		Undo              undoJSON         `json:"undo"`
		ConfirmationToken string           `json:"confirmation_token"`
		ExpiresAt         string           `json:"expires_at"`
		WritesEnabled     bool             `json:"writes_enabled"`
		NextStep          string           `json:"next_step"`

		PayloadHash        string         `json:"payload_hash"`
		ShownDigest        string         `json:"shown_digest"`
		Approval           string         `json:"approval"`
		Items              int64          `json:"items,omitzero"`
		PreviouslyRejected *rejectionJSON `json:"previously_rejected,omitzero"`
	}
	rejectionJSON struct {
		ChangeID string `json:"change_id,omitzero"`
		Reason   string `json:"reason,omitzero"`
	}
	undoJSON struct {
		Possible bool   `json:"possible"`
		Kind     string `json:"kind,omitzero"`
		Loses    string `json:"loses,omitzero"`
		Approval string `json:"approval,omitzero"` // who has to say yes, besides whoever has the undo token
	}
	appliedJSON struct {
		Status        string          `json:"status"`
		ChangeID      string          `json:"change_id"`
		Operation     string          `json:"operation"`
		Result        json.RawMessage `json:"result,omitzero"`
		ResultFlaw    string          `json:"result_flaw,omitzero"`
		UndoToken     string          `json:"undo_token,omitzero"`
		UndoExpiresAt string          `json:"undo_expires_at,omitzero"`
		NextStep      string          `json:"next_step"`
	}
	undoneJSON struct {
		Status    string `json:"status"`
		ChangeID  string `json:"change_id"`
		Operation string `json:"operation"`
		NextStep  string `json:"next_step"`
	}
	statusJSON struct {
		Status        string           `json:"status"`
		ChangeID      string           `json:"change_id"`
		Operation     string           `json:"operation"`
		Summary       string           `json:"summary"`
		Diff          []shown.LineView `json:"diff"`
		Overview      *shown.Overview  `json:"overview,omitzero"`
		Loses         string           `json:"loses,omitzero"`
		CreatedAt     string           `json:"created_at"`
		UpdatedAt     string           `json:"updated_at"`
		ExpiresAt     string           `json:"expires_at"`
		AppliedAt     string           `json:"applied_at,omitzero"`
		UndoExpiresAt string           `json:"undo_expires_at,omitzero"`
		InDoubt       bool             `json:"in_doubt,omitzero"`
		DoubtReason   string           `json:"doubt_reason,omitzero"`
		Outcome       string           `json:"outcome,omitzero"`
		Code          Code             `json:"code,omitzero"`
		Message       string           `json:"message,omitzero"`
		ResultFlaw    string           `json:"result_flaw,omitzero"`
		NextStep      string           `json:"next_step"`
		PayloadHash   string           `json:"payload_hash"`
		ShownDigest   string           `json:"shown_digest"`
		Approval      string           `json:"approval,omitzero"`
		Decision      string           `json:"decision,omitzero"`
		UndoDecision  string           `json:"undo_decision,omitzero"`
		RetryOf       string           `json:"retry_of,omitzero"`
		RetryID       string           `json:"retry_id,omitzero"`
		RetryAt       string           `json:"retry_at,omitzero"`
	}
	refusalJSON struct {
		Status       string          `json:"status"`
		Code         Code            `json:"code"`
		Message      string          `json:"message"`
		Hint         string          `json:"hint"`
		ChangeID     string          `json:"change_id,omitzero"`
		ChangeStatus string          `json:"change_status,omitzero"`
		Changed      []changeJSON    `json:"changed,omitzero"`
		Violations   []violationJSON `json:"violations,omitzero"`
		Omitted      int             `json:"omitted,omitzero"` // entries that the list has no room for
		Result       json.RawMessage `json:"result,omitzero"`
		ResultFlaw   string          `json:"result_flaw,omitzero"`

		UndoToken     string `json:"undo_token,omitzero"`
		UndoExpiresAt string `json:"undo_expires_at,omitzero"`

		Retry   *retryJSON `json:"retry,omitzero"`
		RetryAt string     `json:"retry_at,omitzero"`
	}
	retryJSON struct {
		ChangeID          string `json:"change_id"`
		ConfirmationToken string `json:"confirmation_token,omitzero"`
		ExpiresAt         string `json:"expires_at"`
	}
	changeJSON struct {
		Field     string          `json:"field"`
		Was       json.RawMessage `json:"was,omitzero"`
		Now       json.RawMessage `json:"now,omitzero"`
		Sensitive bool            `json:"sensitive,omitzero"`
		Cut       bool            `json:"cut,omitzero"`
		DiffersAt int             `json:"differs_at,omitzero"`

		was, now string // for people
	}
	violationJSON struct {
		Pointer  string `json:"pointer"`
		Expected string `json:"expected"`
		Found    string `json:"found"`
		Message  string `json:"message"`
	}
)

// The statuses of answers that are no status of a change.
const (
	statusPreview = "preview"
	statusRefused = "refused"
)

const (
	// maxChangedBytes is how much the differences take before a refusal lists no further one.
	maxChangedBytes = shown.MaxBytes
	// maxListed is how many differences or violations one refusal lists; the rest is counted.
	maxListed = 50
	// maxViolationBytes is how long the texts of the violations are that it lists, together.
	maxViolationBytes = 64 << 10
)

func (r *refusal) structure() any {
	out := refusalJSON{
		Status: statusRefused, Code: r.code, Message: r.told(), Hint: visible.Text(r.hint),
		ChangeID: r.changeID, ChangeStatus: string(r.status), Result: r.result, ResultFlaw: r.resultFlaw,
		UndoToken: r.undoToken, UndoExpiresAt: r.undoExpires, RetryAt: stampIf(r.roomAt),
	}
	if o := r.retry; o != nil {
		out.Retry = &retryJSON{ChangeID: o.id, ConfirmationToken: o.token, ExpiresAt: o.expires}
	}
	out.Changed = r.listedChanges()
	for _, v := range r.listed() {
		out.Violations = append(out.Violations, newViolation(v))
	}
	out.Omitted = r.omitted()
	return out
}

// told is the message as it is said. An author may have put anything into it.
func (r *refusal) told() string { return shown.Excerpted.Text(r.message) }

// newChange is a difference as both halves of an answer say it.
func newChange(d state.Difference) changeJSON {
	values := shown.Tell(d.Was, d.Now, shown.Excerpted)
	return changeJSON{
		Field: visible.Value(d.Field()), Sensitive: d.Sensitive,
		Was: values.Was.JSON, was: values.Was.Text, Now: values.Now.JSON, now: values.Now.Text,
		Cut: values.Cut, DiffersAt: values.DiffersAt,
	}
}

// text of a difference.
func (v changeJSON) text() string {
	field := shown.FieldText(v.Field)
	if v.Sensitive {
		return field + ": changed (its value is not shown)"
	}
	return fmt.Sprintf("%s: was %s, now %s%s", field, v.was, v.now, shown.DiffersText(v.DiffersAt))
}

func newViolation(v payload.Violation) violationJSON {
	return violationJSON{
		Pointer: visible.Value(v.Pointer), Expected: visible.Text(v.Expected), Found: visible.Text(v.Found), Message: visible.Text(v.Message),
	}
}

func (r *refusal) omitted() int {
	return len(r.changed) - len(r.listedChanges()) + len(r.violations) - len(r.listed())
}

// listedChanges are the first differences, as many as the answer has room for.
func (r *refusal) listedChanges() []changeJSON {
	var listed []changeJSON
	size := 0
	for _, d := range head(r.changed) {
		if size > maxChangedBytes {
			break
		}
		v := newChange(d)
		listed, size = append(listed, v), size+shown.Size(v, v.text())
	}
	return listed
}

// listed are the first violations, as many as the answer has room for: one at least, as each is far shorter than that.
func (r *refusal) listed() []payload.Violation {
	first, room := head(r.violations), maxViolationBytes
	for i, v := range first {
		if room -= len(v.Pointer) + len(v.Expected) + len(v.Found) + len(v.Message); room < 0 {
			return first[:i]
		}
	}
	return first
}

// fieldList names the first fields that differ, for operators. Of what is sensitive within a field it names no more than
// what that is in: its own name may be a key that somebody chose.
func fieldList(changed []state.Difference) string {
	var names []string
	first := head(changed)
	for _, d := range first {
		if d.Sensitive && len(d.At) > 1 {
			d.At = d.At[:len(d.At)-1]
		}
		if name := d.Field(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if more := len(changed) - len(first); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func head[T any](list []T) []T { return list[:min(len(list), maxListed)] }

func (*refusal) refuses() bool { return true }
