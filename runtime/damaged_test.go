package runtime_test

import (
	"database/sql"
	"path/filepath"
	"testing"
)

// damage edits the row of a change behind the ledger's back.
func (w *world) damage(t *testing.T, id, assignments string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.directory, "ledger", "changes.db")+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE changes SET `+assignments+` WHERE id = ?`, id); err != nil {
		t.Fatalf("damage %s: %v", assignments, err)
	}
}

func TestDamagedRowRunsNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		applied bool
		edit    string
	}{
		"unknown status":        {false, `status = 'foo'`},
		"set back to pending":   {true, `status = 'pending'`},
		"no expiry":             {false, `expires_at = 0`},
		"no expiry at all":      {false, `expires_at = NULL`},
		"shown is no JSON":      {false, `shown = CAST('{"rows":' AS BLOB)`},
		"shown is another type": {false, `shown = CAST('"Set theme"' AS BLOB)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.preview(t, "theme", "dark")
			if test.applied {
				w.apply(t, p.ChangeID, p.ConfirmationToken)
			}
			writes := w.writes(t)
			w.damage(t, p.ChangeID, test.edit)
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
