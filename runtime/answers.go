package runtime

import (
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// previewed answers a preview. It is the only answer with the confirmation token.
type previewed struct {
	record ledger.Record
	op     *registered
	view   shown.View
	token  string
	writes bool
	hidden bool // there is no tool to apply it with

	yes      yes  // beyond the token
	repeated bool // the request was made before
}

func (p *previewed) next() string {
	next := p.nextApproved()
	if p.repeated {
		next = nextRepeated + next
	}
	if p.yes.rejection != nil {
		next = joined(next, p.yes.rejection.told(), nextRejectedBefore)
	}
	switch {
	case p.hidden:
		next += nextHidden
	case !p.writes:
		next += nextPreviewedOff
	}
	return next
}

// nextApproved is what to do about whoever has to say yes.
func (p *previewed) nextApproved() string {
	waits := p.yes.needed
	switch {
	case waits && approved(&p.record, forApply) && p.hidden:
		return nextApprovedOnly
	case waits && approved(&p.record, forApply):
		return fmt.Sprintf(nextApproved, p.op.applyTool)
	case waits && p.hidden:
		return fmt.Sprintf(nextOperatorOnly, p.record.ID)
	case waits:
		return fmt.Sprintf(nextOperator, p.record.ID, p.op.applyTool)
	case p.hidden:
		return nextShowOnly
	}
	return fmt.Sprintf(nextPreviewed, p.op.applyTool)
}

func (p *previewed) structure() any {
	v := p.view
	return previewJSON{
		Status: statusPreview, ChangeID: p.record.ID, Operation: p.record.Operation,
		Summary: v.Summary, Diff: v.Rows, Overview: v.Overview, Undo: p.undo(), ConfirmationToken: p.token,
		ExpiresAt: stamp(p.record.ExpiresAt), WritesEnabled: p.writes, NextStep: p.next(),
		PayloadHash: p.record.PayloadHash, ShownDigest: p.record.ShownDigest,
		Approval: p.yes.approval(), Items: p.items(), PreviouslyRejected: p.yes.rejection.json(),
	}
}

// items is how many things the change affects, where the operation limits that.
func (p *previewed) items() int64 {
	if p.op.Limits.MaxItems == 0 {
		return 0
	}
	return p.record.Items
}

func (r *rejection) json() *rejectionJSON {
	if r == nil {
		return nil
	}
	return &rejectionJSON{ChangeID: r.id, Reason: visible.Value(r.reason)}
}

// undo says, before anyone agrees, how far the change could be taken back.
func (p *previewed) undo() undoJSON {
	loses := p.view.Loses
	if p.op.undo == nil {
		return undoJSON{Loses: loses}
	}
	u := undoJSON{Possible: true, Kind: "exact", Loses: loses}
	if p.op.Inverse == Compensating {
		u.Kind = "compensating"
	}
	if approvalNamed(p.record.UndoApproval) != ByToken {
		u.Approval = p.record.UndoApproval
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
	undoAsks bool // an undo takes a person's yes besides its token
	unlooked bool // the state after apply is not known
	// overwritten tells, with unlooked, that it is not known because a look did not find what the apply was to make.
	overwritten bool
	replaced    bool // the token went to somebody who made the same call again meanwhile
}

func (a *appliedAnswer) next() string {
	next := joined(nextApplied, whyNoResult(a.record.ResultFlaw))
	switch {
	case a.replaced:
		return next + nextAppliedReplaced
	case a.token == "" && a.undoes:
		return next + nextAppliedNoResult
	case a.token == "":
		return next + nextAppliedNoUndo
	}
	next += fmt.Sprintf(nextAppliedUndo, a.undoTool)
	if a.undoAsks {
		next += fmt.Sprintf(nextAppliedUndoAsks, a.record.ID)
	}
	switch {
	case a.unlooked && a.overwritten:
		next += nextAppliedOverwritten
	case a.unlooked:
		next += nextAppliedUnlooked
	}
	return next
}

func (a *appliedAnswer) structure() any {
	return appliedJSON{
		Status: string(ledger.Applied), ChangeID: a.record.ID, Operation: a.record.Operation,
		Result: resultTold(&a.record), ResultFlaw: a.record.ResultFlaw,
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
	shown   shown.Change
	now     time.Time
	inDoubt bool
	known   string // how the claim ended, although the ledger has not recorded that
	yes     yes    // of a change that waits: what its apply needs besides the token
	writes  bool
	hidden  bool      // there are no tools that write
	roomAt  time.Time // of a change that waits, where its limit is reached: when there is room again

	requested bool         // the answer is to a preview whose request_id was used before
	extent    shown.Extent // how much of the change is told
}

func (s *statusAnswer) next() string {
	if s.requested && s.record.Status != ledger.Rejected { // nobody is led round a no
		return joined(s.nextStep(), nextRequestSpent)
	}
	return s.nextStep()
}

// nextStep ends with what is in the way of it: a tool that is not there is not to be called.
func (s *statusAnswer) nextStep() string {
	step := s.nextOfStatus()
	switch {
	case !s.toolsAreNext():
	case s.hidden:
		step += nextHidden
	case !s.writes:
		step += nextWritesOff
	}
	return step
}

// toolsAreNext tells whether a tool that writes may still do something about the change.
func (s *statusAnswer) toolsAreNext() bool {
	r := &s.record
	return r.Status == ledger.Pending || r.RetryID != "" || r.Status == ledger.Applied && undoable(r, s.now) && !undoRejected(r)
}

func (s *statusAnswer) nextOfStatus() string {
	switch s.record.Status {
	case ledger.Pending:
		return joined(s.nextPending(), roomTold(&s.record, s.roomAt))
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

// nextPending is what to do about a change that waits.
func (s *statusAnswer) nextPending() string {
	given := approved(&s.record, forApply)
	switch {
	case given && s.hidden:
		return nextApprovedOnly
	case given:
		return nextPendingApproved
	case s.yes.needed && s.hidden:
		return joined(fmt.Sprintf(nextWaitingOnly, s.record.ID), s.yes.rejection.told())
	case s.yes.needed:
		return joined(fmt.Sprintf(nextWaiting, s.record.ID), s.yes.rejection.told())
	case s.hidden:
		return nextPendingOnly
	}
	return nextPending
}

// approval is who has to say yes to the apply.
func (s *statusAnswer) approval() string {
	if s.yes.needed {
		return s.yes.approval()
	}
	return s.record.Approval
}

func (s *statusAnswer) nextClaimed() string {
	switch {
	case s.known != "":
		return nextUnrecorded(&s.record)
	case s.inDoubt && s.record.Joined:
		return nextInDoubtJoined + hintOpen(&s.record)
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
	return s.extent.Text(s.doubt())
}

// doubt says what is in doubt, and why.
func (s *statusAnswer) doubt() string {
	if s.known != "" {
		return s.known + " " + notRecorded
	}
	return doubtOf(&s.record)
}

func (s *statusAnswer) view() shown.View { return s.shown.View(changeURI(s.record.ID), s.extent) }

// message is what the agent was told of a failure, or the reason of a person.
func (s *statusAnswer) message() string {
	return s.extent.Text(s.record.Message)
}

func (s *statusAnswer) structure() any {
	r, v := &s.record, s.view()
	return statusJSON{
		Status: string(r.Status), ChangeID: r.ID, Operation: r.Operation,
		Summary: v.Summary, Diff: v.Rows, Overview: v.Overview, Loses: v.Loses,
		CreatedAt: stamp(r.CreatedAt), UpdatedAt: stamp(r.UpdatedAt), ExpiresAt: stamp(r.ExpiresAt),
		AppliedAt: stampIf(r.AppliedAt), UndoExpiresAt: stampIf(r.UndoExpiresAt),
		InDoubt: s.inDoubt, DoubtReason: s.doubtReason(), Outcome: r.Outcome, Code: Code(r.Code), Message: s.message(),
		ResultFlaw: r.ResultFlaw, NextStep: s.next(),
		PayloadHash: r.PayloadHash, ShownDigest: r.ShownDigest,
		Approval: s.approval(), Decision: verdictWord(r.Decision.Verdict), UndoDecision: verdictWord(r.UndoDecision.Verdict),
		RetryOf: r.RetryOf, RetryID: r.RetryID, RetryAt: stampIf(s.roomAt),
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
