package histories_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	_ "modernc.org/sqlite"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
)

// Every write to a thing gives it a stamp that it never had, and only an undo brings one back. So a thing is as it was
// before a change only if it was not changed, or was changed back.
type (
	payload struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	}
	thing struct {
		Value   string `json:"value"`
		Stamp   string `json:"stamp"`
		Version int64  `json:"version"`
	}
	result struct {
		Version int64 `json:"version"`
	}
	change    = runtime.Change[*payload, *thing]
	applied   = runtime.Applied[*payload, *thing, *result]
	operation = runtime.Operation[*payload, *thing, *result]
)

// The operations differ in who has to say yes, and how often.
const (
	free     = "set_thing"   // the token is enough, and what is proved to have written nothing may be tried again
	approved = "set_agreed"  // an operator has to say yes, to the apply and to the undo
	limited  = "set_limited" // as free, and only a few at a time
)

// The schemas that all operations have, and that of what they look at.
const (
	payloadSchema = `{
    "type": "object", "required": ["key", "value"],
    "properties": {"key": {"type": "string"}, "value": {"type": "string"}}, "unevaluatedProperties": false
  }`
	resultSchema = `{
    "type": "object", "required": ["version"], "properties": {"version": {"type": "integer"}}, "unevaluatedProperties": false
  }`
	thingSchema = `{
    "type": "object", "required": ["value", "stamp", "version"],
    "properties": {"value": {"type": "string"}, "stamp": {"type": "string"}, "version": {"type": "integer"}},
    "unevaluatedProperties": false
  }`
)

// schemas are those of a spec.
func schemas() []byte {
	all := `{"thing.state": ` + thingSchema
	for _, name := range []string{free, approved, limited} {
		all += fmt.Sprintf(`, "%s.payload": %s, "%s.result": %s`, name, payloadSchema, name, resultSchema)
	}
	return []byte(all + "}")
}

var things = runtime.Spec{Server: "things", Title: "Things", Schemas: schemas()}

// openTarget opens a database with as many things. It need not outlive the test.
func openTarget(directory string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(directory, "target.db")+
		"?_pragma=busy_timeout(60000)&_pragma=journal_mode(wal)&_pragma=synchronous(off)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(`
		CREATE TABLE things (key TEXT PRIMARY KEY, value TEXT NOT NULL, stamp TEXT NOT NULL, version INTEGER NOT NULL);
		CREATE TABLE writes (change TEXT NOT NULL, body TEXT NOT NULL);`)
	for n := range thingCount {
		if err == nil {
			_, err = db.Exec(`INSERT INTO things VALUES (?, 'none', '', 1)`, keyOf(n))
		}
	}
	return db, err
}

func keyOf(n int) string { return fmt.Sprint("key ", n) }

// operations are those of a process.
func (p *process) operations() (ops []runtime.AnyOperation) {
	for _, name := range []string{free, approved, limited} {
		op := p.operation(name)
		switch name {
		case free:
			op.Retry = true
		case approved:
			op.Approval, op.UndoApproval = runtime.ByOperator, runtime.ByOperator
		case limited:
			op.Limits = runtime.Limits{Changes: limitOf, Per: limitPer, OfAll: true}
		}
		ops = append(ops, op)
	}
	return ops
}

func (p *process) operation(name string) *operation {
	return &operation{
		Meta: runtime.Meta{
			Name: name, Title: "Change a thing", Description: "Change one thing.", Resource: "thing",
			Volatile: []string{"version"}, Digest: "sha256:digest", UndoDigest: "sha256:undo", UndoWithoutResult: true,
		},
		Observe: func(ctx context.Context, of *payload) (*thing, error) { return readThing(ctx, p.target, of.Key) },
		ObserveAfter: func(ctx context.Context, c *applied) (*thing, error) {
			if p.chance(looksFail) {
				return nil, errors.New("the target did not answer")
			}
			return readThing(ctx, p.target, c.Payload.Key)
		},
		Summary: func(c *change) string { return runtime.Textf("Set %v to %v", c.Payload.Key, c.Payload.Value) },
		Diff: func(c *change) []runtime.Row {
			return []runtime.Row{{Label: runtime.Textf("%v", c.Payload.Key), Before: c.State.Value, After: c.Payload.Value}}
		},
		Apply: func(ctx context.Context, c *change) (*result, error) {
			p.history.ranPayload(c.ChangeID, hashOf(c.Payload))
			to := thing{Value: c.Payload.Value, Stamp: c.ChangeID, Version: c.State.Version}
			return &result{Version: c.State.Version + 1}, p.carryOut(ctx, c.ChangeID, toApply, c.Payload.Key, to)
		},
		Undo: func(ctx context.Context, c *applied) error {
			to := thing{Value: c.Before.Value, Stamp: c.Before.Stamp, Version: c.After.Version}
			return p.carryOut(ctx, c.ChangeID, toUndo, c.Payload.Key, to)
		},
		Reconcile: func(ctx context.Context, c *runtime.Doubtful[*payload, *thing]) (runtime.Verdict, error) {
			if p.chance(looksFail) {
				return runtime.Unsure, errors.New("the target did not answer")
			}
			return wrote(ctx, p.target, c.ChangeID, toApply)
		},
	}
}

// hashOf is the payload hash that a change of p is told to have.
func hashOf(p *payload) string {
	canonical, err := exact.Encode(p)
	if err != nil {
		return err.Error()
	}
	return exact.Hash(canonical)
}

func readThing(ctx context.Context, db *sql.DB, key string) (*thing, error) {
	var t thing
	found, err := sqlop.One(ctx, db, `SELECT value, stamp, version FROM things WHERE key = ?`, []any{key},
		sqlop.Text("value", &t.Value), sqlop.Text("stamp", &t.Stamp), sqlop.Integer("version", &t.Version))
	if !found {
		return nil, err
	}
	return &t, nil
}

// wrote tells whether a body wrote.
func wrote(ctx context.Context, db *sql.DB, change string, p purpose) (runtime.Verdict, error) {
	var n int
	err := db.QueryRowContext(ctx, `SELECT count(*) FROM writes WHERE change = ? AND body = ?`, change, p).Scan(&n)
	switch {
	case err != nil:
		return runtime.Unsure, err
	case n == 0:
		return runtime.NotDone, nil
	}
	return runtime.Done, nil
}

// put makes a thing what it is to be, if it still has the version, and keeps who did it.
func put(ctx context.Context, db *sql.DB, change string, p purpose, key string, to thing) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return runtime.NotApplied(err)
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	r, err := tx.ExecContext(ctx, `UPDATE things SET value = ?, stamp = ?, version = version + 1 WHERE key = ? AND version = ?`,
		to.Value, to.Stamp, key, to.Version)
	if err != nil {
		return runtime.NotApplied(err)
	}
	switch n, err := r.RowsAffected(); {
	case err != nil:
		return err
	case n != 1:
		return runtime.Conflict("the thing has another version")
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO writes VALUES (?, ?)`, change, p); err != nil {
		return runtime.NotApplied(err)
	}
	return tx.Commit()
}

// edit changes a thing as somebody does who knows nothing of guards.
func edit(ctx context.Context, db *sql.DB, key, stamp string) error {
	_, err := db.ExecContext(ctx, `UPDATE things SET value = 'edited', stamp = ?, version = version + 1 WHERE key = ?`, stamp, key)
	return err
}
