package runtime_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// overtaken is a ledger in which somebody else ends the request for an undo that was just listed.
type overtaken struct {
	ledger.Store
	end   func(ledger.Record)
	lists sync.Mutex
	ended bool
	gone  sync.Once
	over  chan struct{} // closed when whoever listed it has gone on
}

func (o *overtaken) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	found, err := o.Store.List(ctx, q)
	o.lists.Lock()
	defer o.lists.Unlock()
	switch {
	case !q.UndoRequested:
	case o.ended:
		o.gone.Do(func() { close(o.over) })
	case len(found) > 0:
		o.ended = true
		o.end(found[0])
	}
	return found, err
}

// Two guards find the undo that an operator requested. One carries it out in vain and ends the request; the other must
// not take that for an undo which waits for a yes, and ask for one in the name of an agent.
func TestOperatorsUndoThatAnotherGuardGaveUpIsNoRequestOfAnAgent(t *testing.T) {
	t.Parallel()
	o := &overtaken{over: make(chan struct{})}
	w := newWorld(t, polling, func(w *world) {
		o.Store = w.store
		w.options.Store = o
	})
	o.end = func(r ledger.Record) {
		r.UndoRequest, r.UndoDecision = ledger.Request{}, ledger.Decision{}
		if err := w.store.Swap(context.Background(), r, time.Time{}, ledger.Event{Actor: "guard", From: r.Status, To: r.Status}); err != nil {
			t.Errorf("end the request: %v", err)
		}
	}
	id := w.applied(t, "theme", "dark").ChangeID
	requestUndo(t, w, id)
	wait(t, o.over, "look for requests")
	w.closes(t) // whatever came of the first look is over
	if r := w.record(t, id); r.UndoRequest.Channel != "" {
		t.Errorf("an undo is requested: %+v", r.UndoRequest)
	}
}
