package runtime

import (
	"context"
	"errors"
	"fmt"
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

// purpose is none for what is no subject.
func (s Subject) purpose() purpose {
	switch s {
	case SubjectApply:
		return forApply
	case SubjectUndo:
		return forUndo
	}
	return forNothing
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
	Digest  string  // over what was shown: what would be written, to what and over what, and who asked for an undo
	Claim   string  // of what is applying or undoing, or did so last; "" before

	// Rejected is the change of the same payload that was rejected, for whoever says yes to the apply; "" for none.
	Rejected string
}

// seenOf is how a change is seen now.
func seenOf(r *ledger.Record, now time.Time) Seen {
	return Seen{ID: r.ID, Subject: subjectOf(r, now), Digest: seenDigest(r), Claim: r.ClaimID}
}

// seenDigest is over what shownDigest is, and what is shown beside it: all that a person goes by who decides.
func seenDigest(r *ledger.Record) string {
	q := r.UndoRequest
	return digestOf("seen", shownDigest(r), r.Server, r.Operation, strconv.FormatInt(r.Items, 10),
		strconv.FormatInt(q.At.UnixMilli(), 10), q.By, q.Channel, q.Reason, leftDigest(r))
}

// seenFor is seenOf for a request that is to be held against what a person was shown. An earlier no counts for a yes alone.
func (o *Operator) seenFor(ctx context.Context, s *sight, q request, seen Seen) (Seen, error) {
	now := seenOf(&s.record, s.at.now)
	now.Rejected = seen.Rejected
	if yes, is := q.(approve); !is || yes.to != forApply || now.Subject != SubjectApply {
		return now, nil
	}
	err := o.recall(ctx, s)
	now.Rejected = s.rejected
	return now, err
}

// recall looks for an earlier no to what is pending. Without the key none is found, and nobody decides on it.
func (o *Operator) recall(ctx context.Context, s *sight) error {
	r := &s.record
	if s.rejected = r.Rejected; s.rejected != "" || statusAt(r, s.at.now) != ledger.Pending {
		return nil
	}
	hashes, err := hashesOf(ctx, o.store, r, false)
	if keyIsLost(err) {
		return nil
	}
	var like *ledger.Record
	if err == nil {
		q := ledger.Query{Server: r.Server, Operations: []string{r.Operation}}
		like, err = rejectedAs(ctx, o.store, q, hashes, func(other *ledger.Record) bool { return other.Scope == r.Scope })
	}
	if like != nil {
		s.rejected = like.ID
	}
	if err != nil {
		return o.failed(r.ID, fmt.Errorf("look for a rejection: %w", err))
	}
	return nil
}

// movedOn is why a request is declined of a change that is not as it was seen any more, after err. What else stands
// against it says more, and is told. What is as the person wants it already stays so, however they saw it.
func movedOn(r *ledger.Record, err error) error {
	var no *decline
	switch {
	case err == nil:
		return declineMoved(r)
	case errors.As(err, &no):
		return &decline{errors.Join(no.cause, ErrMoved), no.text}
	}
	return err
}
