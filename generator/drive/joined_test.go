package drive_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	stock "github.com/changesetgen/changesetgen/testdata/golden/joined/want"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type operations struct{ db *sql.DB }

// reader is a *sql.DB or a *sql.Tx.
type reader interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// ObserveSetStock looks for a preview, and around a body in its transaction, where it sees what the body has written.
func (o *operations) ObserveSetStock(ctx context.Context, p *stock.SetStockPayload) (*stock.SetStockState, error) {
	var from reader = o.db
	if tx, ok := sqlite.Tx(ctx); ok {
		from = tx
	}
	var s stock.SetStockState
	err := from.QueryRowContext(ctx, `SELECT count FROM stock WHERE item = ?`, p.Item).Scan(&s.Count)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &s, err
}

func (o *operations) ApplySetStock(ctx context.Context, c *stock.SetStockChange) error {
	return set(ctx, c.Payload.Item, c.Payload.Count)
}

func (o *operations) UndoSetStock(ctx context.Context, c *stock.SetStockApplied) error {
	return set(ctx, c.Payload.Item, c.Before.Count)
}

func set(ctx context.Context, item string, count int64) error {
	tx, ok := sqlite.Tx(ctx)
	if !ok {
		return errors.New("there is no transaction: set_stock is not joined")
	}
	_, err := tx.ExecContext(ctx, `UPDATE stock SET count = ? WHERE item = ?`, count, item)
	return err
}

// newStock serves set_stock over a table in the file of its ledger.
func newStock(t *testing.T) *world {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ledger", "ledger.db")
	store := openLedger(t, file) // which makes the file and its directory
	db := openTables(t, "file:"+file, `CREATE TABLE stock (item TEXT PRIMARY KEY, count INTEGER NOT NULL CHECK (count < 100));
		INSERT INTO stock VALUES ('nails', 7)`)
	return serve(t, db, store, func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
		return stock.Register(server, guard, stock.Config{Operations: &operations{db}})
	})
}

func TestAJoinedOperationWritesWithTheRecordOfItsChange(t *testing.T) {
	t.Parallel()
	w := newStock(t)
	a := w.apply(t, "set_stock", w.call(t, "preview_set_stock", `{"item": "nails", "count": 12}`))
	if a.Status != "applied" || w.column(t, `SELECT count FROM stock`) != "12" {
		t.Fatalf("applied: %+v, and there are %s", a, w.column(t, `SELECT count FROM stock`))
	}
	r, _, err := w.store.Get(t.Context(), a.ChangeID)
	if check(t, "get the record", err); !r.Joined || string(r.After) != `{"count":12}` {
		t.Errorf("recorded: joined %t, and after it %s", r.Joined, r.After)
	}
	if u := w.undo(t, "set_stock", a); u.Status != "undone" || w.column(t, `SELECT count FROM stock`) != "7" {
		t.Errorf("undone: %+v, and there are %s", u, w.column(t, `SELECT count FROM stock`))
	}
}

func TestAJoinedOperationThatFailsIsNotInDoubt(t *testing.T) {
	t.Parallel()
	w := newStock(t)
	a := w.apply(t, "set_stock", w.call(t, "preview_set_stock", `{"item": "nails", "count": 100}`))
	if a.Code != "apply_failed" || w.column(t, `SELECT count FROM stock`) != "7" {
		t.Errorf("%+v, and there are %s", a, w.column(t, `SELECT count FROM stock`))
	}
	r, _, err := w.store.Get(t.Context(), a.ChangeID)
	if check(t, "get the record", err); r.Outcome != "not_applied" {
		t.Errorf("the outcome is %q", r.Outcome)
	}
}

// The bodies that the reference shows for a joined operation are those that are driven here.
func TestReferenceShowsTheBodiesOfAJoinedOperation(t *testing.T) {
	t.Parallel()
	reference, err := os.ReadFile(filepath.Join("..", "..", "docs", "spec.md"))
	check(t, "read the reference", err)
	_, section, _ := strings.Cut(string(reference), "\n#### Joined writes\n")
	_, section, _ = strings.Cut(section, "```go\n")
	code, _, found := strings.Cut(section, "```")
	driven, err := os.ReadFile("joined_test.go")
	check(t, "read the bodies", err)
	if !found || !strings.Contains(strings.ReplaceAll(string(driven), "stock.", ""), code) {
		t.Errorf("the reference shows\n%s", code)
	}
}
