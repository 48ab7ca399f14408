package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/hold"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// apply carries out a change that was previewed: claim, look again, run, settle. The claim is durable before anything
// of the author's runs, and from then on the change goes to its end without the caller.
func (g *Guard) apply(ctx context.Context, a ask) answer {
	granted, no := g.claim(ctx, a)
	if g.looked(ctx, a, no) {
		granted, no = g.claim(ctx, a)
	}
	if no != nil {
		return g.retried(ctx, a, g.renewed(ctx, a, g.askForYes(ctx, no)))
	}
	run := g.runApply
	if granted.record.Joined {
		run = g.runJoinedApply
	}
	return g.await(ctx, granted, func(ctx context.Context, give func(answer)) { run(ctx, granted, give) })
}

// runApply runs the body if the state still is what was shown.
func (g *Guard) runApply(ctx context.Context, granted *grant, give func(answer)) {
	r, op, call := &granted.record, granted.op.erased, callOf(&granted.record, forApply)
	held, done := granted.hold.Bind(ctx)
	defer done()
	before, stop := g.stillAsShown(held, granted)
	if granted.hold.IsLost() {
		stop = notBegun(forApply)
	}
	if stop != nil {
		give(g.failApply(ctx, granted, before, nil, stop))
		return
	}
	body := attempt.Start(held, g.timeout(op), func(ctx context.Context) (written, error) {
		return op.apply(ctx, call, r.Payload, before)
	})
	if !ended(body) {
		g.flights.Doubted(r.ClaimID)
		give(g.doubt(ctx, granted, before, notBack(forApply, g.timeout(op), body.Cause())))
		g.catchUp(ctx, granted, body.Done())
		<-body.Done() // it may still settle its own change
	}
	switch end := judge(body.Err, body.Late); end {
	case succeeded:
		give(g.settleApply(ctx, granted, before, body.Value))
	case inDoubt:
		g.logPanic(ctx, r, body.Err)
		give(g.doubt(ctx, granted, before, doubtful(forApply, body.Err, body.Cause())))
	default:
		give(g.failBody(ctx, granted, before, bodyEnd{end, body.Err, body.Late}))
	}
}

// endPatience is how long a body may take to end that is told to because its hold is lost. Its caller is told of what it returned
// then, and of no doubt.
const endPatience = 2 * time.Second

// ended waits for a body: for its time, and where that is cut short, for a while longer.
func ended[T any](body *attempt.Started[T]) bool {
	return body.Finished() || errors.Is(body.Cause(), hold.ErrLost) && body.Returns(endPatience)
}

// stop is why a body is not run, or what its failure is told as.
type stop struct {
	failure failure
	changed []state.Difference
	retry   retry
}

// notRun is why a check after the claim lets no body run. An err is kept for operators.
func notRun(no *refusal, err error, reason string) *stop {
	s := &stop{changed: no.changed, failure: failure{
		code: no.code, message: no.message, outcome: outcomeNotApplied, reason: reason,
	}}
	if err != nil {
		s.failure.err = err.Error()
	}
	return s
}

// stillAsShown looks again, after the claim, and compares with what the preview showed.
func (g *Guard) stillAsShown(ctx context.Context, granted *grant) (before []byte, _ *stop) {
	r, op := &granted.record, granted.op.erased
	before, err := g.observe(ctx, op, r.Payload)
	if err != nil {
		return nil, notRun(g.lookFailed(ctx, op, err), err, "the look after the claim failed")
	}
	if op.observe == nil {
		return nil, nil
	}
	changed, err := op.binding.Compare(r.State, before)
	if err != nil {
		return before, notRun(refuseObserve(reduced(err)), err, "the states could not be compared")
	}
	if len(changed) > 0 {
		changed = op.tellable(changed, r)
		return before, notRun(refuseStateChanged(r, changed), nil, "changed since the preview: "+fieldList(changed))
	}
	return before, nil
}

// settleApply records a write.
func (g *Guard) settleApply(ctx context.Context, granted *grant, before []byte, w written) answer {
	end := g.endOfApply(ctx, granted, before, w)
	stored, no := g.conclude(ctx, granted, end.settleApplied)
	if no != nil {
		return no
	}
	return end.answer(granted, &stored)
}

// applyEnd is how an apply ended that wrote, with what is told of it and not recorded.
type applyEnd struct {
	settleApplied
	token       string // that undoes it; "" for none
	overwritten bool   // a look found something else than what was written
}

// endOfApply looks at what an apply wrote. What comes after the write cannot make it undone: a result that cannot be kept
// or a look that fails only limits the undo.
func (g *Guard) endOfApply(ctx context.Context, granted *grant, before []byte, w written) applyEnd {
	r, op := &granted.record, granted.op.erased
	end := applyEnd{settleApplied: settleApplied{claim: r.ClaimID, before: before}}
	end.result, end.flaw = g.keep(ctx, granted, w)
	end.overwritten = g.lookAtLeft(ctx, granted, &end.settleApplied)
	if r.UndoTTL != 0 && op.undo != nil && (end.result != nil || !op.needsResult()) {
		end.token = mintToken(forUndo)
		end.undoToken = tokenHash(forUndo, r.ID, r.PayloadHash, end.token)
	}
	return end
}

// answer tells of a write that is recorded.
func (end *applyEnd) answer(granted *grant, stored *ledger.Record) answer {
	op, token := granted.op.erased, end.token
	replaced := token != "" && !tokenMatches(stored, forUndo, token)
	if replaced {
		token = ""
	}
	return &appliedAnswer{
		record: *stored, token: token, replaced: replaced, undoTool: granted.op.undoTool, undoes: op.undo != nil,
		undoAsks: max(approvalNamed(stored.UndoApproval), op.UndoApproval) != ByToken,
		unlooked: op.lookAfter != nil && stored.After == nil, overwritten: end.overwritten,
	}
}

// lookAtLeft looks at what an apply left. It tells whether that is not what DoneWhen says: somebody wrote since, or the
// write has not arrived. That is not kept as what apply left, so that no undo writes over it before a person has seen it.
func (g *Guard) lookAtLeft(ctx context.Context, granted *grant, s *settleApplied) (overwritten bool) {
	r, op, call := &granted.record, granted.op.erased, callOf(&granted.record, forApply)
	after, err := g.observeAfter(ctx, op, call, carried{payload: r.Payload, before: s.before, result: s.result})
	if err != nil {
		s.reason = "the look after apply failed: " + reduced(err)
		g.log(ctx, slog.LevelError, "the state that the apply left could not be read", "change", r.ID, "error", err)
		return false
	}
	if op.doneIn != nil {
		done, err := attempt.Do(ctx, g.opts.Timeout, func(context.Context) (bool, error) { return op.doneIn(call, r.Payload, after) })
		overwritten = err == nil && !done
	}
	if overwritten {
		s.reason = reasonOverwritten
		return true
	}
	s.after = after
	return false
}

// keep decides whether a result goes into the ledger.
func (g *Guard) keep(ctx context.Context, granted *grant, w written) (result []byte, flaw string) {
	switch {
	case w.invalid != nil:
		g.log(ctx, slog.LevelError, "the result of the body is invalid, and is not kept", "change", granted.record.ID, "error", w.invalid)
		return nil, flawInvalid
	case len(w.result) > g.opts.MaxResultBytes:
		return nil, flawOmitted
	}
	return w.result, ""
}

// bodyEnd is how a body ended that failed.
type bodyEnd struct {
	ending
	err  error
	late bool // its caller had been told of a doubt
}

// failBody records a body that failed, with what is there now. One that is proved to have written nothing may be tried
// again, unless it found another state than the person saw, or came back when its caller had been told of a doubt.
func (g *Guard) failBody(ctx context.Context, granted *grant, before []byte, body bodyEnd) answer {
	r, op, err := &granted.record, granted.op.erased, body.err
	s := &stop{failure: bodyFailure(err, body.ending, forApply)}
	if body.ending == nothingWritten && !errors.Is(err, ErrConflict) {
		if !body.late {
			s.retry = g.retryOf(ctx, granted)
		}
		return g.failApply(ctx, granted, before, nil, s)
	}
	seen, lookErr := g.observe(ctx, op, r.Payload)
	asked := lookErr == nil && g.asAsked(ctx, op, r, before, seen)
	s.failure.reason = op.sawSince(before, seen, asked, lookErr)
	if lookErr == nil && op.observe != nil && errors.Is(err, ErrConflict) {
		changed, _ := op.binding.Compare(before, seen) // cannot be compared: nothing to list
		s.changed = op.tellable(changed, r)
	}
	return g.failApply(ctx, granted, before, seen, s)
}

// failApply settles a change as apply_failed.
func (g *Guard) failApply(ctx context.Context, granted *grant, before, seen []byte, s *stop) answer {
	stored, no := g.conclude(ctx, granted, settleFailed{
		claim: granted.record.ClaimID, before: before, after: seen, failure: s.failure, retry: s.retry,
	})
	if no != nil {
		return no
	}
	return s.refuse(granted, &stored)
}

// refuse answers for an apply that is recorded as failed.
func (s *stop) refuse(granted *grant, stored *ledger.Record) *refusal {
	no := refuseFailed(stored, s.failure)
	no.changed = s.changed
	if stored.RetryID != "" {
		no.retry, no.hint = newOffer(stored.RetryID, s.retry.token, stored.ExpiresAt), hintRetryOffered(stored, granted.op.applyTool)
	}
	return no
}

// doubt marks a change whose body may or may not have written.
func (g *Guard) doubt(ctx context.Context, granted *grant, before []byte, f failure) answer {
	d := doubt{claim: granted.record.ClaimID, before: before, failure: f}
	stored, no := g.conclude(ctx, granted, d)
	if no != nil {
		return no
	}
	return g.refuseNotOurs(&granted.record, &stored, d.known(&granted.record)) // somebody may have settled it before this was seen to be recorded
}

// bodyFailure is how the failure of a body is told and kept.
func bodyFailure(err error, end ending, p purpose) failure {
	fallback := failedCode(p)
	code, text := told(err, fallback)
	f := failure{code: code, message: text, err: err.Error(), outcome: outcomeUnknown}
	if code == fallback {
		f.message = fmt.Sprintf("The %s failed (%s).", p.verb(), text)
	}
	if end == nothingWritten {
		f.outcome = outcomeNotApplied
	}
	return f
}
