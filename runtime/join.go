package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// errHalted ends the transaction of a joined claim whose body is not called.
var errHalted = errors.New("the body was not called")

// checkJoined finds out whether the ledger can be joined as an operation needs it.
func (g *Guard) checkJoined(op *registered) error {
	if !op.Joined {
		return nil
	}
	joiner, ok := g.store.(ledger.Joiner)
	switch {
	case !ok:
		return fmt.Errorf("its Joined needs a ledger in whose transactions others can write, and Options.Store is a %T, which is no ledger.Joiner", g.store)
	case joiner.JoinLimit() > 0 && op.Timeout > joiner.JoinLimit():
		return fmt.Errorf("its Timeout is %s, and others wait for this ledger while a joined body runs: give it a Timeout of at most %s, or none",
			op.Timeout, joiner.JoinLimit())
	}
	return nil
}

// joinTime is how long what is done in the transaction of a joined claim may take.
func (g *Guard) joinTime(joiner ledger.Joiner, op *erased) time.Duration {
	if limit := joiner.JoinLimit(); limit > 0 {
		return min(limit, g.timeout(op))
	}
	return g.timeout(op)
}

// join has part carried out in the transaction that records the end it returns: both are kept, or neither. An error says
// that nothing was written, unless it is errUnsure: then the claim is owed an end that depends on what the ledger has.
//
// Part is given up when its time is over. What it has left running then writes to a transaction that is over. As long as it was
// not called, a ledger that is busy is tried again, as it is for an outcome: the claim has cost the token already.
func (g *Guard) join(ctx context.Context, granted *grant, part func(context.Context) (conclusion, error)) (r ledger.Record, err error) {
	called := false
	for range settleAttempts {
		r, err = g.joinOnce(ctx, granted, func(ctx context.Context) (conclusion, error) {
			called = true
			return part(ctx)
		})
		if called || !errors.Is(err, ledger.ErrBusy) {
			break
		}
	}
	return r, err
}

// joinOnce is one try.
func (g *Guard) joinOnce(ctx context.Context, granted *grant, part func(context.Context) (conclusion, error)) (ledger.Record, error) {
	r, at, err := g.read(ctx, granted.record.ID)
	switch {
	case err != nil:
		return r, err
	case !open(&r) || r.ClaimID != granted.record.ClaimID:
		return r, errNoTransition
	}
	s, joiner := &settling{id: r.ID, op: granted.op.erased}, g.store.(ledger.Joiner)
	var commit *meanwhile
	err = attempt.Contain(func() error {
		return joiner.Join(ctx, func(ctx context.Context) (ledger.Record, ledger.Event, error) {
			ctx, cancel := context.WithTimeout(ctx, g.joinTime(joiner, s.op))
			defer cancel()
			end, err := part(ctx)
			if err != nil {
				return ledger.Record{}, ledger.Event{}, err
			}
			s.outcome = end
			if err := s.draft(r, moment{now: g.clock.now(), behind: at.behind}, g.policy); err != nil {
				return ledger.Record{}, ledger.Event{}, err
			}
			s.meant.WriteID = newWriteID()
			commit = g.answerMeanwhile(granted, notAnswered(&granted.record))
			return *s.meant, s.event, nil
		})
	})
	if commit != nil {
		commit.end(err == nil)
	}
	return g.joined(ctx, granted, s, at, err)
}

// joined is what became of a transaction by the answer of the ledger. Nothing is kept of one whose part failed.
func (g *Guard) joined(ctx context.Context, granted *grant, s *settling, at moment, err error) (ledger.Record, error) {
	switch {
	case err == nil:
		granted.ended = true
		g.logOutcome(ctx, s, at)
		return *s.meant, nil
	case s.meant == nil, errors.Is(err, ledger.ErrRolledBack), wroteNothing(err):
		return ledger.Record{}, err
	}
	granted.joined = s
	return ledger.Record{}, fmt.Errorf("%w: %w", errUnsure, err)
}

// asConflict is what a body failed with: a conflict, where the ledger says of the transaction that others were quicker, unless
// the body has words of its own for that.
func asConflict(failed, joined error) error {
	var own *Refusal
	if errors.Is(joined, ledger.ErrOvertaken) && !errors.As(failed, &own) {
		return fmt.Errorf("%w: %w", Conflict(saysOvertaken), failed)
	}
	return failed
}

// joinedApply is what was done of an apply in the transaction that records it.
type joinedApply struct {
	before []byte
	stop   *stop    // why the body was not called
	failed error    // of the body
	end    applyEnd // of a body that did not fail
}

// runJoinedApply runs the body, with the looks around it, in one transaction. Its failure proves that nothing was written.
func (g *Guard) runJoinedApply(ctx context.Context, granted *grant, give func(answer)) {
	held, done := granted.hold.Bind(ctx)
	defer done()
	var j joinedApply
	stored, err := g.join(held, granted, func(ctx context.Context) (conclusion, error) { return j.carryOut(ctx, g, granted) })
	switch {
	case err == nil:
		give(j.end.answer(granted, &stored))
	case j.stop != nil:
		give(g.failApply(ctx, granted, j.before, nil, j.stop))
	case j.failed != nil:
		g.logPanic(ctx, &granted.record, j.failed)
		give(g.failBody(ctx, granted, j.before, bodyEnd{ending: nothingWritten, err: asConflict(j.failed, err)}))
	default:
		give(g.endUnjoinedApply(ctx, granted, &j, err))
	}
}

// carryOut looks, runs the body if the state still is what was shown, and looks at what it left.
func (j *joinedApply) carryOut(ctx context.Context, g *Guard, granted *grant) (conclusion, error) {
	r, op, call := &granted.record, granted.op.erased, callOf(&granted.record, forApply)
	if j.before, j.stop = g.stillAsShown(ctx, granted); granted.hold.IsLost() {
		j.stop = notBegun(forApply)
	}
	if j.stop != nil {
		return nil, errHalted
	}
	w, err := attempt.Do(ctx, g.timeout(op), func(ctx context.Context) (written, error) {
		return op.apply(ctx, call, r.Payload, j.before)
	})
	if err != nil {
		j.failed = err
		return nil, err
	}
	j.end = g.endOfApply(ctx, granted, j.before, w)
	if j.sawNothing(r) {
		g.log(ctx, slog.LevelWarn, "the look after a joined body does not see what it wrote, and an undo would take that for a later edit: "+
			"look by the transaction in its context", "change", r.ID, "operation", r.Operation)
	}
	return j.end.settleApplied, nil
}

// sawNothing tells whether the look after the body found the state as before, though the change that was shown changes it.
func (j *joinedApply) sawNothing(r *ledger.Record) bool {
	s, err := shown.Read(r.Shown)
	return err == nil && j.end.after != nil && bytes.Equal(j.end.after, j.before) && slices.ContainsFunc(s.Rows, shown.Line.Changes)
}

// endUnjoinedApply records that the ledger did not take what an apply wrote, which proves that it is not there; unless it
// is there after all, when the answer of the ledger was lost.
func (g *Guard) endUnjoinedApply(ctx context.Context, granted *grant, j *joinedApply, err error) answer {
	s := &stop{failure: notTaken(forApply, err), retry: g.retryOf(ctx, granted)}
	stored, no := g.conclude(ctx, granted, settleFailed{
		claim: granted.record.ClaimID, before: j.before, failure: s.failure, retry: s.retry,
	})
	switch {
	case no != nil:
		return no
	case stored.Status != ledger.ApplyFailed:
		return j.end.answer(granted, &stored)
	}
	return s.refuse(granted, &stored)
}
