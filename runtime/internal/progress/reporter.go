// Package progress sends a client how far its call is, no faster than it should be told or takes it. Whoever reports is
// never held up, nor is the answer for longer than a moment.
package progress

import (
	"sync"
	"time"
)

const (
	pause    = 100 * time.Millisecond // between two notifications of one call, at least
	patience = time.Second            // how long an answer waits until the last notification is on its way
)

// Reporter sends the reports of one call, in a goroutine of its own that lives while there is something to send.
type Reporter struct {
	send func(Report) error

	mu     sync.Mutex
	latest *Report       // the last that was taken
	due    bool          // it was not sent
	idle   chan struct{} // closed when nobody sends; nil: nobody ever did

	over chan struct{} // closed when no more is taken
	gone chan struct{} // closed when no more is sent
}

// New is a reporter for one call, which gives send one report at a time. Nothing is sent once that has failed.
func New(send func(Report) error) *Reporter {
	return &Reporter{send: send, over: make(chan struct{}), gone: make(chan struct{})}
}

// Report takes a report, unless it says no more than the last, and sees to it that somebody sends it.
func (r *Reporter) Report(s Report) {
	s, ok := s.sendable()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !ok || isClosed(r.over) || r.latest != nil && s.Done <= r.latest.Done {
		return
	}
	r.latest, r.due = &s, true
	if r.idle == nil || isClosed(r.idle) {
		r.idle = make(chan struct{})
		go r.sendDue(r.idle)
	}
}

// sendDue sends what is the latest, with pauses, until there is nothing new. Once the call is over it makes no pause.
func (r *Reporter) sendDue(idle chan struct{}) {
	defer r.stop(idle)
	for {
		s := r.take(idle)
		if s == nil {
			return
		}
		if r.send(*s) != nil {
			r.Leave()
		}
		select {
		case <-time.After(pause):
		case <-r.over:
		}
	}
}

// take gives the report that is due. Where there is none, nobody sends any more.
func (r *Reporter) take(idle chan struct{}) *Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.due || isClosed(r.gone) {
		closeOnce(idle)
		return nil
	}
	r.due = false
	return r.latest
}

// stop ends the sending after a panic too: progress is not worth a process.
func (r *Reporter) stop(idle chan struct{}) {
	if recover() != nil {
		r.Leave()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	closeOnce(idle)
}

// End takes nothing more, and waits for a moment until the last report is on its way.
func (r *Reporter) End() {
	r.mu.Lock()
	closeOnce(r.over)
	idle := r.idle
	r.mu.Unlock()
	if idle != nil {
		select {
		case <-idle:
		case <-r.gone:
		case <-time.After(patience):
		}
	}
	r.Leave()
}

// Leave sends nothing more: nobody reads it.
func (r *Reporter) Leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	closeOnce(r.over)
	closeOnce(r.gone)
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// closeOnce must be called with the lock held.
func closeOnce(c chan struct{}) {
	if !isClosed(c) {
		close(c)
	}
}
