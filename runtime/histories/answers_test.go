package histories_test

import (
	"errors"
	"slices"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What answers say of a change at the moment they are about.

func gone(s state) bool { return s.status == "" || s.status == pruned }

// stands tells whether a change can be what an answer of x says that it is.
func stands(s state, x *step, got answer) bool {
	if got.Status == ledger.Expired && s.status == ledger.Pending {
		return x.around.late // that it expired need not be written down
	}
	if got.Status != s.status {
		return false
	}
	return !s.open() || (got.InDoubt && doubtful(s, x)) || (!got.InDoubt && !s.doubt)
}

// doubtful tells whether x may take the change for one in doubt. The process of a claim knows more of it than the ledger.
func doubtful(s state, x *step) bool {
	return s.open() && (s.doubt || s.holder == x.process || s.holder == "" || x.blind)
}

func claimedBefore(s state) bool {
	return slices.Contains([]ledger.Status{
		ledger.Applied, ledger.ApplyFailed, ledger.Undoing, ledger.Undone, ledger.UndoFailed,
	}, s.status)
}

// ofApply and ofUndo tell by the code of a refusal where the change can be. There are no other codes.
var ofApply = map[string]func(s state, x *step) bool{
	"ledger_busy":    anywhere,
	"shutting_down":  anywhere,
	"unknown_change": func(s state, _ *step) bool { return gone(s) },
	"rejected":       func(s state, _ *step) bool { return s.status == ledger.Rejected },
	"already_used":   func(s state, _ *step) bool { return claimedBefore(s) },
	"in_flight":      func(s state, _ *step) bool { return s.open() && !s.doubt },
	"in_doubt":       doubtful,
	"expired": func(s state, x *step) bool {
		return x.around.late && (s.status == ledger.Pending || s.status == ledger.Expired)
	},
	"clock_skew":       func(s state, _ *step) bool { return s.status == ledger.Pending },
	"invalid_token":    func(s state, x *step) bool { return s.status == ledger.Pending && s.confirm != x.token },
	"payload_mismatch": waits,
	"limit_exceeded":   func(s state, x *step) bool { return waits(s, x) && x.about.limited },
	"awaiting_approval": func(s state, x *step) bool {
		return waits(s, x) && !s.approved && (x.about.needsYes || x.about.unrecorded || x.around.rejected)
	},
}

func waits(s state, x *step) bool { return s.status == ledger.Pending && s.confirm == x.token }

func anywhere(state, *step) bool { return true }

var ofUndo = map[string]func(s state, x *step) bool{
	"ledger_busy":    anywhere,
	"shutting_down":  anywhere,
	"unknown_change": func(s state, _ *step) bool { return gone(s) },
	"already_used":   func(s state, _ *step) bool { return s.status == ledger.Undone || s.status == ledger.UndoFailed },
	"in_flight":      func(s state, _ *step) bool { return s.open() && !s.doubt },
	"in_doubt":       doubtful,
	"not_undoable": func(s state, x *step) bool { // where apply is not known to have left what, it is with the right token
		return s.status == ledger.Pending || s.status == ledger.Rejected || s.status == ledger.Expired ||
			s.status == ledger.ApplyFailed || holdsUndo(s, x)
	},
	"expired":        func(s state, x *step) bool { return s.status == ledger.Applied && x.around.undoLate },
	"clock_skew":     isApplied,
	"invalid_token":  func(s state, x *step) bool { return s.status == ledger.Applied && s.undo != x.token },
	"state_changed":  isApplied,
	"observe_failed": isApplied,
	"undo_failed":    isApplied,
	"refused":        isApplied,
	"rejected":       func(s state, _ *step) bool { return s.status == ledger.Applied && s.undoVerdict == ledger.Refused },
	"awaiting_approval": func(s state, x *step) bool {
		return holdsUndo(s, x) && s.undoVerdict == "" && x.about.needsUndoYes
	},
}

func isApplied(s state, _ *step) bool { return s.status == ledger.Applied }

func holdsUndo(s state, x *step) bool { return s.status == ledger.Applied && s.undo == x.token }

// looked is what a look of a guard says of where the change is.
func looked(v runtime.Verdict, err error) func(state) bool {
	return func(s state) bool {
		switch {
		case errors.Is(err, runtime.ErrNotInDoubt):
			return !s.open() || !s.doubt
		case err == nil && v == runtime.Done:
			return s.status == ledger.Applied || s.status == ledger.Undone || s.open() && s.body.wrote || claimedBefore(s)
		}
		return true
	}
}

// applied makes steps of an answer to an apply.
func (a *agent) applied(k *known, r *request, got answer, ok bool, token string, wrongHash bool) {
	claim := r.step(claimed, k.id)
	claim.purpose, claim.token = toApply, token
	end := r.step(settled, k.id)
	a.overBy(k, got)
	switch code := got.Code; {
	case ok && got.Status == ledger.Applied:
		end.status, end.fresh = ledger.Applied, got.UndoToken
		if got.UndoToken != "" { // one that a replay has renewed since is not told
			a.learn(known{id: k.id, undo: []string{got.UndoToken}})
		}
		a.addAll(claim, end)
	case !ok, code == "internal":
		a.addAll(loosely(claim), renewsAnyway(r.step(seen, k.id), token))
	case got.ChangeStatus == ledger.ApplyFailed && code != "already_used":
		end.status = ledger.ApplyFailed
		a.addAll(claim, end)
		a.retried(k, r, got, born)
	default:
		see := r.step(seen, k.id)
		see.token = token
		see.allows = onTerms(ofApply[code], see, wrongHash || code != "payload_mismatch")
		if code == "in_doubt" || code == "already_used" { // it may be its own claim that is in doubt, or was settled by another
			a.addAll(loosely(claim))
		}
		if code == "already_used" {
			a.renews(k, see, got)
			a.retried(k, r, got, renewed)
		}
		a.addAll(see)
	}
}

// onTerms holds where the code of an answer can be given at all.
func onTerms(allowed func(state, *step) bool, x *step, can bool) func(state) bool {
	return func(s state) bool { return can && allowed != nil && allowed(s, x) }
}

// renews is about the undo token that a repeated apply may have had renewed, whether it was told or not.
func (a *agent) renews(k *known, x *step, got answer) {
	if got.UndoToken == "" {
		a.addAll(renewsAnyway(&step{what: x.what, change: x.change, called: x.called}, x.token))
		return
	}
	x.allows = func(s state) bool { return s.status == ledger.Applied && s.confirm == x.token }
	x.becomes = func(s state) state { s.undo = got.UndoToken; return s }
	a.learn(known{id: k.id, undo: []string{got.UndoToken}})
}

// renewsAnyway is a new undo token that nobody was told, if there is one. It makes of x, of an apply with that token, a
// step of its own.
func renewsAnyway(x *step, token string) *step {
	x.kind, x.what, x.token, x.maybe = seen, x.what+", and a new undo token that was lost", token, true
	x.allows = func(s state) bool { return s.status == ledger.Applied && s.confirm == token }
	x.becomes = func(s state) state { s.undo = unknown; return s }
	return x
}

// retried is about the change that tries another one again, of which an answer may tell.
func (a *agent) retried(k *known, r *request, got answer, to kind) {
	if got.Retry.ChangeID == "" {
		return
	}
	x := r.step(to, got.Retry.ChangeID)
	x.payload, x.fresh = hashOf(&k.payload), got.Retry.ConfirmationToken
	if x.fresh == "" {
		x.fresh, x.maybe = unknown, true
	}
	a.addAll(x)
	retry := known{id: x.change, operation: k.operation, payload: k.payload, bornAt: k.bornAt, needsYes: k.needsYes, retryOf: k.id}
	if !x.maybe {
		retry.confirm = []string{x.fresh}
	}
	a.learn(retry)
}

// undone makes steps of an answer to an undo.
func (a *agent) undone(k *known, r *request, got answer, ok bool, token string) {
	claim := r.step(claimed, k.id)
	claim.purpose, claim.token = toUndo, token
	end := r.step(settled, k.id)
	a.overBy(k, got)
	switch code := got.Code; {
	case ok && got.Status == ledger.Undone:
		end.status = ledger.Undone
		a.addAll(claim, end)
	case !ok, code == "internal":
		a.addAll(loosely(claim), asksAnyway(r, k, token))
	case got.ChangeStatus == ledger.UndoFailed && code != "already_used":
		end.status = ledger.UndoFailed
		a.addAll(claim, end)
	default:
		see := r.step(seen, k.id)
		see.token = token
		see.allows = onTerms(ofUndo[code], see, true)
		if code == "awaiting_approval" {
			see.becomes = askedByAgent
			a.learn(known{id: k.id, asked: true})
		}
		if slices.Contains([]string{"in_doubt", "already_used", "state_changed", "observe_failed", "undo_failed", "refused"}, code) {
			a.addAll(loosely(claim))
		}
		a.addAll(see)
	}
}

// overBy notes that an answer told where a change ended.
func (a *agent) overBy(k *known, got answer) {
	if (state{status: got.Status}).over() || (state{status: got.ChangeStatus}).over() {
		a.learn(known{id: k.id, over: true})
	}
}

// askedByAgent is a change whose undo waits for a person.
func askedByAgent(s state) state {
	if s.request == "" {
		s.request = byAgent
	}
	return s
}

// asksAnyway is a request for a yes to an undo of which nobody was told whether it was recorded.
func asksAnyway(r *request, k *known, token string) *step {
	x := r.step(seen, k.id)
	x.what, x.token, x.maybe = x.what+", and a request for a yes", token, true
	x.allows, x.becomes = onTerms(ofUndo["awaiting_approval"], x, true), askedByAgent
	return x
}

// loosely is a claim of which nobody was told whether it was made, and how it ended.
func loosely(claim *step) *step {
	claim.maybe, claim.loose = true, true
	return claim
}

func (a *agent) addAll(steps ...*step) {
	for _, x := range steps {
		a.add(x)
	}
}
