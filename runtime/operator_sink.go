package runtime

import (
	"context"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// sinkPatience is how long an operator waits for a sink.
const sinkPatience = time.Second

// WithSink is an operator who decides as o does, and tells s of each transition. The operator has no goroutine that
// outlives a call, so a call waits for the sink, for a moment; a sink that takes longer or panics changes nothing else.
func (o *Operator) WithSink(s Sink) *Operator {
	telling := *o
	telling.sink = s
	return &telling
}

// tell passes on one transition that the operator made.
func (o *Operator) tell(ctx context.Context, r *ledger.Record, e ledger.Event, at time.Time) {
	if o.sink == nil || o.trial {
		return
	}
	told := eventOf(r, e, at)
	if told.Actor == actorOperator { // the record of a doubt that was settled does not name them
		told.By, told.Channel = o.who.Name, o.who.Channel
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // the transition is made
		o.sink.Record(context.WithoutCancel(ctx), told)
	}()
	select {
	case <-done:
	case <-time.After(sinkPatience):
	}
}
