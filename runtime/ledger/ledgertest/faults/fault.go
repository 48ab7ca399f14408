// Package faults has the calls of a ledger go wrong, for tests of what uses one: a write that fails before anything was
// written, one whose answer is lost after all was, a ledger that answers late, a caller whose context ends on the way, a
// Hold that is lost. A Plan says what comes in between which call; it may be drawn from a seed, so that the same faults
// come again.
//
// The ledger below stays what it is: what was carried out is there for whoever looks, with this Store or another one on the
// same ledger. Several processes are several Stores, each with a plan of its own.
package faults

import (
	"context"
	"errors"
)

// ErrLost is an answer that nobody heard: all was written, or nothing.
var ErrLost = errors.New("the answer of the ledger was lost")

// Fault is what comes in between a call and its answer. The zero Fault is none.
type Fault struct {
	Name string // as an Injection tells it; one without a name is not told of
	// Do is called instead of the ledger, and gives the answer. It carries the call out with call, or does not; what it
	// answers, nil or an error, is what the caller is told. With an error that is not of call, the caller is given no value.
	Do func(ctx context.Context, call func(context.Context) error) error
}

// Refuse answers with err and carries nothing out.
func Refuse(err error) Fault {
	return Fault{"not carried out: " + err.Error(), func(context.Context, func(context.Context) error) error { return err }}
}

// Lose carries the call out and answers with err, whatever came of it.
func Lose(err error) Fault {
	return Fault{"carried out, and then: " + err.Error(), func(ctx context.Context, call func(context.Context) error) error {
		_ = call(ctx)
		return err
	}}
}

// Late answers with err at once and hands the call to hand, which carries it out whenever it likes, or never: as of a write
// that is still on its way when its sender has given it up. Once its record was read, no ledger that keeps its promise lets a
// swap come late; this one does, for those who are to be right even so.
func Late(err error, hand func(call func())) Fault {
	return Fault{"carried out late, and before: " + err.Error(), func(ctx context.Context, call func(context.Context) error) error {
		hand(func() { _ = call(context.WithoutCancel(ctx)) })
		return err
	}}
}

// Leave carries the call out with a context that is over: as of a caller who left before the ledger took the call.
func Leave() Fault {
	return Fault{"its caller has left", func(ctx context.Context, call func(context.Context) error) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return call(ctx)
	}}
}

// Before calls do before it carries the call out. What it waits for in do, the call waits for; do may end the context of the
// caller, or do to the ledger what others do.
func Before(what string, do func()) Fault {
	return Fault{"before it, " + what, func(ctx context.Context, call func(context.Context) error) error {
		do()
		return call(ctx)
	}}
}

// After calls do between the end of the call and its answer.
func After(what string, do func()) Fault {
	return Fault{"after it, " + what, func(ctx context.Context, call func(context.Context) error) error {
		err := call(ctx)
		do()
		return err
	}}
}

// Panic panics with value, as a driver may: before the call is carried out, or after it.
func Panic(value any, carriedOut bool) Fault {
	name := "a panic before it"
	if carriedOut {
		name = "a panic after it"
	}
	return Fault{name, func(ctx context.Context, call func(context.Context) error) error {
		if carriedOut {
			_ = call(ctx)
		}
		panic(value)
	}}
}
