package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// writeMigrated writes what is in the old ledger to a new one, which has passed the checks that Open makes, and tells
// how many writes the old one had taken.
func (s *Store) writeMigrated(ctx context.Context, old *sql.DB, draft string) (writes int64, err error) {
	if err := s.writeDraft(ctx, draft); err != nil {
		return 0, unavailable(s.path, "write "+draft, err)
	}
	if writes, err = s.fillDraft(ctx, old, draft); err != nil {
		return 0, s.explain("write "+draft, err)
	}
	return writes, checkCopy(ctx, draft, func(ctx context.Context, db querier) error { return checkAll(ctx, db, draft) })
}

func (s *Store) fillDraft(ctx context.Context, old *sql.DB, draft string) (writes int64, err error) {
	db, err := openPool(draft, 1, s.busyTimeout, nil, durable...)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(context.WithoutCancel(ctx), nil) // database/sql would end it behind the caller, with files that are removed
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }() // says only that it was committed
	if err := moveRows(ctx, old, tx); err != nil {
		return 0, err
	}
	was, err := schema1Account(ctx, old)
	if err != nil {
		return 0, err
	}
	now := firstAccount(s.steps)
	now.newest, now.writes = was.newest, was.writes
	now = now.withoutEvent() // of its own
	if _, err := tx.ExecContext(ctx, setAccountSQL, accountFields(&now)...); err != nil {
		return 0, err
	}
	return was.writes, tx.Commit()
}

// moveRows writes the changes and events of the old ledger to the new one, in the same rows.
func moveRows(ctx context.Context, old *sql.DB, to *sql.Tx) error {
	change, err := to.PrepareContext(ctx, insertAtSQL)
	if err != nil {
		return err
	}
	event, err := to.PrepareContext(ctx, eventSQL)
	if err != nil {
		return err
	}
	err = move(ctx, old, schema1ChangesSQL, schema1Fields, func(c changeRow) error {
		c, err := c.completed(ctx, old)
		if err == nil {
			_, err = change.ExecContext(ctx, append([]any{c.row}, recordFields(&c.Record)...)...)
		}
		return err
	})
	if err != nil {
		return err
	}
	return move(ctx, old, everyEventSQL, eventFields, func(e eventRow) error {
		_, err := event.ExecContext(ctx, eventFields(&e)...)
		return err
	})
}

// move has each row of a query written.
func move[T any](ctx context.Context, from querier, query string, fields func(*T) []any, write func(T) error) error {
	rows, err := from.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	var failure error
	err = each(rows, fields, func(row T) {
		if failure == nil {
			failure = write(row)
		}
	})
	return errors.Join(failure, err)
}
