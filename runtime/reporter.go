package runtime

import (
	"sync"
	"time"
)

const (
	progressPause    = 100 * time.Millisecond // between two notifications of one call, at least
	progressPatience = time.Second            // how long an answer waits until the last notification is on its way
)

// reporter sends the reports of one call, in a goroutine of its own that lives while there is something to send.
type reporter struct {
	send func(report) error

	mu     sync.Mutex
	latest *report       // the last that was taken
	due    bool          // it was not sent
	idle   chan struct{} // closed when nobody sends; nil: nobody ever did

	over chan struct{} // closed when no more is taken
	gone chan struct{} // closed when no more is sent
}

func newReporter(send func(report) error) *reporter {
	return &reporter{send: send, over: make(chan struct{}), gone: make(chan struct{})}
}

// report takes a report, unless it says no more than the last, and sees to it that somebody sends it.
func (r *reporter) report(s report) {
	s, ok := s.sendable()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !ok || isClosed(r.over) || r.latest != nil && s.done <= r.latest.done {
		return
	}
	r.latest, r.due = &s, true
	if r.idle == nil || isClosed(r.idle) {
		r.idle = make(chan struct{})
		go r.sendDue(r.idle)
	}
}

// sendDue sends what is the latest, with pauses, until there is nothing new. Once the call is over it makes no pause.
func (r *reporter) sendDue(idle chan struct{}) {
	defer r.stop(idle)
	for {
		s := r.take(idle)
		if s == nil {
			return
		}
		if r.send(*s) != nil {
			r.leave()
		}
		select {
		case <-time.After(progressPause):
		case <-r.over:
		}
	}
}

// take gives the report that is due. Where there is none, nobody sends any more.
func (r *reporter) take(idle chan struct{}) *report {
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
func (r *reporter) stop(idle chan struct{}) {
	if recover() != nil {
		r.leave()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	closeOnce(idle)
}

// end takes nothing more, and waits for a moment until the last report is on its way.
func (r *reporter) end() {
	r.mu.Lock()
	closeOnce(r.over)
	idle := r.idle
	r.mu.Unlock()
	if idle != nil {
		select {
		case <-idle:
		case <-r.gone:
		case <-time.After(progressPatience):
		}
	}
	r.leave()
}

// leave sends nothing more: nobody reads it.
func (r *reporter) leave() {
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
