package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// attempt is one call of a hook that an author wrote. It runs in a goroutine of its own, so that a panic, a goroutine
// that ends itself, or a hook that never returns is an error of the attempt and nothing more.
type attempt[T any] struct {
	ctx   context.Context // that of the hook
	done  chan struct{}   // closed when the hook has returned
	value T
	err   error
	late  bool // the hook returned after its time was up
}

// errGoexit is what a hook did that ended its goroutine without returning.
var errGoexit = errors.New("the hook ended its goroutine instead of returning")

// errTimeout is what a look did that did not return in time.
var errTimeout = errors.New("no answer in time")

// panicked is the panic of a hook.
type panicked struct {
	value any
	stack []byte
}

// Error has no stack: it is kept for the log.
func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// try calls hook with a context that ends after timeout, and returns at once.
func try[T any](ctx context.Context, timeout time.Duration, hook func(context.Context) (T, error)) *attempt[T] {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	a := &attempt[T]{ctx: ctx, done: make(chan struct{}), err: errGoexit}
	go func() {
		defer cancel()
		defer close(a.done)
		defer func() {
			if p := recover(); p != nil {
				a.err = &panicked{value: p, stack: debug.Stack()}
			}
		}()
		value, err := hook(ctx)
		a.value, a.err, a.late = value, err, ctx.Err() != nil
	}()
	return a
}

// finished waits for the hook, and for no longer than its time.
func (a *attempt[T]) finished() bool {
	select {
	case <-a.done:
		return true
	case <-a.ctx.Done():
	}
	select {
	case <-a.done: // both at once: what the hook said counts
		return true
	default:
		return false
	}
}

// wait is finished for hooks that write nothing: what comes late is not needed.
func (a *attempt[T]) wait() (T, error) {
	var none T
	switch {
	case a.finished():
		return a.value, a.err
	case errors.Is(a.ctx.Err(), context.DeadlineExceeded):
		return none, errTimeout
	}
	return none, a.ctx.Err()
}
