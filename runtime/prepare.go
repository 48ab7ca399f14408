package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

// prepare makes of an accepted payload the one that is looked by, shown, stored and run.
func (g *Guard) prepare(ctx context.Context, op *erased, accepted []byte) ([]byte, *refusal) {
	if op.prepare == nil {
		return accepted, nil
	}
	prepared, err := attempt.Do(ctx, g.timeout(op), func(ctx context.Context) ([]byte, error) { return op.prepare(ctx, accepted) })
	if err != nil {
		return nil, g.prepareFailed(ctx, op, err)
	}
	return prepared, nil
}

func (g *Guard) prepareFailed(ctx context.Context, op *erased, err error) *refusal {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return refuseCancelled()
	}
	code, text := told(err, CodePrepareFailed)
	if code != CodePrepareFailed {
		return refuseOwn(text)
	}
	g.log(ctx, slog.LevelError, "the payload could not be prepared", "operation", op.Name, "error", err, "stack", stackOf(err))
	var invalid *payload.Invalid
	switch {
	case errors.As(err, &invalid):
		return refusePrepared(withoutValues(err, invalid.Violations))
	case errors.Is(err, errPrepared):
		text = errPrepared.Error()
	}
	return refusePrepare(text)
}

// errPrepared is what a prepare hook did whose payload cannot be one of the operation.
var errPrepared = errors.New("what prepare returned does not fit the schema of the payload")

// encodePrepared gives the canonical bytes of a prepared payload.
func encodePrepared(schema *payload.Schema, prepared any) ([]byte, error) {
	encoded, err := exact.Encode(prepared)
	if err == nil {
		encoded, err = exact.Canonical(encoded, exact.DefaultLimits)
	}
	if err == nil {
		err = schema.Complete(encoded)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPrepared, err)
	}
	return encoded, nil
}
