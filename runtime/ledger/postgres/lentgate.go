package postgres

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// gate lets one use of the transaction in at a time, until it is closed. It keeps nobody waiting: what is called back while the
// transaction is in use, such as the source of a copy, would wait for itself.
type gate struct {
	life context.Context // of the transaction
	end  context.CancelFunc

	using    chan struct{} // holds one while the transaction is in use
	closed   atomic.Bool
	ended    atomic.Bool // by hand, so that what follows is refused and nothing is kept
	prepared preparedNames
	opening  func() // closes what the use under way leaves open
	open     opened // what the latest of these left: the driver has one thing open at a time

	store     *Store
	conn      *pgxpool.Conn
	driver    *pgx.Conn // its, also when that is abandoned
	abandoned bool      // the connection, to a use that does not end
}

// opened is what is read later.
type opened struct {
	shut func()
	end  func() // of its context
}

// newGate is one to a transaction that is still to begin on the connection.
func (s *Store) newGate(conn *pgxpool.Conn) *gate {
	return &gate{using: make(chan struct{}, 1), store: s, conn: conn, driver: conn.Conn()}
}

// take fails while the transaction is in use.
func (g *gate) take() error {
	select {
	case g.using <- struct{}{}:
		return nil
	default:
		return errInUse
	}
}

func (g *gate) leave() { <-g.using }

// enter fails once the transaction is over. What waits for the server meanwhile, and rows that are read later, end with it.
func (g *gate) enter(ctx context.Context) (_ context.Context, leave func(), err error) {
	if err := g.take(); err != nil {
		return nil, nil, err
	}
	if g.closed.Load() || g.ended.Load() {
		g.leave()
		return nil, nil, pgx.ErrTxClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(g.life, cancel)
	return ctx, func() {
		defer g.leave()
		g.settle(func() {
			stop()
			cancel()
		})
	}, nil
}

// enterFree is enter for what may leave something open itself. The driver would break what is open already.
func (g *gate) enterFree(ctx context.Context) (_ context.Context, leave func(), err error) {
	ctx, leave, err = g.enter(ctx)
	if err == nil && g.driver.PgConn().IsBusy() {
		leave()
		err = errInUse
	}
	return ctx, leave, err
}

// giveUp has nothing of the transaction kept, also while something uses it.
func (g *gate) giveUp() error {
	if g.closed.Load() || g.ended.Swap(true) {
		return pgx.ErrTxClosed
	}
	return nil
}

// settle ends the context of a use, or keeps it for what that leaves open. What was open before it is closed by then.
func (g *gate) settle(end func()) {
	if g.opening == nil {
		end()
		return
	}
	if g.open.end != nil {
		g.open.end()
	}
	g.open, g.opening = opened{shut: g.opening, end: end}, nil
}

// read has something read that was left open: of the connection, and so by nobody any more once that is another's.
func (g *gate) read(do func()) error {
	if err := g.take(); err != nil {
		return err
	}
	defer g.leave()
	if g.closed.Load() {
		return pgx.ErrTxClosed
	}
	do()
	return nil
}

// close interrupts the use that is under way, and closes what was left open. What waits for code of the body cannot be
// interrupted: the connection is left to it, and cut, so that nothing is committed over it.
func (g *gate) close() {
	if g.abandoned {
		return
	}
	if g.take() != nil {
		g.end()
		select {
		case g.using <- struct{}{}:
		case <-time.After(g.store.busyTimeout):
			g.closed.Store(true)
			g.abandon()
			return
		}
	}
	defer g.leave()
	g.closed.Store(true) // so that nothing that is closed calls back
	if g.open.shut != nil {
		g.open.shut()
		g.open.end()
		g.open = opened{}
	}
}

// abandon leaves the connection to a use that does not end, and cuts it. Whoever uses it finds that out when it goes on.
func (g *gate) abandon() {
	g.abandoned = true
	g.store.logger.Warn("a joined body left its transaction to something that does not return; nothing of it is committed", "ledger", g.store.String())
	_ = g.conn.Hijack().PgConn().Conn().Close()
}
