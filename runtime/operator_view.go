package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/secret"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// View is a change as operators see it. It never holds a token, the hash of one, nor the payload. Its texts are visible, as
// Visible makes them, reasons and names of people as Textf writes a value; a summary may have several lines. The values in
// Diff, UndoDiff and Left are exact, and to be made visible by who prints them.
type View struct {
	ID        string        `json:"change_id"`
	Server    string        `json:"server"`
	Operation string        `json:"operation"`
	Status    ledger.Status `json:"status"` // expired as well for what is pending in the ledger and over

	Seen        Seen   `json:"-"`                     // names what is shown here, for a decision on it
	WaitsFor    Waits  `json:"waits_for,omitzero"`    // whose move it is
	Claim       string `json:"claim,omitzero"`        // what is applying or undoing, for Reconcile
	InDoubt     bool   `json:"in_doubt,omitzero"`     // nobody is known to carry the claim out
	DoubtReason string `json:"doubt_reason,omitzero"` // with InDoubt
	Holder      string `json:"holder,omitzero"`       // of whoever claimed it: alive, gone or unknown; "" without a claim
	HolderName  string `json:"holder_name,omitzero"`  // of whoever claimed it, in the ledger
	Joined      bool   `json:"joined,omitzero"`       // the claim writes to the ledger's own database: in doubt, it has written nothing

	Summary string    `json:"summary"`
	Diff    []DiffRow `json:"diff"`
	Lines   []string  `json:"-"`              // the rows of Diff as a person reads them, whole, with everything made visible
	Loses   string    `json:"loses,omitzero"` // what an undo cannot bring back
	// Compensates tells that an undo does what comes closest, and not exactly what takes the change back.
	Compensates bool      `json:"compensates,omitzero"`
	UndoDiff    []DiffRow `json:"undo_diff,omitzero"` // of an applied change that can be undone: Diff, from after to before
	UndoLines   []string  `json:"-"`                  // the rows of UndoDiff, as Lines are those of Diff

	// Of an applied change that can be undone:
	Unlooked  bool      `json:"unlooked,omitzero"` // what it left is not known: the first undo only looks
	Left      []DiffRow `json:"left,omitzero"`     // what differs from the look before the apply to the one after it, whoever wrote it
	LeftLines []string  `json:"-"`                 // the rows of Left, as Lines are those of Diff

	Items int64 `json:"items,omitzero"` // how many things it affects

	PayloadHash string `json:"payload_hash"`
	ShownDigest string `json:"shown_digest,omitzero"` // over payload, state and what was shown

	Approval     Approval        `json:"approval"`               // who says yes to the apply, as far as the record tells
	AskedBecause string          `json:"asked_because,omitzero"` // why operators are asked who would not be by the preview
	UndoApproval Approval        `json:"undo_approval"`          // who says yes to the undo
	Decision     *ViewDecision   `json:"decision,omitzero"`
	UndoDecision *ViewDecision   `json:"undo_decision,omitzero"`
	UndoRequest  *ledger.Request `json:"undo_request,omitzero"`

	Undoable      bool      `json:"undoable"`            // it can be taken back now, or could be once applied
	CreatedAt     time.Time `json:"created_at,omitzero"` // zero of a record that cannot be read, as is all but the id
	UpdatedAt     time.Time `json:"updated_at,omitzero"`
	ExpiresAt     time.Time `json:"expires_at,omitzero"`
	ClaimedAt     time.Time `json:"claimed_at,omitzero"`
	AppliedAt     time.Time `json:"applied_at,omitzero"`
	UndoExpiresAt time.Time `json:"undo_expires_at,omitzero"`
	DoubtAt       time.Time `json:"doubt_at,omitzero"`
	Now           time.Time `json:"-"` // the time by which what is over is over

	Damaged    bool   `json:"damaged,omitzero"` // the record is not what was previewed, or cannot be read; Error says more
	Code       Code   `json:"code,omitzero"`
	Message    string `json:"message,omitzero"` // what the agent was told of a failure
	Error      string `json:"error,omitzero"`   // the whole error, for operators only
	Outcome    string `json:"outcome,omitzero"` // of a failure: not_applied or unknown
	ResultFlaw string `json:"result_flaw,omitzero"`

	RetryOf            string `json:"retry_of,omitzero"`            // the change that this one tries again
	RetriedAs          string `json:"retried_as,omitzero"`          // the change that tries this one again
	PreviouslyRejected string `json:"previously_rejected,omitzero"` // a rejected change of the same payload
	PreviousRejection  string `json:"previous_rejection,omitzero"`  // why that was rejected; of Get only, and "" once it is pruned

	Events []ViewEvent `json:"events,omitzero"` // oldest first; of Get only
}

// DiffRow is one row of what was shown. A nil value is absent.
type DiffRow struct {
	Field           string          `json:"field"`
	Before          json.RawMessage `json:"before,omitzero"`
	After           json.RawMessage `json:"after,omitzero"`
	Context         bool            `json:"context,omitzero"`           // it does not change
	KnownAfterApply bool            `json:"known_after_apply,omitzero"` // After is made by the target; of an undo, Before was
	Sensitive       string          `json:"sensitive,omitzero"`         // changed or unchanged, of values that nobody is shown
	Asked           bool            `json:"asked,omitzero"`             // of what was asked for alone: the state need not hold it
}

// ViewEvent is one transition of a change.
type ViewEvent struct {
	Seq    int64         `json:"seq"`
	At     time.Time     `json:"at"`
	Actor  string        `json:"actor"`
	From   ledger.Status `json:"from,omitzero"`
	To     ledger.Status `json:"to"`
	Code   Code          `json:"code,omitzero"`
	Reason string        `json:"reason,omitzero"`
}

// ViewDecision is a person's yes or no.
type ViewDecision struct {
	Verdict string    `json:"verdict"` // approved or rejected
	At      time.Time `json:"at"`
	By      string    `json:"by"`
	Channel string    `json:"channel"`
	Reason  string    `json:"reason,omitzero"`
	Digest  string    `json:"digest"` // what it is bound to
}

// Get is one change with its events. ErrNoSuchChange if there is none.
func (o *Operator) Get(ctx context.Context, id string) (View, error) {
	s, err := o.look(ctx, id)
	if err != nil {
		return View{}, err
	}
	v, err := o.show(ctx, s)
	if err != nil {
		return View{}, err
	}
	events, err := o.store.Events(ctx, id)
	if err != nil {
		return View{}, o.failed(id, err)
	}
	v.PreviousRejection = o.rejectionText(ctx, v.PreviouslyRejected)
	hide := hiderOf(&s.record)
	for _, e := range events {
		v.Events = append(v.Events, ViewEvent{
			Seq: e.Seq, At: e.At, Actor: visible.Text(e.Actor), From: e.From, To: e.To,
			Code: Code(visible.Text(e.Code)), Reason: visible.Text(hide(e.Reason)),
		})
	}
	return v, nil
}

// show is a change with what others say of it, as far as they can be read: what is wrong with them hides no intact change.
func (o *Operator) show(ctx context.Context, s sight) (View, error) {
	unread := o.recall(ctx, &s)
	if unread != nil && !errors.Is(unread, ledger.ErrCorrupt) {
		return View{}, unread
	}
	v := newView(s)
	if unread != nil {
		v.Error = joined(v.Error, visible.Text(fmt.Sprintf("It cannot be told whether the same was rejected before: %v.", unread)))
	}
	if v.Status == ledger.Pending {
		v.PreviouslyRejected, v.Seen.Rejected = visible.Text(s.rejected), s.rejected
	}
	return v, nil
}

// rejectionText is why a change was rejected; "" if there is none, or it cannot be read.
func (o *Operator) rejectionText(ctx context.Context, id string) string {
	if id == "" {
		return ""
	}
	s, err := o.read(ctx, id)
	if err != nil {
		return ""
	}
	return visible.Text(s.record.Message)
}

// hiderOf takes what is sensitive in a change out of a text. Where that cannot be told, all of the text is.
func hiderOf(r *ledger.Record) func(string) string {
	hidden, err := secretsOfRecord(r)
	return func(text string) string {
		if err != nil && text != "" {
			return secret.Hidden
		}
		return hidden.Scrub(text)
	}
}

// newView shows what it can of a damaged record.
func newView(s sight) View {
	r := &s.record
	v := View{
		ID: r.ID, Server: r.Server, Operation: r.Operation, Status: statusAt(r, s.at.now), Seen: seenOf(r, s.at.now),
		Items: r.Items, PayloadHash: r.PayloadHash, ShownDigest: r.ShownDigest,
		Approval: approvalAsked(r), UndoApproval: approvalNamed(r.UndoApproval),
		Decision: made(r.Decision), UndoDecision: made(r.UndoDecision), UndoRequest: asked(r), Undoable: undoable(r, s.at.now),
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, ExpiresAt: r.ExpiresAt, ClaimedAt: r.ClaimedAt,
		AppliedAt: r.AppliedAt, UndoExpiresAt: r.UndoExpiresAt, DoubtAt: r.DoubtAt, Now: s.at.now,
		Code: Code(r.Code), Message: r.Message, Error: r.Error, Outcome: r.Outcome, ResultFlaw: r.ResultFlaw,
		RetryOf: r.RetryOf, RetriedAs: r.RetryID, PreviouslyRejected: r.Rejected,
	}
	if open(r) {
		v.Claim, v.Holder, v.HolderName, v.Joined, v.InDoubt = r.ClaimID, s.holder.String(), r.Holder, r.Joined, !s.live()
	}
	if v.InDoubt {
		v.DoubtReason = joined(doubtOf(r), settlesItself(r), mayRunYet(r, s.holder))
	}
	v.WaitsFor = waitsFor(&v, r)
	v.hide(hiderOf(r))
	if isMarked(r) {
		v.AskedBecause, v.Error = r.Error, "" // our own words, which no value of the change may hide
	}
	v.Error, v.Damaged = joined(s.flaw(), v.Error), unlikeShown(r) != ""
	v.show(r)
	v.showLeft(r)
	v.makeVisible()
	return v
}

// makeVisible goes over every text that others wrote, or that may have been edited.
func (v *View) makeVisible() {
	for _, text := range []*string{
		&v.Server, &v.Operation, (*string)(&v.Status), &v.Claim, &v.HolderName, &v.DoubtReason, &v.Loses, &v.PayloadHash, &v.ShownDigest,
		&v.AskedBecause, (*string)(&v.Code), &v.Message, &v.Error, &v.Outcome, &v.ResultFlaw,
		&v.RetryOf, &v.RetriedAs, &v.PreviouslyRejected,
	} {
		*text = visible.Text(*text)
	}
	v.Summary = visible.Lines(v.Summary)
	for _, rows := range [][]DiffRow{v.Diff, v.UndoDiff} {
		for i := range rows {
			rows[i].Field = visible.Text(rows[i].Field)
		}
	}
	for _, d := range []*ViewDecision{v.Decision, v.UndoDecision} {
		if d != nil {
			d.By, d.Channel, d.Reason = visible.Value(d.By), visible.Value(d.Channel), visible.Value(d.Reason)
		}
	}
	if q := v.UndoRequest; q != nil {
		q.By, q.Channel, q.Reason = visible.Value(q.By), visible.Value(q.Channel), visible.Value(q.Reason)
	}
}

// unreadableView is all that can be said of a record of that id.
func unreadableView(id string, why error, at moment) View {
	return View{ID: id, Diff: []DiffRow{}, Damaged: true, Error: visible.Text(fmt.Sprintf("This record cannot be read: %v.", why)), Now: at.now}
}

// flaw is what is wrong with the record itself, in a sentence; "" if nothing is known to be.
func (s *sight) flaw() string {
	if s.unsealed != nil {
		return fmt.Sprintf("It cannot be told whether this is what was previewed: %v.", s.unsealed)
	}
	if flaw := unlikeShown(&s.record); flaw != "" {
		return "This record is damaged: " + flaw + "."
	}
	return ""
}

// hide goes over what was not rendered at preview.
func (v *View) hide(sensitive func(string) string) {
	for _, text := range []*string{&v.DoubtReason, &v.Message, &v.Error} {
		*text = sensitive(*text)
	}
	for _, d := range []*ViewDecision{v.Decision, v.UndoDecision} {
		if d != nil {
			d.Reason = sensitive(d.Reason)
		}
	}
	if v.UndoRequest != nil {
		v.UndoRequest.Reason = sensitive(v.UndoRequest.Reason)
	}
}

// show renders what was shown from the stored bytes. These hold nothing sensitive.
func (v *View) show(r *ledger.Record) {
	s, err := shown.Read(r.Shown)
	if err != nil {
		return
	}
	v.Summary, v.Loses, v.Compensates, v.Diff = s.Summary, s.Loses, s.Compensates, []DiffRow{}
	for _, l := range s.Rows {
		v.Diff = append(v.Diff, DiffRow(l))
		v.Lines = append(v.Lines, l.Text())
		if v.Undoable && v.Status == ledger.Applied {
			v.UndoDiff = append(v.UndoDiff, DiffRow(l.Reversed()))
			v.UndoLines = append(v.UndoLines, l.ReversedText())
		}
	}
}

// statusAt is the status as every claim sees it.
func statusAt(r *ledger.Record, now time.Time) ledger.Status {
	if r.Status == ledger.Pending && !now.Before(r.ExpiresAt) {
		return ledger.Expired
	}
	return r.Status
}

func undoable(r *ledger.Record, now time.Time) bool {
	switch statusAt(r, now) {
	case ledger.Applied:
		return hasUndo(r) && !undoOver(r, now)
	case ledger.Pending, ledger.Applying:
		return r.UndoTTL != 0
	}
	return false
}

// made is a decision, if there is one.
func made(d ledger.Decision) *ViewDecision {
	if d.Verdict == "" {
		return nil
	}
	return &ViewDecision{Verdict: verdictWord(d.Verdict), At: d.At, By: d.By, Channel: d.Channel, Reason: d.Reason, Digest: d.Digest}
}

// verdictWord is a verdict in the word that everybody is told: a change that is refused is one that the guard refuses.
func verdictWord(v ledger.DecisionVerdict) string {
	if v == ledger.Refused {
		return string(ledger.Rejected)
	}
	return string(v)
}

// asked is the request for an undo, if there is one.
func asked(r *ledger.Record) *ledger.Request {
	if !asksForUndo(r) {
		return nil
	}
	request := r.UndoRequest
	return &request
}
