package runtime

import (
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// previewed answers a preview. It is the only answer with the confirmation token.
type previewed struct {
	record ledger.Record
	op     *registered
	shown  shown
	token  string
	writes bool
}

func (p *previewed) next() string {
	next := fmt.Sprintf(nextPreviewed, p.op.applyTool)
	if !p.writes {
		next += nextPreviewedOff
	}
	return next
}

func (p *previewed) structure() any {
	return previewJSON{
		Status: statusPreview, ChangeID: p.record.ID, Operation: p.record.Operation,
		Summary: p.shown.Summary, Diff: p.shown.lines(), Undo: p.undo(), ConfirmationToken: p.token,
		ExpiresAt: stamp(p.record.ExpiresAt), WritesEnabled: p.writes, NextStep: p.next(),
	}
}

// undo says, before anyone agrees, how far the change could be taken back.
func (p *previewed) undo() undoJSON {
	if p.op.undo == nil {
		return undoJSON{Loses: p.shown.Loses}
	}
	u := undoJSON{Possible: true, Kind: "exact", Loses: p.shown.Loses}
	if p.op.Inverse == Compensating {
		u.Kind = "compensating"
	}
	return u
}

func (*previewed) refuses() bool { return false }

// appliedAnswer answers an apply that wrote. It is the only answer with the undo token.
type appliedAnswer struct {
	record   ledger.Record
	token    string // "" when it cannot be undone
	undoTool string
	undoes   bool // the operation has an undo
	unlooked bool // the state after apply is not known
}

func (a *appliedAnswer) next() string {
	next := joined(nextApplied, whyNoResult(a.record.ResultFlaw))
	switch {
	case a.token == "" && a.undoes:
		return next + nextAppliedNoResult
	case a.token == "":
		return next + nextAppliedNoUndo
	}
	next += fmt.Sprintf(nextAppliedUndo, a.undoTool)
	if a.unlooked {
		next += nextAppliedUnlooked
	}
	return next
}

func (a *appliedAnswer) structure() any {
	return appliedJSON{
		Status: string(ledger.Applied), ChangeID: a.record.ID, Operation: a.record.Operation,
		Result: a.record.Result, ResultFlaw: a.record.ResultFlaw,
		UndoToken: a.token, UndoExpiresAt: stampIf(a.record.UndoExpiresAt), NextStep: a.next(),
	}
}

func (*appliedAnswer) refuses() bool { return false }

// undoneAnswer answers an undo after which the state is as before the change.
type undoneAnswer struct {
	record  ledger.Record
	already bool // nothing had to be written
}

func (u *undoneAnswer) next() string {
	if u.already {
		return nextUndoneAlready + nextUndone
	}
	return nextUndone
}

func (u *undoneAnswer) structure() any {
	return undoneJSON{
		Status: string(ledger.Undone), ChangeID: u.record.ID, Operation: u.record.Operation, NextStep: u.next(),
	}
}

func (*undoneAnswer) refuses() bool { return false }

// statusAnswer answers a question for the status. It never has a token, nor a result: whoever holds the spent token gets
// that from a repeated apply.
type statusAnswer struct {
	record  ledger.Record
	shown   shown
	now     time.Time
	inDoubt bool
	known   string // how the claim ended, although the ledger has not recorded that
}

func (s *statusAnswer) next() string {
	switch s.record.Status {
	case ledger.Pending:
		return nextPending
	case ledger.Expired:
		return nextExpired
	case ledger.Rejected:
		return nextRejected
	case ledger.Undone:
		return nextStatusUndone
	case ledger.Applying, ledger.Undoing:
		return s.nextClaimed()
	}
	return joined(nextAfter(&s.record, s.now), whyNoResult(s.record.ResultFlaw))
}

func (s *statusAnswer) nextClaimed() string {
	switch {
	case s.known != "":
		return nextUnrecorded(&s.record)
	case s.inDoubt:
		return nextInDoubt + hintOpen(&s.record)
	}
	return nextInFlight + hintOpen(&s.record)
}

// doubtReason is "" for a change that is not in doubt.
func (s *statusAnswer) doubtReason() string {
	if !s.inDoubt {
		return ""
	}
	return visible(s.doubt())
}

// doubt says what is in doubt, and why.
func (s *statusAnswer) doubt() string {
	if s.known != "" {
		return s.known + " " + notRecorded
	}
	return doubtOf(&s.record, s.record.DoubtReason)
}

func (s *statusAnswer) structure() any {
	r := &s.record
	return statusJSON{
		Status: string(r.Status), ChangeID: r.ID, Operation: r.Operation,
		Summary: s.shown.Summary, Diff: s.shown.lines(), Loses: s.shown.Loses,
		CreatedAt: stamp(r.CreatedAt), UpdatedAt: stamp(r.UpdatedAt), ExpiresAt: stamp(r.ExpiresAt),
		AppliedAt: stampIf(r.AppliedAt), UndoExpiresAt: stampIf(r.UndoExpiresAt),
		InDoubt: s.inDoubt, DoubtReason: s.doubtReason(), Outcome: r.Outcome, Code: Code(r.Code), Message: visible(r.Message),
		ResultFlaw: r.ResultFlaw, NextStep: s.next(),
	}
}

func (*statusAnswer) refuses() bool { return false }

// stampIf is "" for no time.
func stampIf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return stamp(t)
}
