package postgres

import (
	"sync"
	"time"
)

// term is for how long a hold is taken to be kept: for a while after its latest renewal began. A timer ends it; and so does
// whoever asks later than that, because a process that was stopped, or a machine that slept, goes on before its timers do.
type term struct {
	length time.Duration
	lost   chan struct{} // closed when it is over

	mu      sync.Mutex
	renewed time.Time
	met     error // by the latest renewal, if it failed
	timer   *time.Timer
	tell    func(met error) // once, when it is over; nil: it is, or nobody needs to know any more
}

// newTerm begins one whose end is told.
func newTerm(length time.Duration, began time.Time, tell func(met error)) *term {
	t := &term{length: length, lost: make(chan struct{}), renewed: began, tell: tell}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer = time.AfterFunc(length-since(began), t.lose)
	return t
}

// since is the time that has passed by the clock of the process, which may stand still while the machine sleeps, or by that of
// the host, which may be set: by the one that says more. A hold is rather given up than kept for too long.
func since(at time.Time) time.Duration {
	return max(time.Since(at), time.Now().Round(0).Sub(at.Round(0)))
}

// renew has the term begin anew at that time, unless it is over.
func (t *term) renew(began time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tell != nil {
		t.renewed, t.met = began, nil
		t.timer.Reset(t.length - since(began))
	}
}

// fail remembers what a renewal met with.
func (t *term) fail(met error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.met = met
}

// left is how long it still is.
func (t *term) left() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.length - since(t.renewed)
}

// judged gives the channel that is closed if the term is over now.
func (t *term) judged() <-chan struct{} {
	if t.left() <= 0 {
		t.lose()
	}
	return t.lost
}

// lose ends the term.
func (t *term) lose() {
	t.mu.Lock()
	tell, met := t.tell, t.met
	if tell != nil {
		t.timer.Stop()
		t.tell = nil
		close(t.lost)
	}
	t.mu.Unlock()
	if tell != nil {
		tell(met)
	}
}

// end is for a hold that was released: that is no loss.
func (t *term) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer.Stop()
	t.tell = nil
}
