package runtime_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
)

// joinedOperation is set_setting over tables that are in the file of the ledger, which its bodies write to in the
// transaction that records the change.
func joinedOperation(db *sql.DB) *setOperation {
	o := newOperation(db)
	o.Joined = true
	o.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
		if tx, ok := sqlite.Tx(ctx); ok {
			return observeSetting(ctx, tx, p)
		}
		return observeSetting(ctx, db, p) // for a preview
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
	tx, ok := sqlite.Tx(ctx)
	if !ok {
		return runtime.Refuse("the body has no transaction")
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO writes VALUES (?, ?)`, change, body); err != nil {
		return err
	}
	return sqlop.ExecOneIn(ctx, tx, `UPDATE settings SET value = ?, version = version + 1 WHERE key = ? AND version = ?`, value, key, version)
}

// joined has a world keep its target in the file of its ledger, and its bodies join the ledger's writes.
func joined(t testing.TB) func(*world) {
	return func(w *world) {
		w.target = openTargetAt(t, fileIn(w.directory))
		w.operation = joinedOperation(w.target)
	}
}

// onEachJoined runs a test over each kind of ledger that can be joined.
func onEachJoined(t *testing.T, test func(t *testing.T, kind ledgerKind)) {
	t.Parallel()
	for _, kind := range ledgerKinds[:1] {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			test(t, kind)
		})
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
	return &killing{in: in, target: openTargetAt(t, in.ledger)}
}
