package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/changesetgen/changesetgen/internal/plural"
	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
)

// observe looks at the state before apply. It is nil if the operation looks at nothing.
func (g *Guard) observe(ctx context.Context, op *erased, payload []byte) ([]byte, error) {
	if op.observe == nil {
		return nil, nil
	}
	return attempt.Do(ctx, g.opts.Timeout, func(ctx context.Context) ([]byte, error) { return op.observe(ctx, payload) })
}

// observeAfter looks at the state after apply. It is nil if the operation looks at nothing.
func (g *Guard) observeAfter(ctx context.Context, op *erased, call Call, c carried) ([]byte, error) {
	if op.lookAfter == nil {
		return nil, nil
	}
	return attempt.Do(ctx, g.opts.Timeout, func(ctx context.Context) ([]byte, error) { return op.lookAfter(ctx, call, c) })
}

// checkAbsence is what finding nothing, or something, means for the operation.
func (e *erased) checkAbsence(state []byte) *refusal {
	absent := bytes.Equal(state, []byte(jsonNull))
	switch {
	case e.observe == nil:
		return nil
	case absent && e.Absent == AbsentRefused:
		return refuseAbsent(e.Meta)
	case !absent && e.Absent == ExistsRefused:
		return refuseExists(e.Meta)
	}
	return nil
}

// lookFailed says why a state could not be read.
func (g *Guard) lookFailed(ctx context.Context, op *erased, err error) *refusal {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return refuseCancelled()
	}
	if errors.Is(err, ErrNotUnique) {
		return refuseNotUnique(op.Meta)
	}
	g.log(ctx, slog.LevelError, "the state could not be read", "operation", op.Name, "error", err, "stack", stackOf(err))
	code, text := told(err, CodeObserveFailed)
	if code != CodeObserveFailed {
		return refuseOwn(text)
	}
	return refuseObserve(text)
}

// sawSince says, for operators, what a look after a failure found. As before proves nothing: the write may yet land.
func (e *erased) sawSince(before, now []byte, asked bool, err error) string {
	if err == nil {
		var seen string
		if seen, err = e.sight(before, now, asked); err == nil {
			return "a fresh look: " + seen
		}
	}
	return "a fresh look: " + lookFailure(err)
}

// The names of what a look may see of an apply, besides that nothing is observed.
const (
	sawAsBefore = "as_before"
	sawAsAsked  = "as_asked"
	sawOther    = "other"
)

// sight names how a state looks that an apply may have written to.
func (e *erased) sight(before, now []byte, asked bool) (string, error) {
	switch {
	case e.observe == nil:
		return "nothing is observed", nil
	case asked:
		return sawAsAsked, nil
	}
	changed, err := e.binding.Compare(before, now)
	switch {
	case err != nil:
		return "", err
	case len(changed) == 0:
		return sawAsBefore, nil
	}
	return fmt.Sprintf("%s, %s", sawOther, plural.Of(len(changed), "difference")), nil
}
