package sqlite

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errImpatient is the error of a wait that lasted for as long as it may.
var errImpatient = errors.New("the busy timeout is over")

// patience is the context of a caller, and ends as well when the caller has waited for as long as it may. Its time begins
// with the first wait: most writes need not wait, and a timer for each costs as much as a statement.
type patience struct {
	context.Context // of the caller
	length          time.Duration

	mu    sync.Mutex
	timed context.Context // nil before the first wait
	stop  context.CancelFunc
}

// patience is ctx, ended by the busy timeout. It is to be ended when nobody waits any more.
func (s *Store) patience(ctx context.Context) *patience {
	return &patience{Context: ctx, length: s.busyTimeout}
}

// Done implements context.Context, for who is about to wait.
func (p *patience) Done() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timed == nil {
		p.timed, p.stop = context.WithTimeout(p.Context, p.length)
	}
	return p.timed.Done()
}

// Err implements context.Context. It is errImpatient unless it is the error of the caller's context.
func (p *patience) Err() error {
	if err := p.Context.Err(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timed != nil && p.timed.Err() != nil {
		return errImpatient
	}
	return nil
}

// end lets go of what the waiting took.
func (p *patience) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		p.stop()
	}
}
