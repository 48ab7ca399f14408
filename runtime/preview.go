package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
)

// proposal is what a caller of a preview tool asks for.
type proposal struct {
	op        *registered
	who       identity
	requestID string // "" for none
	sent      []byte // the payload, accepted, before it is prepared
}

// draft is what a proposal would do: what is shown, stored and run.
type draft struct {
	payload, state, shown []byte
	approval              Approval
	items                 int64
}

// preview checks a payload, looks at the state, and records what would be done. It writes to nothing but the ledger.
func (g *Guard) preview(ctx context.Context, t *tool, who identity, raw []byte) answer {
	if g.flights.IsClosing() {
		return refuseShuttingDown()
	}
	p, no := g.propose(ctx, t.operation, who, raw)
	if no != nil {
		return no
	}
	if earlier := g.earlier(ctx, t, p); earlier != nil {
		return earlier
	}
	d, no := g.draft(ctx, p.op.erased, p.sent)
	if no != nil {
		return no
	}
	return g.record(ctx, t, p, d)
}

// propose reads the arguments of a preview.
func (g *Guard) propose(ctx context.Context, op *registered, who identity, raw []byte) (*proposal, *refusal) {
	rest, id, wrong := takeRequestID(raw)
	if wrong != nil {
		return nil, refuseArguments(wrong)
	}
	sent, err := op.accept(rest)
	if err != nil {
		return nil, g.payloadRefusal(ctx, op.erased, err)
	}
	return &proposal{op: op, who: who, requestID: id, sent: sent}, nil
}

// draft prepares, looks and renders, or says why there is nothing to propose.
func (g *Guard) draft(ctx context.Context, op *erased, sent []byte) (*draft, *refusal) {
	prepared, no := g.prepare(ctx, op, sent)
	if no != nil {
		return nil, no
	}
	state, err := g.observe(ctx, op, prepared)
	if err != nil {
		return nil, g.lookFailed(ctx, op, err)
	}
	if no := op.checkAbsence(state); no != nil {
		return nil, no
	}
	s, err := g.show(ctx, op, prepared, state)
	if err != nil {
		return nil, g.showFailed(ctx, op, err)
	}
	d := &draft{payload: prepared, state: state, shown: s.encoded}
	size := len(d.payload) + len(d.shown)
	switch {
	case op.changesNothing(state, s.shown):
		return nil, refuseNoChange()
	case size > g.opts.MaxPayloadBytes:
		return nil, refuseTooLarge(size, g.opts.MaxPayloadBytes)
	}
	return d, g.weigh(ctx, op, d)
}

// rendered is what a person is to read, and the canonical bytes of it that are kept.
type rendered struct {
	shown   shown.Change
	encoded []byte
}

func (g *Guard) show(ctx context.Context, op *erased, payload, state []byte) (rendered, error) {
	return attempt.Do(ctx, g.opts.Timeout, func(context.Context) (r rendered, err error) {
		if r.shown, err = op.show(Call{}, payload, state); err != nil {
			return r, err
		}
		r.shown.NeedsResult = op.undo != nil && op.needsResult()
		r.encoded, err = r.shown.Encode()
		return r, err
	})
}

// weigh tells how much the draft affects, and who has to say yes to it.
func (g *Guard) weigh(ctx context.Context, op *erased, d *draft) *refusal {
	var err error
	if d.items, err = g.countItems(ctx, op, d.payload); err != nil {
		return g.showFailed(ctx, op, fmt.Errorf("the things it affects could not be counted: %w", err))
	}
	if limit := op.Limits.MaxItems; limit > 0 && d.items > int64(limit) {
		return refuseItems(d.items, limit)
	}
	if d.approval, err = g.approvalFor(ctx, op, d.payload, d.state); err != nil {
		return g.showFailed(ctx, op, fmt.Errorf("who has to approve it could not be told: %w", err))
	}
	return nil
}

// showFailed answers for a hook that failed which writes and looks at nothing.
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
		return refusePayload([]payload.Violation{unreadable(op.untelling(text))})
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
