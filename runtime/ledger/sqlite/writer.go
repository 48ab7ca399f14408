package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/url"
	"time"
)

// writer is the one connection that writes, with its statements.
type writer struct {
	db                                                    *sql.DB
	conn                                                  *sql.Conn
	begin, commit, getAccount, setAccount, getSchemaCount *sql.Stmt // once a transaction
	insert, taken, find, swap, keep, event                *direct   // for each write
	bonds                                                 *bonds    // of the connection
	// counts are the statements of caps, by their text. A guard has as many kinds of caps as it has kinds of limits.
	counts map[string]*direct
	now    account // of the ledger, in the transaction that was begun last
}

// keptCounts is how many statements of caps are kept prepared.
const keptCounts = 32

// connectWriter opens the connection, and prepare its statements.
func connectWriter(ctx context.Context, path string, busy time.Duration, mode url.Values, pragmas []pragma) (*writer, error) {
	db, err := openPool(path, 1, busy, mode, pragmas...)
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, counts: map[string]*direct{}}
	if w.conn, err = db.Conn(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	if w.bonds, err = bind(w.conn); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// prepare makes the connection ready to write. From then on the engine does not wait for locks by itself.
func (w *writer) prepare(ctx context.Context) error {
	err := prepare(ctx, w.conn, statement{&w.begin, beginSQL}, statement{&w.commit, commitSQL},
		statement{&w.getAccount, accountSQL}, statement{&w.setAccount, setAccountSQL}, statement{&w.getSchemaCount, schemaCountSQL})
	if err != nil {
		return err
	}
	for query, prepared := range map[string]**direct{
		insertSQL: &w.insert, takenSQL: &w.taken, findSQL: &w.find, swapSQL: &w.swap, keepSQL: &w.keep, eventSQL: &w.event,
	} {
		if *prepared, err = prepareDirect(ctx, w.conn, query); err != nil {
			return err
		}
	}
	return w.exec(ctx, atOnceSQL)
}

// checkUses makes sure that the statements which write can be prepared still.
func (w *writer) checkUses(ctx context.Context) error {
	for _, query := range []string{insertSQL, swapSQL, keepSQL, eventSQL, setAccountSQL} {
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

// counting is the prepared statement of a cap.
func (w *writer) counting(ctx context.Context, query string) (*direct, error) {
	if known, ok := w.counts[query]; ok {
		return known, nil
	}
	if len(w.counts) == keptCounts {
		if err := w.forgetCounts(); err != nil {
			return nil, err
		}
	}
	count, err := prepareDirect(ctx, w.conn, query)
	if err == nil {
		w.counts[query] = count
	}
	return count, err
}

// tells is the answer of the prepared statement of a cap.
func (w *writer) tells(ctx context.Context, query string, args []any) (bool, error) {
	count, err := w.counting(ctx, query)
	if err != nil {
		return false, err
	}
	values, err := bound(args...)
	if err != nil {
		return false, err
	}
	answer := make([]driver.Value, 1)
	err = count.row(ctx, values, answer)
	return answer[0] == yes, err
}

func (w *writer) forgetCounts() error {
	var failures []error
	for query, count := range w.counts {
		failures = append(failures, count.close())
		delete(w.counts, query)
	}
	return errors.Join(failures...)
}

func (w *writer) close() error {
	if w == nil {
		return nil
	}
	failures := []error{w.forgetCounts(), closeStatements(w.begin, w.commit, w.getAccount, w.setAccount, w.getSchemaCount)}
	for _, d := range []*direct{w.insert, w.taken, w.find, w.swap, w.keep, w.event} {
		failures = append(failures, d.close())
	}
	if w.conn != nil {
		failures = append(failures, w.conn.Close())
	}
	return errors.Join(append(failures, w.db.Close())...)
}
