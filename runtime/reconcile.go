package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Why a look tells nothing.
var (
	errNothingObserved = errors.New("its operation observes nothing, so there is nothing to look at")
	errNotSettled      = errors.New("nothing was written, but the ledger did not take that, or somebody else has settled the change")
	errOtherOperation  = errors.New("its operation is not registered, or behaves differently since")
)

// Reconcile looks whether a change in doubt was carried out, and settles it where the look is enough. It runs no body.
//
// An apply is asked about with DoneWhen or Reconcile of its operation: Done makes it applied, without its result. An
// undo is done if the state is as it was before the change: Done makes it undone. Every other verdict is written down
// for the operator, and the change stays in doubt: that nothing is to be seen does not prove that nothing will arrive.
// The same holds of Done while the process that holds the claim cannot be told to be gone. A claim with Meta.Joined is
// settled without a look: what the ledger has no end of was not done.
//
// The verdict is what the look found. It comes with an error, and is Unsure, if the look failed, if nothing tells, or if
// the change is not in doubt (ErrNotInDoubt). Whoever asks about the same change meanwhile shares the look. The look
// goes on when ctx ends; Options.Timeout and Close end it.
func (g *Guard) Reconcile(ctx context.Context, id string) (Verdict, error) {
	verdict, err := g.reconcileNow(ctx, id)
	if err != nil {
		return Unsure, fmt.Errorf("runtime: reconcile %s: %w", id, err)
	}
	return verdict, nil
}

func (g *Guard) reconcileNow(ctx context.Context, id string) (Verdict, error) {
	r, _, err := g.read(ctx, id)
	switch {
	case err != nil:
		return Unsure, err
	case r.Joined:
		return g.reconcileJoined(ctx, id)
	}
	op := g.operationOf(&r)
	if op == nil {
		return Unsure, errOtherOperation
	}
	q := g.inquire(ctx, op, id)
	select {
	case <-q.done:
		return q.verdict, q.err
	case <-ctx.Done():
		return Unsure, ctx.Err()
	}
}

// reconcileJoined settles a joined claim that nobody carries out any more, which needs no look.
func (g *Guard) reconcileJoined(ctx context.Context, id string) (Verdict, error) {
	now, err := g.readLive(ctx, id)
	switch {
	case err != nil:
		return Unsure, err
	case !now.doubtful():
		return Unsure, ErrNotInDoubt
	case !g.settleLapsed(ctx, &now):
		return Unsure, errNotSettled
	}
	return NotDone, nil
}

// operationOf is the operation of a change, on whichever server of this guard it is; nil if it is on none.
func (g *Guard) operationOf(r *ledger.Record) *registered {
	if t := g.toolOf(r); t != nil {
		return t.operation
	}
	return nil
}

// reconcile is one look at a change in doubt, and what follows from it.
func (g *Guard) reconcile(ctx context.Context, op *registered, id string) (Verdict, error) {
	now, err := g.readLive(ctx, id)
	switch {
	case ctx.Err() != nil:
		return Unsure, errClosing
	case err != nil:
		return Unsure, err
	case !now.doubtful():
		return Unsure, ErrNotInDoubt
	case edited(&now.record):
		return Unsure, fmt.Errorf("%w: somebody edited the record of this change", ledger.ErrCorrupt)
	case !op.means(&now.record):
		g.noteUnlooked(ctx, &now)
		return Unsure, errOtherOperation
	}
	f, lookErr := g.findOut(ctx, op.erased, &now.record)
	switch {
	case errors.Is(lookErr, errNothingObserved):
		return Unsure, lookErr
	case lookErr != nil && ctx.Err() != nil: // cut off: there is nothing to write down
		return Unsure, errClosing
	}
	f.settles = now.over
	_, err = g.settle(ctx, &settling{id: id, op: op.erased, outcome: f})
	if errors.Is(err, errNoTransition) {
		err = nil // somebody else has settled it, or it is written down already
	}
	return f.verdict, errors.Join(lookErr, err)
}

// noteUnlooked writes down, once, why a change in doubt is not looked at. What a look found, of a server whose operation is
// still the same, counts for more.
func (g *Guard) noteUnlooked(ctx context.Context, now *reading) {
	r := &now.record
	if r.Finding.Verdict != "" {
		return
	}
	_, err := g.move(ctx, r.ID, found{claim: r.ClaimID, settles: now.over, verdict: Unsure, saw: sawOtherOperation})
	if err != nil && !errors.Is(err, errNoTransition) {
		g.log(ctx, slog.LevelError, "it was not recorded that a change in doubt is not looked at", "change", r.ID, "error", err)
	}
}

// edited tells of a record that says what no guard wrote. What is looked at would not be what the change was about.
func edited(r *ledger.Record) bool { return unlikeShown(r) != "" || payloadHashOf(r) != r.PayloadHash }

// means tells whether the operation is still what the claim in force was made under, and reads what is stored.
func (e *erased) means(r *ledger.Record) bool {
	if r.Status == ledger.Undoing {
		return e.UndoDigest == r.UndoDigest && e.reads(r)
	}
	return e.Digest == r.Digest && e.reads(r)
}

// findOut looks at what a claim in doubt may have changed. With an error the look tells nothing.
func (g *Guard) findOut(ctx context.Context, op *erased, r *ledger.Record) (found, error) {
	ctx, cancel := context.WithTimeout(ctx, g.opts.Timeout)
	defer cancel()
	look := g.lookAtApply
	if r.Status == ledger.Undoing {
		look = g.lookAtUndo
	}
	f, err := look(ctx, op, r)
	if err != nil {
		f = found{verdict: Unsure, saw: lookFailure(err)}
	}
	f.claim = r.ClaimID
	return f, err
}

// lookAtUndo compares the state with what it was before the change and after it. As it was before is undone: whoever
// made it so.
func (g *Guard) lookAtUndo(ctx context.Context, op *erased, r *ledger.Record) (f found, err error) {
	if op.lookAfter == nil || r.After == nil {
		return f, errNothingObserved
	}
	seen, no := g.whereIsIt(ctx, r, op)
	if no != nil {
		return f, no
	}
	f.verdict = map[state.Standing]Verdict{state.AsBefore: Done, state.AsAfter: NotDone, state.Elsewise: Unsure}[seen.where]
	f.saw = seen.where.String()
	return f, nil
}

// lookAtApply asks the operation about the state as it was before and as it is now.
func (g *Guard) lookAtApply(ctx context.Context, op *erased, r *ledger.Record) (f found, err error) {
	if op.observe == nil && op.reconcile == nil {
		return f, errNothingObserved
	}
	f.before = r.Before
	if f.before == nil {
		f.before = r.State // a body runs only where the state is what was shown
	}
	now, err := g.lookForDone(ctx, op, r, f.before)
	if err != nil {
		return f, err
	}
	if f.verdict, err = g.verdictOf(ctx, op, r, f.before, now); err != nil {
		return f, err
	}
	if f.saw, err = op.sight(f.before, now, f.verdict == Done && op.doneIn != nil); err != nil {
		return f, err
	}
	f.saw = op.saysSo(f.saw)
	if f.verdict == Done {
		g.completeApply(ctx, op, r, now, &f)
	}
	return f, nil
}

// lookForDone is the look that the hooks judge. DoneWhen is about what apply leaves, which another look than the one before
// may have to find: a thing that was renamed is there under its new name.
func (g *Guard) lookForDone(ctx context.Context, op *erased, r *ledger.Record, before []byte) ([]byte, error) {
	if op.doneIn == nil || !op.looksElsewhere {
		return g.observe(ctx, op, r.Payload)
	}
	return g.observeAfter(ctx, op, callOf(r, forApply), carried{payload: r.Payload, before: before})
}

// verdictOf asks the hook of the operation. Without one nothing tells.
func (g *Guard) verdictOf(ctx context.Context, op *erased, r *ledger.Record, before, now []byte) (Verdict, error) {
	call := callOf(r, forApply)
	ask := func(ctx context.Context) (Verdict, error) { return op.reconcile(ctx, call, r.Payload, before, now) }
	switch {
	case op.doneIn != nil:
		ask = func(context.Context) (Verdict, error) { return op.judge(call, r.Payload, before, now) }
	case op.reconcile == nil:
		return Unsure, nil
	}
	return attempt.Do(ctx, g.opts.Timeout, ask)
}

// asAsked tells whether the state is as the apply was to make it, and was not so before. What is there now is what a look
// by the payload finds.
func (g *Guard) asAsked(ctx context.Context, op *erased, r *ledger.Record, before, now []byte) bool {
	if op.doneIn == nil {
		return false
	}
	if op.looksElsewhere {
		var err error
		if now, err = g.lookForDone(ctx, op, r, before); err != nil {
			return false
		}
	}
	v, err := g.verdictOf(ctx, op, r, before, now)
	return err == nil && v == Done
}

// judge asks DoneWhen. One that held before the apply tells nothing now.
func (d *doubtHooks) judge(call Call, payload, before, now []byte) (Verdict, error) {
	done, err := d.doneIn(call, payload, now)
	if err != nil || !done {
		return NotDone, err
	}
	was, err := d.doneIn(call, payload, before)
	if err != nil || was {
		return Unsure, err
	}
	return Done, nil
}

// completeApply looks at what an apply left that was done, and says what nobody can know of it any more.
func (g *Guard) completeApply(ctx context.Context, op *erased, r *ledger.Record, now []byte, f *found) {
	f.after = now
	if op.looksElsewhere && op.doneIn == nil { // or else that was the look
		var err error
		f.after, err = g.observeAfter(ctx, op, callOf(r, forApply), carried{payload: r.Payload, before: f.before})
		if err != nil && !errors.Is(err, ErrNoResult) { // the first undo looks again
			f.saw += "; " + lookFailure(err)
		}
	}
	if op.result != nil {
		f.flaw = flawLost
	}
	if op.undo != nil && !op.needsResult() && op.UndoDigest == r.UndoDigest {
		f.undoToken = tokenHash(forUndo, r.ID, r.PayloadHash, mintToken(forUndo))
	}
}
