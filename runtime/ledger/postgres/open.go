package postgres

import (
	"context"
	"net"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/gather"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// programName is what the server lists this program as, where the address gives no other application_name.
const programName = "changesetgen"

const (
	// writeSlots is how many transactions with gathered writes are under way at once, where enough wait: while one is being
	// made durable, the server works for the other.
	writeSlots = 2
	// worthASlot is how many have to wait for another such transaction. More of them hold fewer writes each, and cost the server
	// more than they bring.
	worthASlot = 28
	// lateWrites is after how long such a transaction is no reason any more for others to wait: many commits take less, and one
	// whose connection has gone silent does not end for long.
	lateWrites = 100 * time.Millisecond
	// holdConnections is how many more there are for holds: one, and another when that one has gone silent.
	holdConnections = 2
	// defaultConnections is how many there are at least where the address says nothing.
	defaultConnections = 9
)

// Open opens the ledger in the database at dsn, and makes it if there is none. The address is one of pgx, either a URL or
// words such as "host=db.example.com dbname=ledger"; what it does not say comes from the environment (PGHOST, PGPASSWORD…), the
// password file and the service file. Among its words are pool_max_conns, sslmode, target_session_attrs and
// default_query_exec_mode. Of several servers one is taken that takes writes, unless target_session_attrs says otherwise.
//
// ErrUnsupported says that the server or its configuration cannot be used, that the role may not do what is needed, that a
// newer version changed the ledger, or that the key is another one; ErrCorrupt that somebody has changed the tables or what
// belongs to them; ErrUnavailable that the server cannot be reached, or only reads; ErrBusy that it has no connection left, or
// that others keep a lock. No error has a password in it.
func Open(ctx context.Context, dsn string, opts ...Option) (*Store, error) {
	s := &Store{options: newOptions(opts), closed: make(chan struct{})}
	if err := s.checkName(); err != nil {
		return nil, err
	}
	config, err := s.parse(dsn)
	if err != nil {
		return nil, err
	}
	if err := s.connect(ctx, config); err != nil {
		return nil, s.explain("open", err)
	}
	s.makeQueues(int(config.MaxConns))
	if err := s.open(ctx); err != nil {
		_ = s.Close() // it has never failed
		return nil, err
	}
	return s, nil
}

// connect makes the pools. What keeps a hold waits for no read, and for no body.
func (s *Store) connect(ctx context.Context, config *pgxpool.Config) error {
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	config = config.Copy()
	config.MaxConns, config.MinConns, config.MinIdleConns = holdConnections, 0, 0
	holds, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		pool.Close()
		return err
	}
	s.pool, s.holds = pool, &sharedPool{Pool: holds}
	s.holds.join()
	return nil
}

// makeQueues shares connections out, where there are as many: one is left to reads, and gathered writes have one or two.
// Joined bodies and what waits for locks share the rest.
func (s *Store) makeQueues(connections int) {
	const reads, waiting, joins = 1, 1, 1 // at least
	writes := min(writeSlots, max(1, connections-reads-waiting-joins))
	shared := connections - reads - writes
	s.writes = gather.New(gather.Config[*item]{
		Slots: writes, Most: mostItems, Worth: worthASlot, Late: lateWrites, Run: s.run,
		Keys: func(i *item) []string { return []string{i.id()} },
	})
	s.waiting = gather.New(gather.Config[*item]{Slots: max(waiting, shared-shared/2), Most: 1, Run: s.run})
	s.joins = gather.New(gather.Config[*item]{Slots: max(joins, shared/2), Most: 1, Run: s.run})
}

// parse reads the address, and adds what it leaves open.
func (o *options) parse(dsn string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, o.unsupported("its address cannot be read%s; give one such as postgres://USER@HOST:PORT/DATABASE", flaw(err))
	}
	if given, err := pgx.ParseConfig(dsn); err == nil && given.RuntimeParams["pool_max_conns"] == "" {
		config.MaxConns = max(config.MaxConns, defaultConnections)
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = programName
	}
	config.ConnConfig.RuntimeParams["client_encoding"] = encodingOfTexts // whatever the role has as a default
	config.ConnConfig.DialFunc = (&net.Dialer{KeepAliveConfig: keepAlive}).DialContext
	config.ConnConfig.OnNotice = noticeUnconfirmed
	if config.ConnConfig.ValidateConnect == nil && !o.looks {
		// What a server says that only reads, as a standby, may be long past: it is no answer to who goes by it.
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	return config, nil
}

// keepAlive has a connection end by itself whose other end is gone, also one that nobody uses.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}

// open makes sure that there is a ledger which this program can use.
func (s *Store) open(ctx context.Context) error {
	if err := s.checkServer(ctx); err != nil {
		return err
	}
	exists, err := s.exists(ctx)
	switch {
	case err != nil:
		return err
	case !exists && s.mustExist:
		return s.absent(ctx)
	case !exists:
		if err := s.create(ctx); err != nil {
			return err
		}
	}
	now, err := s.evolve(ctx)
	if err != nil {
		return err
	}
	if err := s.checkObjects(ctx, now); err != nil {
		return err
	}
	return s.checkKey(ctx, now.key)
}
