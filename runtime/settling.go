package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

const (
	settleAttempts = 5           // how often an outcome is written before the caller is told that it is not recorded
	settlePause    = time.Second // between later tries: a ledger that fails at once, its disk full, must not be hammered
)

// settling is one outcome on its way into the ledger.
type settling struct {
	id      string
	op      *erased // whose change it is
	outcome request
	known   string         // what it means for the target; "" of what a look found
	meant   *ledger.Record // what the latest try leaves; nil before the first
	event   ledger.Event   // of the latest try
	joined  *settling      // an end that may be in the ledger with what the body wrote; nil: there is none
	failed  func(error)    // is told of a try that failed and that others follow; nil: nobody is
}

// settle writes an outcome, whatever became of the caller. It tries a few times; the waiting is the store's. The error
// says that the change is left as it was.
func (g *Guard) settle(ctx context.Context, s *settling) (ledger.Record, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ledgerPatience)
	defer cancel()
	var last error
	for range settleAttempts {
		var r ledger.Record
		last = attempt.Contain(func() (err error) { // a store that panics must not lose what is owed
			r, err = g.settleOnce(ctx, s)
			return err
		})
		if last == nil || errors.Is(last, errNoTransition) {
			return r, last
		}
		if s.failed != nil {
			s.failed(last)
		}
	}
	return ledger.Record{}, fmt.Errorf("the ledger did not take the outcome of change %s: %w", s.id, last)
}

// settleOnce is one try. With errNoTransition it returns the change as it is.
func (g *Guard) settleOnce(ctx context.Context, s *settling) (ledger.Record, error) {
	r, at, err := g.read(ctx, s.id)
	if err != nil {
		return r, err
	}
	for _, tried := range []*settling{s.joined, s} {
		switch wrote, err := g.wrote(ctx, tried, &r); {
		case err != nil:
			return r, err
		case wrote:
			g.logOutcome(ctx, tried, at)
			return r, nil
		}
	}
	s.draw(at.now)
	if err := s.draft(r, at, g.policy); err != nil {
		return r, err
	}
	err = g.write(ctx, s, at)
	if errors.Is(err, ledger.ErrRequested) || errors.Is(err, ledger.ErrCap) {
		s.giveUpRetry() // there is one already, or no room for it
	}
	return *s.meant, err
}

// draft decides what the next try leaves of a change.
func (s *settling) draft(r ledger.Record, at moment, p policy) error {
	next, event, err := transition(r, s.outcome, at, p)
	if err != nil {
		return fmt.Errorf("change %s is %s: %w", s.id, r.Status, err)
	}
	s.op.markSensitive(&next)
	s.meant, s.event = &next, event
	return nil
}

// wrote tells whether an earlier try is in the ledger. Others may have moved the change since, as an undo token that is
// asked for anew does, so that only the event of that revision tells it.
func (g *Guard) wrote(ctx context.Context, s *settling, r *ledger.Record) (bool, error) {
	switch {
	case s == nil, s.meant == nil, r.Revision <= s.meant.Revision:
		return false, nil
	case landed(r, s.meant):
		return true, nil
	}
	events, err := g.store.Events(ctx, s.id)
	return slices.ContainsFunc(events, func(e ledger.Event) bool {
		own := s.event
		own.Seq, own.At = s.meant.Revision+1, e.At
		return e == own
	}), err
}

// owe keeps how a claim ended until the ledger has it.
func (granted *grant) owe(end conclusion) {
	r := &granted.record
	granted.owed = &settling{id: r.ID, op: granted.op.erased, outcome: end, known: end.known(r), joined: granted.joined}
	if granted.joined != nil {
		granted.owed.known = notAnswered(r)
	}
}

// conclude records how a claim ended, or what is in doubt about it. The refusal says why that is not recorded. What the
// ledger does not take stays owed, and everybody who asks this guard is told what is known.
func (g *Guard) conclude(ctx context.Context, granted *grant, outcome conclusion) (ledger.Record, *refusal) {
	r := &granted.record
	granted.owe(outcome)
	m := g.answerMeanwhile(granted, granted.owed.known)
	granted.owed.failed = m.failed
	stored, err := g.settle(ctx, granted.owed)
	granted.owed.failed = nil
	m.end(err == nil)
	switch {
	case err == nil:
		granted.owed, granted.ended = nil, !open(&stored)
		return stored, nil
	case errors.Is(err, errNoTransition):
		return stored, g.overtaken(ctx, granted, &stored)
	}
	known := granted.owed.known
	g.flights.Owe(r.ClaimID, known)
	g.log(ctx, slog.LevelError, "the outcome of a change was not recorded: it is tried again", "change", r.ID, "known", known, "error", err)
	return stored, refuseUnrecorded(r, known)
}

// overtaken answers for an outcome that came after the change was settled, or marked as in doubt. What it was is owed to
// the history in its place, once: a doubt about a body that has not come back is none.
func (g *Guard) overtaken(ctx context.Context, granted *grant, stored *ledger.Record) *refusal {
	r, known := &granted.record, granted.owed.known
	if d, isDoubt := granted.owed.outcome.(doubt); isDoubt && d.failure.runsOn() {
		granted.owed = nil
		return g.refuseNotOurs(r, stored, known)
	}
	granted.owed = &settling{id: r.ID, op: granted.op.erased, outcome: lateOutcome{claim: r.ClaimID, known: known}, known: known}
	_, err := g.settle(ctx, granted.owed)
	if err != nil {
		g.log(ctx, slog.LevelWarn, "an outcome came after the change was settled or in doubt", "change", r.ID, "status", stored.Status, "known", known)
	}
	if err == nil || errors.Is(err, errNoTransition) {
		granted.owed = nil
	}
	return g.refuseNotOurs(r, stored, known)
}

// refuseNotOurs answers for a claim that its outcome did not end: it is in doubt, or somebody else has settled it.
func (g *Guard) refuseNotOurs(claim, stored *ledger.Record, known string) *refusal {
	if open(stored) && stored.ClaimID == claim.ClaimID {
		return refuseClaimed(stored, claimState{})
	}
	return refuseSettled(claim, stored, known, g.clock.now())
}

// catchUp records what is owed, however long the ledger takes: until somebody else settles the change, the grace of
// Close is over, or there is news, after which something else is owed. Nil news never come.
func (g *Guard) catchUp(ctx context.Context, granted *grant, news <-chan struct{}) {
	closing := g.flights.Closing()
	for granted.owed != nil {
		select {
		case <-time.After(settlePause):
		case <-closing:
			closing = nil // at once, and then calmly again
		case <-news:
			return
		case <-g.flights.Spent():
			g.log(ctx, slog.LevelError, "the outcome of a change was never recorded",
				"change", granted.record.ID, "known", granted.owed.known)
			return
		}
		switch stored, err := g.settle(ctx, granted.owed); {
		case errors.Is(err, errNoTransition) && !granted.unsure:
			g.overtaken(ctx, granted, &stored)
		case err == nil, errors.Is(err, errNoTransition):
			granted.owed = nil
		}
		if granted.owed == nil {
			g.flights.Doubted(granted.record.ClaimID) // what is known is in the ledger now
		}
	}
}

// disown gives up a claim that may or may not be in the ledger. Nothing is run for it, which is proof enough to settle it
// if it is there: an apply has failed and wrote nothing, and an undo leaves the change applied.
func (g *Guard) disown(ctx context.Context, granted *grant, p purpose) {
	r := &granted.record
	granted.owe(settleFailed{claim: r.ClaimID, failure: neverRun(p)})
	g.flights.Owe(r.ClaimID, granted.owed.known)
	go func() {
		defer g.land(granted, r.ClaimID)
		defer g.survive(ctx, granted, func(answer) {})
		g.catchUp(context.WithoutCancel(ctx), granted, nil)
	}()
}
