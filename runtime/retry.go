package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// retry is the new change that tries a failed one again: the same payload over the same state, under the same yes and
// until the same time. It is made in the transaction that records the failure, so there is one at most, and where there is
// no room for another preview that waits there is none. The failure is proof that nothing was written, so the yes that both
// were given funds one write.
type retry struct {
	of    *ledger.Record // the failed change as it was claimed, whatever the ledger says of it since; nil: none is wanted
	token string         // its confirmation token
	id    string         // drawn anew for each try to record it
}

// retryOf is the retry of a failure that its operation allows one; the zero retry where it does not.
func (g *Guard) retryOf(ctx context.Context, granted *grant) retry {
	if !granted.op.Retry || g.isLastRetry(ctx, &granted.record) {
		return retry{}
	}
	return retry{of: &granted.record, token: mintToken(forApply)}
}

// draw gives the retry of an outcome, if it has one, another id.
func (s *settling) draw(now time.Time) {
	if f, ok := s.outcome.(settleFailed); ok && f.retry.of != nil {
		f.retry.id = newChangeID(now)
		s.outcome = f
	}
}

// giveUpRetry settles the outcome without one.
func (s *settling) giveUpRetry() {
	if f, ok := s.outcome.(settleFailed); ok {
		f.retry = retry{}
		s.outcome = f
	}
}

// may tells whether a failed change may be tried again. One whose time is over needs a new preview, and with a clock that
// cannot be trusted nothing could be applied.
func (t retry) may(r *ledger.Record, outcome string, at moment, p policy) bool {
	return t.of != nil && outcome == outcomeNotApplied && at.now.Before(r.ExpiresAt) && at.behind <= p.maxSkew
}

// record is the change that tries it again.
func (t retry) record(at moment) (ledger.Record, ledger.Event) {
	again := ledger.Record{Fixed: t.of.Fixed, Mutable: ledger.Mutable{Status: ledger.Pending, ExpiresAt: t.of.ExpiresAt}}
	again.ID, again.RetryOf, again.CreatedAt = t.id, t.of.ID, at.now
	again.RequestID, again.RequestHash = "", "" // the request stands for the first
	again.ApplyToken = tokenHash(forApply, again.ID, again.PayloadHash, t.token)
	if approved(t.of, forApply) {
		again.Decision = t.of.Decision
		again.Decision.Digest = decisionDigest(forApply, again.ID, again.ShownDigest)
	}
	return again, ledger.Event{Actor: actorGuard, To: ledger.Pending, Reason: retryReason(t.of.ID)}
}

// retry is the change that the latest try makes with the outcome, and whether it makes one.
func (s *settling) retry(at moment) (ledger.Record, ledger.Event, bool) {
	f, ok := s.outcome.(settleFailed)
	if !ok || f.retry.id == "" || s.meant.RetryID != f.retry.id {
		return ledger.Record{}, ledger.Event{}, false
	}
	again, first := f.retry.record(at)
	return again, first, true
}

// write records what the latest try makes of a change, and with it the retry that it may have.
func (g *Guard) write(ctx context.Context, s *settling, at moment) (err error) {
	if again, first, retries := s.retry(at); !retries {
		err = g.swap(ctx, s.meant, noTime, s.event)
	} else {
		s.meant.WriteID, again.WriteID = newWriteID(), newWriteID()
		err = attempt.Contain(func() error {
			return g.store.SwapInsert(ctx, *s.meant, s.event, again, first, g.pendingCaps(&again)...)
		})
		err = ascertain(ctx, g.store, s.meant, err)
	}
	if err == nil {
		g.logOutcome(ctx, s, at)
	}
	return err
}

// logOutcome tells of an outcome that the ledger has, and of the retry that was made with it.
func (g *Guard) logOutcome(ctx context.Context, s *settling, at moment) {
	g.logMove(ctx, s.meant, s.event)
	if again, first, retries := s.retry(at); retries {
		g.logMove(ctx, &again, first)
	}
}

// offer is what the answer about a failed change says of the one that tries it again.
type offer struct {
	id, token, expires string // token is "" where there is none to hand out
}

func newOffer(id, token string, expires time.Time) *offer {
	return &offer{id: id, token: token, expires: stamp(expires)}
}

// retried adds to the refusal of a repeated apply what became of the change that tries it again. Whoever holds the token
// of the first may have another of the last: the answer that had it may have been lost, and a claim spends either. The
// earlier token ends with that.
func (g *Guard) retried(ctx context.Context, a ask, no *refusal) *refusal {
	if no.code != CodeAlreadyUsed || no.status != ledger.ApplyFailed {
		return no
	}
	last, op := g.retryFor(ctx, a)
	if last == nil {
		return no
	}
	no.retry, no.hint = newOffer(last.ID, "", last.ExpiresAt), hintRetryElsewhere(last)
	token := mintToken(forApply)
	recording, cancel := context.WithTimeout(context.WithoutCancel(ctx), ledgerPatience)
	defer cancel()
	stored, err := g.move(recording, last.ID, renewToken{
		operation: op.behaviour(), token: tokenHash(forApply, last.ID, last.PayloadHash, token),
	})
	var notNow *refusal
	switch {
	case err == nil:
		no.retry.token, no.hint = token, hintRetryOffered(&stored, op.applyTool)
	case !errors.Is(err, errNoTransition) && !errors.As(err, &notNow):
		no.hint = hintRetryUntold(last)
		g.log(ctx, slog.LevelError, "a new confirmation token was not recorded", "change", last.ID, "error", err)
	}
	return no
}

// retryFor is the last change that tries again what a call is about, and its operation, for whoever holds the token of
// the first; nil if there is none for them.
func (g *Guard) retryFor(ctx context.Context, a ask) (*ledger.Record, *registered) {
	r, _, err := g.read(ctx, a.id)
	op, serves := a.tool.serves(&r)
	who := asker{serves: serves, scope: a.who.scope, caller: a.who.caller}
	if err != nil || op == nil || r.RetryID == "" || !who.knows(&r) || !tokenMatches(&r, forApply, a.token) {
		return nil, nil
	}
	last, err := g.lastRetry(ctx, &r)
	if err != nil {
		return nil, nil
	}
	return &last, op
}

// maxRetries is how many changes in a row try one again, at most. Whatever fails that often needs another look at it, which
// a preview is; and whoever asks about the first is led to the last, one by one.
const maxRetries = 50

// isLastRetry tells whether a change is the last of as many in a row as there may be. What was pruned does not count; a row
// that cannot be counted ends here.
func (g *Guard) isLastRetry(ctx context.Context, r *ledger.Record) bool {
	counting, cancel := context.WithTimeout(ctx, ledgerPatience)
	defer cancel()
	for range maxRetries {
		if r.RetryOf == "" {
			return false
		}
		var earlier ledger.Record
		err := attempt.Contain(func() (err error) {
			earlier, _, err = g.read(counting, r.RetryOf)
			return err
		})
		if err != nil {
			return !errors.Is(err, ledger.ErrNotFound)
		}
		r = &earlier
	}
	return true
}

// lastRetry follows a failed change to the one that tries it again, and on to the one that tries that. Whoever has the
// token of the first has it for what that is; a row that somebody edited is another change, or leads in a circle.
func (g *Guard) lastRetry(ctx context.Context, r *ledger.Record) (ledger.Record, error) {
	last := *r
	for n := 0; last.RetryID != ""; n++ {
		if n == maxRetries {
			return last, fmt.Errorf("%w: more than %d changes try %s again", ledger.ErrCorrupt, maxRetries, r.ID)
		}
		next, _, err := g.read(ctx, last.RetryID)
		if err != nil || next.RetryOf != last.ID || !sameChange(&next, r) {
			return last, errors.Join(err, ledger.ErrNotFound)
		}
		last = next
	}
	return last, nil
}

func sameChange(a, b *ledger.Record) bool {
	return a.PayloadHash == b.PayloadHash && bytes.Equal(a.Payload, b.Payload) && bytes.Equal(a.State, b.State) && bytes.Equal(a.Shown, b.Shown)
}
