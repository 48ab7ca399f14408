package runtime_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// altered is a ledger that gives back other records than it was given.
type altered struct {
	ledger.Store
	alter func(*ledger.Record)
}

func (a *altered) Get(ctx context.Context, id string) (ledger.Record, ledger.Clock, error) {
	r, clock, err := a.Store.Get(ctx, id)
	if a.alter != nil {
		a.alter(&r)
	}
	return r, clock, err
}

func (a *altered) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	records, err := a.Store.List(ctx, q)
	if q.UndoRequested { // which a guard asks for when it comes to that, while a test makes up its mind
		return records, err
	}
	for i := range records {
		if a.alter != nil {
			a.alter(&records[i])
		}
	}
	return records, err
}

// newAlteredWorld is a world over a ledger that tells the truth until it has something to alter.
func newAlteredWorld(t *testing.T) (*world, *altered) {
	t.Helper()
	a := &altered{}
	return newWorld(t, func(w *world) {
		a.Store = w.store
		w.options.Store = a
	}), a
}

func TestDamagedRecordRunsNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		applied bool
		alter   func(*ledger.Record)
	}{
		"unknown status":        {false, func(r *ledger.Record) { r.Status = "foo" }},
		"set back to pending":   {true, func(r *ledger.Record) { r.Status = ledger.Pending }},
		"expired before all":    {false, func(r *ledger.Record) { r.ExpiresAt = time.Unix(0, 0) }},
		"no expiry at all":      {false, func(r *ledger.Record) { r.ExpiresAt = time.Time{} }},
		"shown is no JSON":      {false, func(r *ledger.Record) { r.Shown = []byte(`{"rows":`) }},
		"shown is another type": {false, func(r *ledger.Record) { r.Shown = []byte(`"Set theme"`) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, store := newAlteredWorld(t)
			p := w.preview(t, "theme", "dark")
			if test.applied {
				w.apply(t, p.ChangeID, p.ConfirmationToken)
			}
			writes := w.writes(t)
			store.alter = test.alter
			r := w.apply(t, p.ChangeID, p.ConfirmationToken)
			wantRefused(t, r, "ledger_corrupt")
			wantRefused(t, w.undo(t, p.ChangeID, "undo_x"), "ledger_corrupt")
			wantRefused(t, w.status(t, p.ChangeID), "ledger_corrupt")
			if w.writes(t) != writes || r.ChangeID != p.ChangeID || r.ChangeStatus != "" {
				t.Errorf("%s, %d bodies ran", r.raw, w.writes(t))
			}
		})
	}
}

// What a row says is not believed once somebody has edited it behind the ledger's back, however likely it looks.
func TestEditedRowRunsNothing(t *testing.T) {
	t.Parallel()
	for _, edit := range []string{
		`status = 'pending', claim_id = ''`, `expires_at = expires_at + 3600000`, `payload = CAST('{}' AS BLOB)`,
		`revision = revision + 1`, `operation = 'other'`, `claim_id = 'x'`, `undo_token = NULL`,
	} {
		t.Run(edit, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			a := w.applied(t, "theme", "dark")
			w.editRow(t, a.ChangeID, edit)
			wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "ledger_corrupt")
			wantRefused(t, w.status(t, a.ChangeID), "ledger_corrupt")
			if w.writes(t) != 1 {
				t.Errorf("%d bodies ran", w.writes(t))
			}
		})
	}
}

// editRow edits the row of a change as somebody with a shell might.
func (w *world) editRow(t *testing.T, id, assignments string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.directory, "ledger", "changes.db")+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE changes SET `+assignments+` WHERE id = ?`, id); err != nil {
		t.Fatalf("edit %s: %v", assignments, err)
	}
}
