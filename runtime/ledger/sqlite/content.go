package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// querier is a connection, a pool of them, or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// What is looked at before a ledger is used. Others wait for their turn meanwhile, so the work is bounded: a file of the
// first size takes a fraction of a second.
const (
	// checkedWhole is the size up to which a ledger is checked page by page and row by row.
	checkedWhole = 16 << 20
	// countedEvents is how many events a larger one may have for its rows to be counted, which takes a fraction of a second too.
	countedEvents = 1_000_000
	// checkedNewest is how many changes and events, the newest, are checked of a larger one. Its other rows are checked
	// when they are read.
	checkedNewest = 2000
)

// checkContent makes sure that a ledger of that size is as it was written, as far as the time goes.
func checkContent(ctx context.Context, db querier, path string, size int64) error {
	if size <= checkedWhole {
		return checkAll(ctx, db, path)
	}
	if err := checkCounts(ctx, db, path); err != nil {
		return err
	}
	return checkEachRow(ctx, db, path, checkedNewest)
}

// checkCounts makes sure that no change or event is missing, by their number alone.
func checkCounts(ctx context.Context, db querier, path string) error {
	var fit bool
	if err := db.QueryRowContext(ctx, countsFitSQL, countedEvents).Scan(&fit); err != nil {
		return explainRows(ctx, path, "count its changes and events", err)
	}
	if !fit {
		return doesNotFit(path)
	}
	return nil
}

func doesNotFit(path string) error {
	return corrupt(path, "its account does not fit its changes and events, some of which may be missing; %s", restoreAdvice)
}

// checkAll makes sure that a ledger is as it was written.
func checkAll(ctx context.Context, db querier, path string) error {
	if err := checkStructure(ctx, db, path); err != nil {
		return err
	}
	return checkEachRow(ctx, db, path, -1)
}

// checkEachRow reads so many changes and events, the newest.
func checkEachRow(ctx context.Context, db querier, path string, limit int) error {
	change := func(r *ledger.Record) string { return "change " + r.ID }
	if err := checkRows(ctx, db, newestChangesSQL, recordFields, change, limit); err != nil {
		return explainRows(ctx, path, "read its changes", err)
	}
	if err := checkRows(ctx, db, newestEventsSQL, eventFields, eventName, limit); err != nil {
		return explainRows(ctx, path, "read its events", err)
	}
	return nil
}

// checkStructure makes sure that the pages hang together, that no row is missing, and that the account has not been
// changed.
func checkStructure(ctx context.Context, db querier, path string) error {
	if err := checkPages(ctx, db, path); err != nil {
		return err
	}
	var fits bool
	if err := db.QueryRowContext(ctx, accountFitsSQL).Scan(&fits); err != nil {
		return explainRows(ctx, path, "read its account", err)
	}
	if !fits {
		return doesNotFit(path)
	}
	return nil
}

// checkPages makes sure that the pages hang together, and that the indexes say what the tables do.
func checkPages(ctx context.Context, db querier, path string) error {
	var verdict string
	if err := db.QueryRowContext(ctx, structureSQL).Scan(&verdict); err != nil {
		return explainLook(path, "check its pages", err)
	}
	if verdict != "ok" {
		return corrupt(path, "check its pages: %s; %s", verdict, restoreAdvice)
	}
	return nil
}

func eventName(e *eventRow) string {
	return fmt.Sprintf("event %d of the change in row %d", e.Seq, e.change)
}

// checkRows reads rows and what their check sums say, and names the first that is damaged.
func checkRows[T any](ctx context.Context, db querier, query string, fields func(*T) []any, name func(*T) string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	var unread *T
	begin := func(row *T) []any {
		unread = row
		return fields(row)
	}
	if err = each(rows, begin, func(T) { unread = nil }); err != nil && unread != nil {
		return fmt.Errorf("%s: %w", name(unread), err)
	}
	return err
}
