package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Operator is how people move changes: it approves, rejects, settles what is in doubt, and clears away. It needs no
// operations, only their ledger, so it runs nothing of an author's. It is safe for concurrent use.
//
// Why it does not do what it is asked to is one of the errors of this package, or of package ledger.
type Operator struct {
	store  ledger.Store
	who    Decider
	policy policy
	clock  *clock
	trial  bool // nothing is written

	recorder *recorder // nil: nobody is told
}

// NewOperator makes an operator over a ledger. Both fields of who are needed, and are kept with every decision: each is
// valid UTF-8 of at most 256 bytes. The channel must not be "agent".
func NewOperator(store ledger.Store, who Decider) (*Operator, error) {
	if store == nil {
		return nil, errors.New("runtime: the ledger is missing: open one, with sqlite.Open for example")
	}
	if err := who.check(); err != nil {
		return nil, err
	}
	return &Operator{store: store, who: who, policy: policy{maxSkew: DefaultMaxClockSkew}, clock: &clock{}}, nil
}

// Rehearse is an operator who decides as o does and writes nothing: what it returns is what would be, or why not.
func (o *Operator) Rehearse() *Operator {
	rehearsing := *o
	rehearsing.trial = true
	return &rehearsing
}

// WithMaxClockSkew is an operator who decides as o does, but whose decisions are refused only where the ledger's clock runs
// behind by more than skew: that of Options.MaxClockSkew of the servers, where it is not DefaultMaxClockSkew.
func (o *Operator) WithMaxClockSkew(skew time.Duration) *Operator {
	patient := *o
	patient.policy.maxSkew = skew
	return &patient
}

// Approve says yes to an apply, or to an undo that was asked for: to what the person was shown, as View.Seen has it. A
// reason is welcome. Whether the change needs the yes is not asked, because a server may need one where the record needs
// none.
//
// ErrNoSuchChange, ErrNotWaiting, ErrMoved, ErrDecided, ErrTooLate, ErrClockBehind and ErrReason say why not.
func (o *Operator) Approve(ctx context.Context, seen Seen, reason string) (View, error) {
	on := seen.Subject.purpose()
	return o.move(ctx, seen, reason, on, func(p person, _ *sight) request { return approve{p, on} })
}

// Reject says no to an apply, which is final, or to an undo that was asked for, which leaves the change applied. It is
// possible until the change is claimed, after a yes as well. The reason is needed: the agent is told it. What is rejected
// already stays as it is, with the first reason.
//
// ErrNoSuchChange, ErrNotWaiting, ErrMoved, ErrTooLate and ErrReason say why not.
func (o *Operator) Reject(ctx context.Context, seen Seen, reason string) (View, error) {
	on := seen.Subject.purpose()
	return o.move(ctx, seen, reason, on, func(p person, _ *sight) request { return reject{p, on} })
}

// RequestUndo asks the server that owns the operation to take a change back, and agrees to that. The server looks whether
// it still can be before it writes. A reason is welcome.
//
// ErrNoSuchChange, ErrNotUndoable, ErrMoved, ErrDecided, ErrTooLate, ErrClockBehind and ErrReason say why not.
func (o *Operator) RequestUndo(ctx context.Context, seen Seen, reason string) (View, error) {
	return o.move(ctx, seen, reason, forUndo, func(p person, _ *sight) request { return requestUndo{p} })
}

// Reconcile settles a change in doubt by the word of a person who looked at the target. Their word is about what the claim
// that they were shown began, and never about a later one. The note says what they checked, and is needed. Done settles an
// apply as applied and an undo as undone. NotDone settles them as failed, and neither is tried again: a person's word does
// not prove that what was sent cannot arrive any more.
//
// ErrNoSuchChange, ErrNotInDoubt, ErrMoved, ErrInFlight, ErrNotDone and ErrReason say why not.
func (o *Operator) Reconcile(ctx context.Context, seen Seen, v Verdict, note string) (View, error) {
	if v != Done && v != NotDone {
		return View{}, errors.New("runtime: only Done and NotDone settle a change")
	}
	return o.move(ctx, seen, note, forNothing, func(p person, s *sight) request {
		unheld := tokenHash(forUndo, s.record.ID, s.record.PayloadHash, mintToken(forUndo))
		return word{person: p, claim: seen.Claim, done: v == Done, live: s.live(), undoToken: unheld}
	})
}

// sight is a change as it was read, and whether whoever claimed it is there.
type sight struct {
	record   ledger.Record
	at       moment
	holder   ledger.Liveness // of a claim in force
	unsealed error           // why it cannot be told whether the change is as it was previewed
	rejected string          // of what is pending: the rejected change of the same payload
}

// live tells that the change is known to be carried out now.
func (s *sight) live() bool {
	return open(&s.record) && s.record.DoubtAt.IsZero() && s.holder == ledger.Alive
}

// move makes one transition of the change as it was seen, in the time of what it is on.
func (o *Operator) move(ctx context.Context, seen Seen, reason string, on purpose, ask func(person, *sight) request) (View, error) {
	if len(reason) > maxReasonBytes || !utf8.ValidString(reason) {
		return View{}, declineLongReason(maxReasonBytes)
	}
	var s sight
	var declined error
	plan := func() (m moving, _ error) {
		if s, declined = o.look(ctx, seen.ID); declined == nil {
			m, declined = o.plan(ctx, &s, seen, reason, on, ask)
		}
		return m, declined
	}
	write := moveIn
	if o.trial {
		write = unwritten
	}
	m, err := write(ctx, o.store, plan)
	switch {
	case errors.Is(declined, errNoTransition): // it is so already
		return newView(s), nil
	case declined != nil:
		return View{}, declined
	case errors.Is(err, ledger.ErrExpired):
		return View{}, declineLate(&s.record, on)
	case err != nil:
		return View{}, o.failed(seen.ID, err)
	}
	o.tell(ctx, &m.next, m.event, m.at.now)
	patience := sinkPatience
	o.flush(ctx, &patience)
	s.record = m.next
	s.record.Revision, s.record.UpdatedAt = m.next.Revision+1, m.at.now
	return newView(s), nil
}

// unwritten is moveIn without a write.
func unwritten(_ context.Context, _ ledger.Store, plan func() (moving, error)) (moving, error) {
	return plan()
}

// plan decides a transition of the change as it was seen.
func (o *Operator) plan(ctx context.Context, s *sight, seen Seen, reason string, on purpose, ask func(person, *sight) request) (m moving, err error) {
	// What is sensitive in the change is taken out before anybody is told the reason.
	said := hiderOf(&s.record)(strings.TrimSpace(reason))
	q := ask(person{name: o.who.Name, channel: o.who.Channel, reason: said}, s)
	if s.unsealed != nil && !settlesUnread(q, s.unsealed) {
		return m, o.failed(seen.ID, s.unsealed)
	}
	now, err := o.seenFor(ctx, s, q, seen)
	if err != nil {
		return m, err
	}
	m.at = s.at
	if on != forNothing {
		m.notAfter = deadline(&s.record, on, s.at)
	}
	m.next, m.event, err = transition(s.record, q, s.at, o.policy)
	if seen != now {
		err = movedOn(&s.record, err)
	}
	return m, err
}

// settlesUnread tells that a request is the word of a person on what they saw in the target. It rests on no hash, so that a
// lost key does not leave a change in doubt for ever.
func settlesUnread(q request, unsealed error) bool {
	_, settles := q.(word)
	return settles && keyIsLost(unsealed)
}

// maxReasonBytes is how long a reason may be: it is repeated wherever the change is shown.
const maxReasonBytes = 4 << 10

// look reads a change and what is known of its claim. A claim may end between the reading and the look at its holder,
// who is then no longer there; so what is known of the holder counts only if the change is the same after that.
func (o *Operator) look(ctx context.Context, id string) (s sight, err error) {
	if !changeID.MatchString(id) {
		return s, declineUnknown(id)
	}
	for range maxRaces {
		if s, err = o.read(ctx, id); err != nil || !open(&s.record) {
			return s, err
		}
		if s.holder, err = o.store.Holder(ctx, s.record.Holder); err != nil {
			return s, o.failed(id, err)
		}
		again, err := o.read(ctx, id)
		if err != nil || again.record.Revision == s.record.Revision {
			return s, err
		}
	}
	return s, o.failed(id, ledger.ErrBusy)
}

// read does not look at the holder.
func (o *Operator) read(ctx context.Context, id string) (s sight, err error) {
	r, clock, err := o.store.Get(ctx, id)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return s, declineUnknown(id)
	case err != nil:
		return s, o.failed(id, err)
	}
	s.unsealed = verifySeal(ctx, o.store, &r)
	s.record, s.at = r, o.clock.read(clock)
	return s, nil
}

// failed names the change for which the ledger failed.
func (o *Operator) failed(id string, err error) error {
	if errors.Is(err, errUnsure) {
		return fmt.Errorf("change %s: look at it before you try again: %w", id, err)
	}
	return fmt.Errorf("change %s: %w", id, err)
}
