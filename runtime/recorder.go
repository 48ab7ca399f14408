package runtime

import (
	"context"
	"sync"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
)

// maxWaiting is how many events wait for a sink that is slow.
const maxWaiting = 4096

// recorder hands events to a sink. Whatever the sink does, nobody waits for it.
type recorder struct {
	sink Sink
	tell func(message string, attrs ...any) // tells the operator what became of events

	mu      sync.Mutex
	waiting []delivery
	busy    bool          // the sink has an event, and others may wait
	idle    chan struct{} // closed when the sink has had them all
	dropped int64         // since the start
	failed  int64         // since the start
}

// delivery is an event on its way, with the values of the call it comes from.
type delivery struct {
	ctx   context.Context
	event Event
}

func newRecorder(sink Sink, tell func(string, ...any)) *recorder {
	return &recorder{sink: sink, tell: tell}
}

// record passes an event on and returns at once.
func (r *recorder) record(ctx context.Context, e Event) {
	d := delivery{context.WithoutCancel(ctx), e}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.busy:
		r.busy, r.idle = true, make(chan struct{})
		go r.deliver(d)
	case len(r.waiting) < maxWaiting:
		r.waiting = append(r.waiting, d)
	default:
		r.dropped++
		r.complain(r.dropped, "events were dropped: the sink is slower than they come", "dropped", r.dropped)
	}
}

// deliver gives the sink one event, and the next one to another goroutine: a sink may panic, and may even end the
// goroutine it is called from.
func (r *recorder) deliver(d delivery) {
	attempt.MakeRoom()
	defer r.next()
	defer func() {
		if p := recover(); p != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.failed++
			r.complain(r.failed, "the sink panicked", "panic", p, "panics", r.failed)
		}
	}()
	r.sink.Record(d.ctx, d.event)
}

func (r *recorder) next() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		r.busy = false
		close(r.idle)
		return
	}
	d := r.waiting[0]
	r.waiting[0] = delivery{} // lets go of what the call carried
	r.waiting = r.waiting[1:]
	go r.deliver(d)
}

// complain tells the operator, each time that what it counts has doubled: often enough, and never a flood. It is told
// from elsewhere because the log may be what the sink is stuck in.
func (r *recorder) complain(count int64, message string, attrs ...any) {
	if count&(count-1) == 0 {
		go r.tell(message, attrs...)
	}
}

// flush waits until the sink has had every event, or ctx ends.
func (r *recorder) flush(ctx context.Context) {
	r.mu.Lock()
	busy, idle := r.busy, r.idle
	r.mu.Unlock()
	if !busy {
		return
	}
	select {
	case <-idle:
	case <-ctx.Done():
		go r.tell("the sink did not take all events in time")
	}
}
