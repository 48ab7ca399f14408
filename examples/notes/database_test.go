package main

import (
	"log/slog"
	"os"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/internal/pgcluster"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// With the ledger in PostgreSQL, what one server previewed another applies, and the first takes it back.
func TestServersShareALedgerInPostgreSQL(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	place.ledger = pgcluster.Shared(t).NewDatabase(t)
	one, other := place.serve(t), place.serve(t)
	preview := rig.Call(t, one, "preview_write_note", rig.Args{"name": "shopping", "text": "- milk\n"}, "preview")
	rig.Call(t, other, "apply_write_note", rig.Approval(preview), string(ledger.Applied))
	wantFiles(t, place.notes, map[string]string{"shopping.md": "- milk\n"})
	repeated := rig.Call(t, one, "apply_write_note", rig.Approval(preview), string(runtime.CodeAlreadyUsed))
	rig.Call(t, one, "undo_write_note", rig.TakeBack(preview, repeated), string(ledger.Undone))
	wantFiles(t, place.notes, map[string]string{})
	rig.Call(t, other, "get_change_status", rig.Args{"change_id": preview.ChangeID}, string(ledger.Undone))
}

// No server makes a file that is called like a database which cannot be reached: others would have another ledger.
func TestTheAddressOfADatabaseIsNotTakenForAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, address := range []string{
		"postgres://127.0.0.1:1/ledger", "postgresql://127.0.0.1:1/ledger", "postgres:host=127.0.0.1 port=1 dbname=ledger", "mysql://127.0.0.1:1/ledger",
	} {
		store, err := openLedger(t.Context(), address, slog.New(slog.DiscardHandler))
		if err == nil {
			_ = store.Close()
			t.Errorf("%s is opened", address)
		}
		if made, err := os.ReadDir("."); err != nil || len(made) > 0 {
			t.Errorf("%s makes %v; %v", address, made, err)
		}
	}
}
