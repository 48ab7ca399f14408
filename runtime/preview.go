package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// insertAttempts is how often a new id is drawn when it is taken.
const insertAttempts = 3

// preview checks a payload, looks at the state, and records what would be done. It writes to nothing but the ledger.
func (g *Guard) preview(ctx context.Context, t *tool, who identity, raw []byte) answer {
	if g.flights.isClosing() {
		return refuseShuttingDown()
	}
	op := t.operation
	accepted, no := g.accept(ctx, op.erased, raw)
	if no != nil {
		return no
	}
	state, err := g.observe(ctx, op.erased, accepted)
	if err != nil {
		return g.lookFailed(ctx, op.erased, err)
	}
	if no := op.checkAbsence(state); no != nil {
		return no
	}
	show, err := g.show(ctx, op.erased, accepted, state)
	if err != nil {
		return g.showFailed(ctx, op.erased, err)
	}
	if size := len(accepted) + len(show); size > g.opts.MaxPayloadBytes {
		return refuseTooLarge(size, g.opts.MaxPayloadBytes)
	}
	r := ledger.Record{
		Fixed: ledger.Fixed{
			Server: op.server, Operation: op.Name, Scope: who.scope, Caller: who.caller,
			Digest: op.Digest, UndoDigest: op.UndoDigest,
			PayloadHash: exact.Hash(accepted), Payload: accepted, State: state, Shown: show,
		},
		Mutable: ledger.Mutable{Status: ledger.Pending},
	}
	return g.propose(ctx, op, r)
}

// show renders what a person is to read, as the canonical bytes that are kept.
func (g *Guard) show(ctx context.Context, op *erased, payload, state []byte) ([]byte, error) {
	return try(ctx, g.opts.Timeout, func(context.Context) ([]byte, error) {
		s, err := op.show(Call{}, payload, state)
		if err != nil {
			return nil, err
		}
		return s.encode()
	}).wait()
}

func (g *Guard) showFailed(ctx context.Context, op *erased, err error) *refusal {
	if ctx.Err() != nil {
		return refuseCancelled()
	}
	g.log(ctx, slog.LevelError, "the diff could not be rendered", "operation", op.Name, "error", err, "stack", stackOf(err))
	if code, text := told(err, CodeInternal); code != CodeInternal {
		return refuseOwn(text)
	}
	return refusePreviewFailed()
}

// propose inserts the record of a preview and hands out its token.
func (g *Guard) propose(ctx context.Context, op *registered, r ledger.Record) answer {
	reading, err := g.store.Now(ctx)
	if err != nil {
		return g.insertRefusal(ctx, err)
	}
	at := g.clock.read(reading)
	if at.behind > g.policy.maxSkew {
		// Its times would be those of a clock that is wrong, and it could not be applied.
		return refuseClockSkew(at, g.policy)
	}
	r.TTL, r.UndoTTL = g.ttl(op.erased), g.undoTTL(op.erased)
	r.CreatedAt, r.ExpiresAt = at.now, at.now.Add(r.TTL)
	token := mintToken(forApply)
	event := ledger.Event{Actor: actorAgent, To: ledger.Pending}
	for range insertAttempts {
		r.ID = newChangeID(at.now)
		r.ApplyToken = tokenHash(forApply, r.ID, r.PayloadHash, token)
		if err = g.insert(ctx, r, event); !errors.Is(err, ledger.ErrExists) {
			break
		}
	}
	if err != nil {
		return g.insertRefusal(ctx, err)
	}
	g.logMove(ctx, &r, event)
	show, err := readShown(r.Shown) // from the stored bytes, as everything that is shown later
	if err != nil {
		return g.showFailed(ctx, op.erased, err)
	}
	return &previewed{record: r, op: op, shown: show, token: token, writes: g.policy.writes}
}

// insert adds a record, and looks for it after an answer that leaves open whether it is there.
func (g *Guard) insert(ctx context.Context, r ledger.Record, e ledger.Event) error {
	err := g.store.Insert(ctx, r, e)
	if err == nil || errors.Is(err, ledger.ErrExists) || wroteNothing(err) {
		return err
	}
	looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), ledgerPatience)
	defer cancel()
	stored, _, lookErr := g.store.Get(looking, r.ID)
	if lookErr == nil && bytes.Equal(stored.ApplyToken, r.ApplyToken) {
		return nil
	}
	return err
}

func (g *Guard) insertRefusal(ctx context.Context, err error) *refusal {
	if ctx.Err() != nil {
		return refuseCancelled()
	}
	g.log(ctx, slog.LevelError, "the ledger failed at a preview", "error", err)
	if no := ledgerRefusal(err); no.code != CodeInternal {
		return no
	}
	return refusePreviewFailed()
}

// payloadRefusal says what is wrong with a payload, and where.
func (g *Guard) payloadRefusal(ctx context.Context, op *erased, err error) *refusal {
	var invalid *payload.Invalid
	var text *exact.Error
	var hard *payload.TooComplex
	switch {
	case errors.As(err, &invalid):
		no := refusePayload(invalid.Violations)
		if invalid.More {
			no.message = fmt.Sprintf("The payload was not accepted (at least %d problems).", len(invalid.Violations))
		}
		return no
	case errors.As(err, &hard):
		return refuseTooComplex(hard.Pointer)
	case errors.Is(err, exact.ErrTooLarge):
		return refuseUnreadLarge()
	case errors.As(err, &text):
		return refusePayload([]payload.Violation{unreadable(text)})
	}
	g.log(ctx, slog.LevelError, "the payload could not be validated", "operation", op.Name, "error", err)
	return refusePreviewFailed()
}

func (g *Guard) ttl(op *erased) time.Duration {
	if op.TTL != 0 {
		return op.TTL
	}
	return g.opts.TTL
}

// undoTTL is 0 for an operation without undo: the record tells so to those who have no operation.
func (g *Guard) undoTTL(op *erased) time.Duration {
	switch {
	case op.undo == nil:
		return 0
	case op.UndoTTL != 0:
		return op.UndoTTL
	}
	return g.opts.UndoTTL
}
