package postgres

import (
	"context"
	"errors"
	"sync"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
	"github.com/jackc/pgx/v5/pgconn"
)

// unsureWrites are writes that nobody answered for, by their records: each with the revision that the latest of them was to
// replace, or 0 where all were to add it. Such a write may be going on in the server still, or be on its way to it, or may be
// committed there and not yet at the standby that it waits for: what is read of its record is then not what will stay.
type unsureWrites struct {
	mu        sync.Mutex
	revisions map[string]int64
}

// after is what a write of these items failed with.
func (u *unsureWrites) after(err error, items ...*item) error {
	if !errors.Is(err, errUndecided) {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.revisions == nil {
		u.revisions = map[string]int64{}
	}
	for _, i := range items {
		u.revisions[i.id()] = max(u.revisions[i.id()], i.replaces())
	}
	return err
}

// of tells whether a record is one of them, and the revision that was to be replaced.
func (u *unsureWrites) of(id string) (revision int64, isUnsure bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	revision, isUnsure = u.revisions[id]
	return revision, isUnsure
}

// forget lets go of a record that is settled, unless there was another write since.
func (u *unsureWrites) forget(id string, settled int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.revisions[id] == settled {
		delete(u.revisions, id)
	}
}

// settle makes sure that what is read of a record next is what will stay. It locks the row, and so waits for whoever writes it;
// a write that has not reached the server yet then finds the record at another revision; and its own commit is in the log of the
// server after theirs, and is answered when it is durable, at every place where commits have to be. An insert that is still on
// its way is all that may come later.
func (u *unsureWrites) settle(ctx context.Context, s *Store, id string) error {
	revision, isUnsure := u.of(id)
	if !isUnsure || s.looks {
		return nil
	}
	err := s.transact(ctx, "look for what became of "+id, func(ctx context.Context, tx transaction) error {
		there, err := s.lock(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case there:
			return s.withdraw(ctx, tx, id, revision)
		}
		if err := s.awaitInsert(ctx, tx, id); err != nil {
			return err
		}
		_, err = s.lock(ctx, tx, id)
		return err
	})
	if err == nil {
		u.forget(id, revision)
	}
	return err
}

// withdrawSQL goes on after the clause of the clock.
var withdrawSQL = `,
moved AS (
	UPDATE changesetgen.changes AS c SET revision = c.revision + 1, updated_at = clock.at FROM clock
	WHERE c.id = ? AND c.revision = ? AND NOT ` + isOutdated + ` RETURNING c.id, c.revision, c.updated_at, c.status
)
INSERT INTO changesetgen.events (change, ` + columns.Event + `)
SELECT id, revision, updated_at, 'ledger', status, status, '` + ledger.CodeWithdrawn + `', 'nobody answered for a write, and it cannot come any more' FROM moved`

// withdraw moves a record on that is at that revision still, and changes nothing of it.
func (s *Store) withdraw(ctx context.Context, tx transaction, id string, revision int64) error {
	var c clause
	s.addSettings(&c, s.busyTimeout)
	c.add(",\n")
	s.addClock(&c, "settings")
	c.add(withdrawSQL, stored(id), revision, s.programSchema())
	query, args := c.statement(&s.options)
	_, err := tx.Exec(ctx, query, args...)
	return err
}

// lock waits for those who write a record, and tells whether there is one.
func (s *Store) lock(ctx context.Context, tx transaction, id string) (there bool, err error) {
	tag, err := tx.Exec(ctx, s.in("SELECT FROM changesetgen.changes WHERE id = $1 FOR UPDATE"), stored(id))
	return tag.RowsAffected() > 0, err
}

// awaitInsert waits for whoever adds a record of that id: it adds one itself, and takes it back.
func (s *Store) awaitInsert(ctx context.Context, tx transaction, id string) error {
	query, args, err := s.insertStatement(&item{record: ledger.Record{Fixed: ledger.Fixed{ID: id}}, waits: true}, nil)
	if err != nil {
		return &unsentError{err}
	}
	attempt, err := tx.Begin(ctx)
	if err != nil {
		return err
	}
	if _, err := attempt.Exec(ctx, query, args...); err != nil {
		return err
	}
	return attempt.Rollback(ctx)
}

const (
	unconfirmed    = "unconfirmed"
	codeWarning    = "01000"
	severityNotice = "WARNING"
	waitForStandby = "SyncRepWaitForLSN" // the routine of the server that warns
)

// errUnconfirmed says of a commit that it is on the disk of the server, and perhaps not at the standby that had to confirm it.
var errUnconfirmed = errors.New("the wait for a standby to confirm it was cancelled")

// noticeUnconfirmed remembers of a connection that the server has warned: that is how it tells of a commit that somebody has
// kept from waiting for its standby, and which it answers as any other. A warning of what else runs in a commit, as triggers of
// those who join do, comes from another routine; of one that comes without, the worse is assumed.
func noticeUnconfirmed(conn *pgconn.PgConn, notice *pgconn.Notice) {
	isIts := notice.Routine == waitForStandby || notice.Routine == ""
	if isIts && notice.Code == codeWarning && notice.SeverityUnlocalized == severityNotice {
		conn.CustomData()[unconfirmed] = true
	}
}

// forgetWarnings is for what was said before a write.
func forgetWarnings(conn *pgconn.PgConn) { delete(conn.CustomData(), unconfirmed) }

// confirmed is what a write ended with, with regard to the warnings since then.
func confirmed(conn *pgconn.PgConn, err error) error {
	if _, warned := conn.CustomData()[unconfirmed]; err == nil && warned {
		return errUnconfirmed
	}
	return err
}
