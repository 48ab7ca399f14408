package runtime_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// settingsTx is a transaction over the tables of a target, or a database that has them.
type settingsTx struct {
	exec func(ctx context.Context, query string, args ...any) (rows int64, err error)
	row  func(ctx context.Context, query string, args ...any) interface{ Scan(dest ...any) error }
	end  func(ctx context.Context) error // by hand, which is not for a body to do
}

// settingsIn is the transaction of the joined body that is called with ctx.
func settingsIn(ctx context.Context) (settingsTx, bool) {
	if tx, ok := sqlite.Tx(ctx); ok {
		return settingsTx{
			exec: func(ctx context.Context, query string, args ...any) (int64, error) {
				result, err := tx.ExecContext(ctx, strings.ReplaceAll(query, "$", "?"), args...)
				if err != nil {
					return 0, err
				}
				return result.RowsAffected()
			},
			row: func(ctx context.Context, query string, args ...any) interface{ Scan(dest ...any) error } {
				return tx.QueryRowContext(ctx, strings.ReplaceAll(query, "$", "?"), args...)
			},
			end: func(context.Context) error { return tx.Rollback() },
		}, true
	}
	tx, ok := postgres.Tx(ctx)
	return settingsTx{
		exec: func(ctx context.Context, query string, args ...any) (int64, error) {
			tag, err := tx.Exec(ctx, query, args...)
			return tag.RowsAffected(), err
		},
		row: func(ctx context.Context, query string, args ...any) interface{ Scan(dest ...any) error } {
			return tx.QueryRow(ctx, query, args...)
		},
		end: func(ctx context.Context) error { return tx.Rollback(ctx) },
	}, ok
}

// joinedOperation is set_setting over tables that are in the database of the ledger, behind db, which its bodies write to in
// the transaction that records the change.
func joinedOperation(db *sql.DB) *setOperation {
	o := newOperation(db)
	o.Joined = true
	o.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
		const query = `SELECT value, locked, version FROM settings WHERE key = `
		var s settingState
		var row interface{ Scan(dest ...any) error }
		if tx, ok := settingsIn(ctx); ok {
			row = tx.row(ctx, query+`$1`, p.Key)
		} else { // for a preview
			row = db.QueryRowContext(ctx, query+`'`+p.Key+`'`)
		}
		err := row.Scan(&s.Value, &s.Locked, &s.Version)
		if errors.Is(err, sql.ErrNoRows) || errors.Is(err, pgx.ErrNoRows) {
			return nil, nil
		}
		return &s, err
	}
	o.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
		return &setResult{Version: c.State.Version + 1}, writeJoined(ctx, c.ChangeID, "apply", c.Payload.Key, c.Payload.Value, c.State.Version)
	}
	o.Undo = func(ctx context.Context, c *setApplied) error {
		return writeJoined(ctx, c.ChangeID, "undo", c.Payload.Key, c.Before.Value, c.After.Version)
	}
	return o
}

func writeJoined(ctx context.Context, change, body, key, value string, version int64) error {
	tx, ok := settingsIn(ctx)
	if !ok {
		return runtime.Refuse("the body has no transaction")
	}
	if _, err := tx.exec(ctx, `INSERT INTO writes VALUES ($1, $2)`, change, body); err != nil {
		return err
	}
	n, err := tx.exec(ctx, `UPDATE settings SET value = $1, version = version + 1 WHERE key = $2 AND version = $3`, value, key, version)
	if err == nil && n != 1 {
		return runtime.Conflict("%d rows are as they were shown", n)
	}
	return err
}

// openJoinedTarget opens the target that is in the database of a ledger.
func openJoinedTarget(ctx context.Context, address string) (*sql.DB, error) {
	if !inDatabase(address) {
		return openTarget(address)
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	db := stdlib.OpenDB(*config.ConnConfig)
	// An advisory lock: two that make the same table at the same time meet.
	_, err = db.ExecContext(ctx, `
		SELECT pg_advisory_lock(1);
		CREATE TABLE IF NOT EXISTS settings (key text PRIMARY KEY, value text NOT NULL, locked boolean NOT NULL, version bigint NOT NULL);
		CREATE TABLE IF NOT EXISTS writes (change text NOT NULL, body text NOT NULL);
		INSERT INTO settings VALUES ('theme', 'light', false, 1), ('language', 'en', false, 1) ON CONFLICT DO NOTHING;
		SELECT pg_advisory_unlock(1)`)
	return db, err
}

func joinedTarget(t testing.TB, address string) *sql.DB {
	t.Helper()
	db, err := openJoinedTarget(t.Context(), address)
	if err != nil {
		t.Fatalf("open the target: %v", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// joined has a world keep its target in the file of its ledger, and its bodies join the ledger's writes.
func joined(t testing.TB) func(*world) {
	return func(w *world) {
		w.options.Store = unhurried{w.store.(ledger.Joiner)}
		w.target = joinedTarget(t, fileIn(w.directory))
		w.operation = joinedOperation(w.target)
	}
}

// unhurried is a ledger in which a machine that is busy ends no body.
type unhurried struct{ ledger.Joiner }

func (unhurried) JoinLimit() time.Duration { return 0 }

// joinedIn is joined over another kind of ledger.
func joinedIn(t testing.TB, kind ledgerKind) func(*world) {
	return func(w *world) {
		address := kind.address(t, t.TempDir())
		w.store = openLedgerAt(t, address, w.clock.read)
		w.options.Store = unhurried{w.store.(ledger.Joiner)}
		w.target = joinedTarget(t, address)
		w.operation = joinedOperation(w.target)
	}
}

// newJoinedKilling is newKilling with a target in the ledger.
func newJoinedKilling(t *testing.T, kind ledgerKind) *killing {
	t.Helper()
	in := kind.shared(t)
	in.joined = true
	made, err := in.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	return &killing{in: in, target: joinedTarget(t, in.ledger)}
}
