package postgres

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"
)

// gate lets one use of the transaction in at a time, until it is closed. It keeps nobody waiting: what is called back while the
// transaction is in use, such as the source of a copy, would wait for itself.
type gate struct {
	life context.Context // of the transaction
	end  context.CancelFunc

	mu       sync.Mutex
	closed   bool
	ended    bool              // by hand, so that what follows is refused and nothing is kept
	prepared map[string]string // by the name that body gave it, that which pgx knows it by
	open     []func()          // close what was left open, if it was
}

// enter fails once the transaction is over. What waits for the server meanwhile, and rows that are read later, end with it.
func (g *gate) enter(ctx context.Context) (_ context.Context, leave func(), err error) {
	if !g.mu.TryLock() {
		return nil, nil, errInUse
	}
	if g.closed || g.ended {
		g.mu.Unlock()
		return nil, nil, pgx.ErrTxClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(g.life, cancel)
	return ctx, g.mu.Unlock, nil
}

// read has something read that was left open.
func (g *gate) read(do func()) error {
	if !g.mu.TryLock() {
		return errInUse
	}
	defer g.mu.Unlock()
	do()
	return nil
}

// close waits for the use that is under way, which it interrupts, and closes what was left open.
func (g *gate) close() {
	if !g.mu.TryLock() {
		g.end()
		g.mu.Lock()
	}
	defer g.mu.Unlock()
	g.closed = true // so that nothing that is closed calls back
	for _, shut := range g.open {
		shut()
	}
	g.open = nil
}
