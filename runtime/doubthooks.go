package runtime

import (
	"context"
	"errors"
	"fmt"
)

// doubtHooks are the hooks of an operation that tell what became of an apply in doubt. An operation has one at most.
type doubtHooks struct {
	// doneIn tells whether a state is one in which the change is done; nil: no state tells.
	doneIn func(call Call, payload, state []byte) (bool, error)
	// reconcile finds out from the state before and now; nil: it asks nobody.
	reconcile func(ctx context.Context, call Call, payload, before, now []byte) (Verdict, error)
	// looksElsewhere tells that the look after apply is another than the one before it.
	looksElsewhere bool
}

func eraseDoubt[P, S, R any](e *erased, o *Operation[P, S, R]) {
	e.looksElsewhere = o.ObserveAfter != nil
	if o.DoneWhen != nil {
		e.doneIn = func(call Call, payload, state []byte) (bool, error) {
			c, err := changeOf[P, S](call, payload, state)
			return err == nil && o.DoneWhen(c), err
		}
	}
	if o.Reconcile != nil {
		e.reconcile = func(ctx context.Context, call Call, payload, before, now []byte) (Verdict, error) {
			c := &Doubtful[P, S]{Call: call}
			if err := errors.Join(decode(payload, &c.Payload), decode(before, &c.Before), decode(now, &c.Now)); err != nil {
				return Unsure, err
			}
			return knownVerdict(o.Reconcile(ctx, c))
		}
	}
}

// saysSo is what a look saw, with whose verdict it is: of an operation with a hook for that, the state tells nothing.
func (e *erased) saysSo(saw string) string {
	switch {
	case e.reconcile == nil:
		return saw
	case e.observe == nil:
		return hookSaysSo(e.Name)
	}
	return hookSaysSo(e.Name) + "; " + saw
}

// knownVerdict makes an error of a verdict that there is not. One that comes with an error counts for nothing.
func knownVerdict(v Verdict, err error) (Verdict, error) {
	switch {
	case err != nil:
		return Unsure, err
	case v != Unsure && v != Done && v != NotDone:
		return Unsure, fmt.Errorf("the verdict %d: give Unsure, Done or NotDone", int(v))
	}
	return v, nil
}
