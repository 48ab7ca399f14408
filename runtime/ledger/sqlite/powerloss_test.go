package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// TestAPowerLossDuringACheckpointIsNoOlderCopy puts the files together that a disk may have when the power goes while the log
// is copied into the file, which is not synced yet: nothing of that is in the file, and a mark that was written meanwhile is
// there. Everything is in the log.
func TestAPowerLossDuringACheckpointIsNoOlderCopy(t *testing.T) {
	t.Parallel()
	path := newQuickPath(t)
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}))
	before := read(t, path)
	copyBesideAReader(t, path)
	must(t, s.Insert(t.Context(), record(2), ledger.Event{To: ledger.Pending}))
	lost := filepath.Join(t.TempDir(), "data", "ledger.db")
	must(t, os.Mkdir(filepath.Dir(lost), 0o700))
	must(t, os.WriteFile(lost, before, 0o600))
	for _, ending := range []string{"-wal", ".mark", ".lock"} {
		must(t, os.WriteFile(lost+ending, read(t, path+ending), 0o600))
	}
	if n := len(everything(t, lost)); n != 2 {
		t.Errorf("%d changes are there, want 2", n)
	}
}

// copyBesideAReader copies the log into the file while it is read from, so that it is not begun anew.
func copyBesideAReader(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	reader, err := db.BeginTx(t.Context(), nil)
	must(t, err)
	t.Cleanup(func() { _ = reader.Rollback() })
	var count int
	must(t, reader.QueryRowContext(t.Context(), "SELECT count(*) FROM changes").Scan(&count))
	_, err = db.ExecContext(t.Context(), "PRAGMA wal_checkpoint(PASSIVE)")
	must(t, err)
}
