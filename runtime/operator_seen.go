package runtime

import (
	"errors"
	"strconv"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Subject is what a person may decide on: the apply of a change, or its undo.
type Subject string

// The subjects.
const (
	SubjectNone  Subject = ""
	SubjectApply Subject = "apply"
	SubjectUndo  Subject = "undo" // one that was asked for
)

// purpose is false for what is no subject.
func (s Subject) purpose() (p purpose, known bool) {
	switch s {
	case SubjectApply:
		return forApply, true
	case SubjectUndo:
		return forUndo, true
	}
	return "", false
}

// subjectOf is what a person may decide on now, whether anybody waits for it or not.
func subjectOf(r *ledger.Record, now time.Time) Subject {
	switch {
	case statusAt(r, now) == ledger.Pending:
		return SubjectApply
	case r.Status == ledger.Applied && asksForUndo(r) && !undoOver(r, now):
		return SubjectUndo
	}
	return SubjectNone
}

// Seen names a change as a person was shown it. A person's word is about that: where the change is another one by now, it
// is refused with ErrMoved, whatever else stands against it.
type Seen struct {
	ID      string
	Subject Subject // what may be decided
	Digest  string  // over what was shown: what would be written, to what, and who asked for an undo
	Claim   string  // of what is applying or undoing, or did so last; "" before
}

// seenOf is how a change is seen now.
func seenOf(r *ledger.Record, now time.Time) Seen {
	return Seen{ID: r.ID, Subject: subjectOf(r, now), Digest: seenDigest(r), Claim: r.ClaimID}
}

// seenDigest is over what shownDigest is, and what is shown beside it: all that a person goes by who decides.
func seenDigest(r *ledger.Record) string {
	q := r.UndoRequest
	return digestOf("seen", shownDigest(r), r.Server, r.Operation, strconv.FormatInt(r.Items, 10),
		strconv.FormatInt(q.At.UnixMilli(), 10), q.By, q.Channel, q.Reason)
}

// asSeen makes a request of the change as a person saw it, and of no other. What else stands against the request is told
// first, because it says more.
type asSeen struct {
	request
	seen Seen
}

func (a asSeen) decide(r ledger.Record, at moment, p policy) (ledger.Record, cause, error) {
	next, why, err := a.request.decide(r, at, p)
	moved := a.seen != seenOf(&r, at.now)
	var no *decline
	switch {
	case !moved, errors.Is(err, errNoTransition): // what is rejected already stays so, however it is seen
		return next, why, err
	case errors.As(err, &no):
		return r, cause{}, &decline{errors.Join(no.cause, ErrMoved), no.text}
	}
	return r, cause{}, declineMoved(&r)
}

// decideNothing is a decision on a change of which nothing was to be decided when it was shown.
type decideNothing struct{}

func (decideNothing) decide(r ledger.Record, _ moment, _ policy) (ledger.Record, cause, error) {
	if r.Status != ledger.Pending {
		return r, cause{}, declineStatus(&r, forApply)
	}
	return r, cause{}, declineMoved(&r)
}
