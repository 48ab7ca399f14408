// Package attempt calls code that somebody else wrote, as the hooks of an operation and interceptors are, so that what it
// does is an error of the attempt and nothing more: a panic, a goroutine that ends itself, a call that never returns.
package attempt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"
)

// ErrGoexit is what a hook did that ended its goroutine without returning.
var ErrGoexit = errors.New("the hook ended its goroutine instead of returning")

// ErrTimeout is what a hook did whose answer Do did not get in time.
var ErrTimeout = errors.New("no answer in time")

// Panic is the panic of a hook.
type Panic struct {
	Value any
	Stack []byte
}

// Error has no stack: it is kept for the log.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Contain calls f and waits for its end, however long that takes.
func Contain(f func() error) error {
	done := make(chan error, 1)
	run(f, func(err error) { done <- err })
	return <-done
}

// Do calls hook with a context that ends after timeout, and waits for no longer than that. It is for hooks that write
// nothing: what comes late is not needed.
func Do[T any](ctx context.Context, timeout time.Duration, hook func(context.Context) (T, error)) (T, error) {
	var none T
	s := Start(ctx, timeout, hook)
	switch {
	case s.Finished():
		return s.Value, s.Err
	case errors.Is(s.ctx.Err(), context.DeadlineExceeded):
		return none, ErrTimeout
	}
	return none, s.ctx.Err()
}

// Started is a call that may still go on. What came of it may be read when Finished was true, or Done is closed.
type Started[T any] struct {
	Value T
	Err   error
	Late  bool // the hook returned after its time was up

	ctx  context.Context // that of the hook
	done chan struct{}
}

// Start calls hook with a context that ends after timeout, and returns at once. It is for hooks that write: they may do so
// after their time is up too.
func Start[T any](ctx context.Context, timeout time.Duration, hook func(context.Context) (T, error)) *Started[T] {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	s := &Started[T]{ctx: ctx, done: make(chan struct{})}
	run(func() error {
		value, err := hook(ctx)
		s.Value, s.Late = value, ctx.Err() != nil
		return err
	}, func(err error) {
		s.Err = err
		close(s.done)
		cancel()
	})
	return s
}

// Cause is why the context of the hook is over; nil if it is not.
func (s *Started[T]) Cause() error { return context.Cause(s.ctx) }

// Done is closed when the hook has returned, however late.
func (s *Started[T]) Done() <-chan struct{} { return s.done }

// Finished waits for the hook, and for no longer than its time.
func (s *Started[T]) Finished() bool {
	select {
	case <-s.done:
		return true
	case <-s.ctx.Done():
	}
	select {
	case <-s.done: // both at once: what the hook said counts
		return true
	default:
		return false
	}
}

// Returns waits for the hook for so long, whether its time is up or not.
func (s *Started[T]) Returns(within time.Duration) bool {
	select {
	case <-s.done:
		return true
	case <-time.After(within):
		return false
	}
}

// run calls f in a goroutine of its own, and ended with its error there, however f ends.
func run(f func() error, ended func(error)) {
	go func() {
		MakeRoom()
		err := ErrGoexit
		defer func() {
			if p := recover(); p != nil {
				err = &Panic{Value: p, Stack: debug.Stack()}
			}
			ended(err)
		}()
		err = f()
	}()
}

// roomBytes is what most hooks take of a stack: they read and write JSON, and hold records.
const roomBytes = 8 << 10

// MakeRoom has the stack of a goroutine that has just begun grow at once. It would be copied at each doubling otherwise, with
// more on it each time, which takes up to a third of the time of a short hook. What it returns means nothing.
//
//go:noinline
func MakeRoom() byte {
	var room [roomBytes]byte
	return room[len(os.Args)%roomBytes] // known at run time alone, so that there has to be room
}
