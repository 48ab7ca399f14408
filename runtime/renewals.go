package runtime

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What a caller may have anew whose answer was lost: a token, and never a run. The new token takes the place of the one
// before and dies with it, so that a call made twice gives nobody more than one made once.
type (
	// renewToken replaces the confirmation token of a change that waits.
	renewToken struct {
		operation *behaviour
		token     []byte // hash
	}
	// renewUndo replaces the undo token of an applied change, for whoever holds the confirmation token that applied it.
	renewUndo struct {
		asker
		token []byte // hash
	}
)

func (n renewToken) decide(r ledger.Record, at moment, p policy) (ledger.Record, cause, error) {
	flaw := unlikeShown(&r)
	switch {
	case flaw != "":
		return r, cause{}, refuseDamaged(&r, flaw)
	case r.Status != ledger.Pending, !at.now.Before(r.ExpiresAt):
		return r, cause{}, errNoTransition
	case at.behind > p.maxSkew:
		return r, cause{}, refuseClockSkew(at, p).about(&r)
	case !n.operation.applies(&r):
		return r, cause{}, refuseRequestChanged(&r)
	}
	r.ApplyToken = n.token
	return r, cause{actor: actorAgent, code: eventTokenRenewed, reason: reasonRequestRepeated}, nil
}

func (n renewUndo) decide(r ledger.Record, at moment, p policy) (ledger.Record, cause, error) {
	if unlikeShown(&r) != "" || !n.knows(&r) || !n.renews(&r, at.now) || at.behind > p.maxSkew {
		return r, cause{}, errNoTransition
	}
	r.UndoToken = n.token
	return r, cause{actor: actorAgent, code: eventTokenRenewed, reason: reasonApplyRepeated}, nil
}

// renews tells whether the asker may have a new undo token of the change: they hold the token that applied it, and the
// undo that the old one stands for still is one.
func (a *asker) renews(r *ledger.Record, now time.Time) bool {
	return r.Status == ledger.Applied && !undoRejected(r) && len(r.UndoToken) > 0 && !undoOver(r, now) && tokenMatches(r, forApply, a.token) &&
		a.operation != nil && a.operation.undoes && a.operation.undoDigest == r.UndoDigest &&
		(r.Result != nil || !a.operation.needsResult)
}

// renewed adds to the refusal of a repeated apply the undo token that the answer before may have lost. Without it the
// refusal is as complete as ever.
func (g *Guard) renewed(ctx context.Context, a ask, no *refusal) *refusal {
	if !no.renewable {
		return no
	}
	r, _, err := g.read(ctx, a.id)
	if err != nil {
		return no
	}
	op, serves := a.tool.serves(&r)
	if op == nil {
		return no
	}
	token := mintToken(forUndo)
	stored, err := g.move(ctx, r.ID, renewUndo{
		asker: asker{serves: serves, scope: a.who.scope, caller: a.who.caller, token: a.token, operation: op.behaviour()},
		token: tokenHash(forUndo, r.ID, r.PayloadHash, token),
	})
	if err != nil {
		if !errors.Is(err, errNoTransition) {
			g.log(ctx, slog.LevelWarn, "a new undo token was not recorded", "change", r.ID, "error", err)
		}
		return no
	}
	no.undoToken, no.undoExpires = token, stampIf(stored.UndoExpiresAt)
	no.hint = joined(hintRenewed(&stored), whyNoResult(no.resultFlaw))
	return no
}

// askForUndo tells the operator of an undo that waits for them, once: while the token of whoever asks is good, and nobody
// has said no.
type askForUndo struct{ token string }

func (q askForUndo) decide(r ledger.Record, at moment, _ policy) (ledger.Record, cause, error) {
	switch {
	case r.Status != ledger.Applied || unlikeShown(&r) != "" || undoOver(&r, at.now):
		return r, cause{}, errNoTransition
	case !tokenMatches(&r, forUndo, q.token):
		return r, cause{}, refuseInvalidToken(&r, forUndo)
	case asksForUndo(&r):
		return r, cause{}, errNoTransition
	case undoRejected(&r):
		return r, cause{}, refuseUndoRejected(&r)
	}
	r.UndoRequest = ledger.Request{At: at.now, By: actorAgent, Channel: channelAgent}
	return r, cause{actor: actorAgent, code: eventUndoRequested, reason: "an agent asked for the undo with its token: it waits for a person's yes"}, nil
}

// askForUndo records the request of an undo that waits for a person. A caller is told to wait only where it is recorded.
func (g *Guard) askForUndo(ctx context.Context, a ask, no *refusal) *refusal {
	stored, err := g.move(ctx, a.id, askForUndo{token: a.token})
	var over *refusal
	switch {
	case errors.As(err, &over):
		return over
	case errors.Is(err, errNoTransition) && stored.Status != ledger.Applied:
		return g.refusedSince(ctx, a, &stored)
	case err != nil && !errors.Is(err, errNoTransition):
		g.log(ctx, slog.LevelError, "the request of an undo was not recorded", "change", a.id, "error", err)
		return ledgerRefusal(err).alike(no)
	}
	return no
}

// refusedSince says why there is no undo of a change that others have moved since that was decided.
func (g *Guard) refusedSince(ctx context.Context, a ask, stored *ledger.Record) *refusal {
	_, err := g.decide(ctx, a, claimant{})
	var no *refusal
	if err == nil || errors.As(err, &no) && no.asksUndo {
		return ledgerRefusal(ledger.ErrBusy).about(stored) // and others have moved it again
	}
	return g.claimRefusal(ctx, a, err)
}

// renewedPreview answers a request that was made before and whose change waits: with the change as it was shown.
func (g *Guard) renewedPreview(ctx context.Context, op *registered, r ledger.Record) (*previewed, error) {
	token := mintToken(forApply)
	stored, err := g.move(ctx, r.ID, renewToken{
		operation: op.behaviour(), token: tokenHash(forApply, r.ID, r.PayloadHash, token),
	})
	if err != nil {
		return nil, err
	}
	again, err := g.previewOf(ctx, op, stored, token)
	if err != nil {
		return nil, err
	}
	again.repeated, again.yes = true, g.yesFor(ctx, op, &stored)
	return again, nil
}
