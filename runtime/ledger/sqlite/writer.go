package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"time"
)

// writer is the one connection that writes, with its statements.
type writer struct {
	db                                                    *sql.DB
	conn                                                  *sql.Conn
	begin, commit, getAccount, setAccount, getSchemaCount *sql.Stmt // once a transaction
	taken, find                                           *direct
	bonds                                                 *bonds // of the connection

	kept   map[string]*direct  // statements by what they are made of
	rows   map[string]knownRow // by the id of a change
	counts map[string]counted  // by what was counted
	now    account             // of the ledger, in the transaction that was begun last
}

// connectWriter opens the connection, and prepare its statements.
func connectWriter(ctx context.Context, path string, busy time.Duration, mode url.Values, pragmas []pragma) (*writer, error) {
	db, err := openPool(path, 1, busy, mode, pragmas...)
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, kept: map[string]*direct{}, rows: map[string]knownRow{}, counts: map[string]counted{}}
	if w.conn, err = db.Conn(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	if w.bonds, err = bind(w.conn); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// prepare makes the connection ready to write. From then on the engine does not wait for locks by itself.
func (w *writer) prepare(ctx context.Context, logPages int) error {
	err := prepare(ctx, w.conn, statement{&w.begin, beginSQL}, statement{&w.commit, commitSQL},
		statement{&w.getAccount, accountSQL}, statement{&w.setAccount, setAccountSQL}, statement{&w.getSchemaCount, schemaCountSQL})
	if err != nil {
		return err
	}
	for query, prepared := range map[string]**direct{takenSQL: &w.taken, findSQL: &w.find} {
		if *prepared, err = prepareDirect(ctx, w.conn, query); err != nil {
			return err
		}
	}
	return errors.Join(w.copyLogFrom(ctx, logPages), w.exec(ctx, atOnceSQL))
}

// checkUses makes sure that the statements which write can be prepared still.
func (w *writer) checkUses(ctx context.Context) error {
	change, state := ofKind(addsChange, recordColumns), ofKind(moves, mutableColumns)
	for _, query := range []string{change.query(), state.query(), state.as(movesOn).query(), eventSQL, setAccountSQL} {
		prepared, err := w.conn.PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		if err := prepared.Close(); err != nil {
			return err
		}
	}
	return nil
}

// schemaCount is how often the schema was changed.
func (w *writer) schemaCount(ctx context.Context) (count int64, err error) {
	err = w.getSchemaCount.QueryRowContext(ctx).Scan(&count)
	return count, err
}

func (w *writer) exec(ctx context.Context, query string) error {
	_, err := w.conn.ExecContext(ctx, query)
	return err
}

func (w *writer) close() error {
	if w == nil {
		return nil
	}
	failures := []error{w.forgetStatements(), closeStatements(w.begin, w.commit, w.getAccount, w.setAccount, w.getSchemaCount)}
	failures = append(failures, w.taken.close(), w.find.close())
	if w.conn != nil {
		failures = append(failures, w.conn.Close())
	}
	return errors.Join(append(failures, w.db.Close())...)
}
