package runtime

import (
	"context"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// sinkPatience is how long a call of an operator waits for a sink: the program may end after it.
const sinkPatience = time.Second

// WithSink is an operator who decides as o does, and tells s of each transition, as a guard tells Options.Sink. A call
// waits until s has had its events, for a second at most in all; a sink that takes longer or panics changes nothing else.
func (o *Operator) WithSink(s Sink) *Operator {
	telling := *o
	telling.recorder = newRecorder(s, func(string, ...any) {}) // an operator has no log
	return &telling
}

// tell passes on one transition that the operator made.
func (o *Operator) tell(ctx context.Context, r *ledger.Record, e ledger.Event, at time.Time) {
	if o.recorder == nil || o.trial {
		return
	}
	told := eventOf(r, e, at)
	if told.Actor == actorOperator { // the record of a doubt that was settled does not name them
		told.By, told.Channel = o.who.Name, o.who.Channel
	}
	o.recorder.record(ctx, told)
}

// flush waits until the sink has had all events, for no longer than is left of the patience of a call.
func (o *Operator) flush(ctx context.Context, patience *time.Duration) {
	if o.recorder == nil {
		return
	}
	began := time.Now()
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), *patience)
	defer cancel()
	o.recorder.flush(waiting)
	*patience -= time.Since(began)
}
