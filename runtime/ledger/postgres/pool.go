package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// sharedPool are the connections of the holds of a store, which may outlive it.
type sharedPool struct {
	*pgxpool.Pool
	mu    sync.Mutex
	users int
}

// join has the pool stay open for one more.
func (p *sharedPool) join() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users++
}

// leave closes the pool when the last one leaves.
func (p *sharedPool) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users == 0 {
		p.Close()
	}
}

// Between two attempts goes a while that is different for each, so that those who met do not meet again.
const (
	shortestPause = 10 * time.Millisecond
	longestPause  = 100 * time.Millisecond
)

// pause lasts until the next attempt, or until wait is over.
func pause(wait context.Context) error {
	select {
	case <-time.After(shortestPause + rand.N(longestPause-shortestPause)):
		return nil
	case <-wait.Done():
		return wait.Err()
	}
}

// errPatience is why a wait for a turn ends whose caller has not left.
var errPatience = errors.New("the busy timeout is over")

// patient is ctx, ended by the busy timeout.
func (o *options) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, o.busyTimeout, errPatience)
}

// acquire waits for a connection, within the busy timeout and for as long as ctx. Whatever it fails with, nothing was
// written.
func (o *options) acquire(ctx context.Context, pool *pgxpool.Pool, doing string) (*pgxpool.Conn, error) {
	wait, cancel := o.patient(ctx)
	defer cancel()
	for met := error(nil); ; {
		conn, err := pool.Acquire(wait)
		if err == nil {
			forgetWarnings(conn.Conn().PgConn())
			return conn, nil
		}
		if wait.Err() == nil && mayConnect(err) && pause(wait) == nil {
			met = err
			continue
		}
		if met != nil && errors.Is(err, context.DeadlineExceeded) {
			err = met // what the attempts met with says more than that their time is over
		}
		return nil, o.gaveUp(ctx, pool, doing, err)
	}
}

// gaveUp explains why there was no connection.
func (o *options) gaveUp(ctx context.Context, pool *pgxpool.Pool, doing string, err error) error {
	stat := pool.Stat()
	switch {
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errPatience):
		return o.explain(doing, ctx.Err())
	case errors.Is(err, context.DeadlineExceeded) && stat.AcquiredConns() >= stat.MaxConns():
		return o.busy(doing, "every connection of this program was in use; raise pool_max_conns in the address", nil)
	}
	return o.explain(doing, err)
}
