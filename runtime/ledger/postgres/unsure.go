package postgres

import (
	"context"
	"errors"
	"sync"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/jackc/pgx/v5/pgconn"
)

// unsureWrites are the records of writes that nobody answered for. Such a write may be going on in the server still, or may
// be committed there and not yet at the standby that it waits for: what is read of its record is then not what will stay.
type unsureWrites struct{ ids sync.Map }

// after is what a write of these records failed with.
func (u *unsureWrites) after(err error, ids ...string) error {
	if errors.Is(err, errUndecided) {
		for _, id := range ids {
			u.ids.Store(id, struct{}{})
		}
	}
	return err
}

// settle makes sure that what is read of a record next is what will stay, unless a write of it is still on its way to the
// server. It locks the row, and so waits for whoever writes it; and its own commit is in the log of the server after theirs, and
// is answered when it is durable, at every place where commits have to be.
func (u *unsureWrites) settle(ctx context.Context, s *Store, id string) error {
	if _, isUnsure := u.ids.Load(id); !isUnsure || s.looks {
		return nil
	}
	err := s.transact(ctx, "look for what became of "+id, func(ctx context.Context, tx transaction) error {
		there, err := s.lock(ctx, tx, id)
		if err != nil || there {
			return err
		}
		if err := s.awaitInsert(ctx, tx, id); err != nil {
			return err
		}
		_, err = s.lock(ctx, tx, id)
		return err
	})
	if err == nil {
		u.ids.Delete(id)
	}
	return err
}

// lock waits for those who write a record, and tells whether there is one.
func (s *Store) lock(ctx context.Context, tx transaction, id string) (there bool, err error) {
	tag, err := tx.Exec(ctx, s.in("SELECT FROM changesetgen.changes WHERE id = $1 FOR UPDATE"), stored(id))
	return tag.RowsAffected() > 0, err
}

// awaitInsert waits for whoever adds a record of that id: it adds one itself, and takes it back.
func (s *Store) awaitInsert(ctx context.Context, tx transaction, id string) error {
	query, args, err := s.insertStatement(&item{record: ledger.Record{Fixed: ledger.Fixed{ID: id}}}, nil)
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
