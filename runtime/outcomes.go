package runtime

import (
	"cmp"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The outcomes of a failure. Only proof makes not_applied.
const (
	outcomeNotApplied = "not_applied"
	outcomeUnknown    = "unknown"
)

// The flaws of a result that could not be kept.
const (
	flawOmitted = "result_omitted" // larger than MaxResultBytes
	flawInvalid = "result_invalid" // breaks its schema
	flawLost    = "result_lost"    // nobody was told it: a look, or a person, found that apply had written
)

var noTime time.Time

// conclusion is what whoever holds a claim reports of how it ended.
type conclusion interface {
	request
	// known says what it means for the target of the claim under which r stands.
	known(r *ledger.Record) string
}

// The conclusions. Each names its claim, and is void under another one.
type (
	// settleApplied says that apply wrote.
	settleApplied struct {
		claim     string
		result    []byte
		flaw      string
		before    []byte // as observed under the claim
		after     []byte // nil when not known
		undoToken []byte // hash; nil when it cannot be undone
		reason    string
	}
	// settleUndone says that the state is as before the change: undo wrote, or had nothing to write.
	settleUndone struct {
		claim  string
		reason string
	}
	// settleFailed says that a body, or a check before it, failed.
	settleFailed struct {
		claim   string
		before  []byte // as observed under the claim of apply; nil if it was not
		after   []byte // as a look after the failure saw it; nil if there was none
		failure failure
		retry   retry // of an apply
	}
	// doubt says that nobody knows what became of the body.
	doubt struct {
		claim   string
		before  []byte
		failure failure
	}
)

// failure is one failure, as told to the agent and as kept for operators.
type failure struct {
	code    Code
	message string
	err     string // the whole error
	outcome string
	reason  string // for the event
}

func (s settleApplied) decide(r ledger.Record, at moment, _ policy) (ledger.Record, cause, error) {
	if r.Status != ledger.Applying || r.ClaimID != s.claim {
		return r, cause{}, errNoTransition
	}
	r = undoubted(r)
	r.Status, r.Error = ledger.Applied, ""
	r.Before, r.After, r.Result, r.ResultFlaw = s.before, s.after, s.result, s.flaw
	r.AppliedAt, r.UndoToken, r.UndoExpiresAt = at.now, s.undoToken, noTime
	if s.undoToken != nil && r.UndoTTL != Never {
		r.UndoExpiresAt = at.now.Add(r.UndoTTL)
	}
	return r, cause{actor: actorGuard, code: Code(s.flaw), reason: s.reason}, nil
}

func (s settleUndone) decide(r ledger.Record, _ moment, _ policy) (ledger.Record, cause, error) {
	if r.Status != ledger.Undoing || r.ClaimID != s.claim {
		return r, cause{}, errNoTransition
	}
	r = undoubted(r)
	r.Status, r.Error = ledger.Undone, ""
	return r, cause{actor: actorGuard, reason: s.reason}, nil
}

// decide ends an apply as apply_failed. An undo that is proved to have written nothing goes back to applied, with its
// token as good as before; any other failed undo is undo_failed.
func (s settleFailed) decide(r ledger.Record, at moment, p policy) (ledger.Record, cause, error) {
	if r.ClaimID != s.claim {
		return r, cause{}, errNoTransition
	}
	switch {
	case r.Status == ledger.Applying:
		r.Status, r.Before, r.After = ledger.ApplyFailed, s.before, s.after
		if s.failure.outcome == outcomeNotApplied {
			r.ClaimedAt = noTime // a limit is on what may have been written
		}
		if s.retry.may(&r, s.failure.outcome, at, p) {
			r.RetryID = s.retry.id
		}
	case r.Status == ledger.Undoing && s.failure.outcome == outcomeNotApplied:
		r = undoubted(r)
		r.Status, r.Error = ledger.Applied, s.failure.err
		if !asksForUndo(&r) {
			r.UndoDecision = ledger.Decision{} // a yes that came with a request is over with it
		}
		return r, cause{actor: actorGuard, code: s.failure.code, reason: cmp.Or(s.failure.reason, s.failure.message)}, nil
	case r.Status == ledger.Undoing:
		r.Status = ledger.UndoFailed
	default:
		return r, cause{}, errNoTransition
	}
	r = undoubted(r)
	r.Code, r.Message, r.Error, r.Outcome = string(s.failure.code), s.failure.message, s.failure.err, s.failure.outcome
	return r, cause{actor: actorGuard, code: s.failure.code, reason: s.failure.reason}, nil
}

// decide leaves the change where it is, marked; a joined claim is in no doubt ever. Nothing will run it again. What is said of a
// doubt later says more: of one that was only found forgotten, or whose body has come back since.
func (d doubt) decide(r ledger.Record, at moment, _ policy) (ledger.Record, cause, error) {
	says := d.failure.message != "" && r.DoubtReason != kept(d.failure.message)
	if !open(&r) || r.Joined || r.ClaimID != d.claim || !r.DoubtAt.IsZero() && !says {
		return r, cause{}, errNoTransition
	}
	if r.Status == ledger.Applying {
		r.Before = d.before
	}
	if r.DoubtAt.IsZero() {
		r.DoubtAt = at.now
	}
	r.DoubtReason, r.Error = d.failure.message, d.failure.err
	return r, cause{actor: actorGuard, code: CodeInDoubt, reason: cmp.Or(d.failure.reason, d.failure.message)}, nil
}

// lateOutcome keeps, for operators, how a claim ended that somebody else had settled before. That stands.
type lateOutcome struct {
	claim string
	known string
}

func (l lateOutcome) decide(r ledger.Record, _ moment, _ policy) (ledger.Record, cause, error) {
	if r.ClaimID == "" || open(&r) && r.ClaimID == l.claim {
		return r, cause{}, errNoTransition
	}
	return r, cause{actor: actorGuard, code: eventLateOutcome, reason: "it was settled before its body came back: " + l.known}, nil
}

// recordAfter keeps the first look after an apply whose own look failed. Until then the change cannot be undone. What an
// operator had said to an undo is over with it: they were not shown what was found.
type recordAfter struct {
	after   []byte
	differs string // the fields that are not as before the apply, as operators read them
}

func (l recordAfter) decide(r ledger.Record, _ moment, _ policy) (ledger.Record, cause, error) {
	if r.Status != ledger.Applied || unlikeShown(&r) != "" || r.After != nil {
		return r, cause{}, errNoTransition
	}
	reason := reasonLooked(r.Before, l.differs)
	if operatorAsks(&r) {
		reason += "; " + reasonNotCarriedOut(r.UndoRequest.By, hintShownNow)
		r.UndoRequest = ledger.Request{}
	}
	if r.UndoDecision.Verdict == ledger.Approved {
		r.UndoDecision = ledger.Decision{}
	}
	r.After = l.after
	return r, cause{actor: actorGuard, code: eventLooked, reason: reason}, nil
}
