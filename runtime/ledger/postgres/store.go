package postgres

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/gather"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Store is a ledger in a PostgreSQL database. It is safe for concurrent use.
type Store struct {
	options
	pool  *pgxpool.Pool
	holds *sharedPool
	// writes is for what goes to the database together, and waits for no lock that lasts. Waiting is for what does, each by
	// itself: a row or a cap that somebody has locked keeps nobody from writing what does not need it. Joins is for bodies that
	// have a connection each, and keep only other bodies waiting.
	writes, waiting, joins *gather.Queue[*item]
	connections            atomic.Int64 // that the server takes, as it was when the ledger was opened
	asks                   atomic.Bool  // can the server for this host, as it was then
	unsure                 unsureWrites

	closing sync.Once
	closed  chan struct{}
}

var _ ledger.Store = (*Store)(nil)

// Close waits for the writes and reads that are under way, and refuses all others with os.ErrClosed. Holds are renewed all
// the same, with connections of their own, until they are released. It may be called more than once.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.closed)
		s.writes.Close()
		s.waiting.Close()
		s.joins.Close()
		s.pool.Close()
		s.holds.leave()
	})
	return nil
}

// checkOpen fails once the store is closed.
func (s *Store) checkOpen() error {
	select {
	case <-s.closed:
		return fmt.Errorf("%s: the ledger is closed: %w", s, os.ErrClosed)
	default:
		return nil
	}
}
