package runtime_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/changesetgen/changesetgen/internal/faultdisk"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// A change is previewed, applied and undone once for each write and sync that this takes, and each time another one of
// them fails. Nothing runs without a durable claim or twice, nothing that was told is forgotten, and once the disk is
// mended the same server goes on.
func TestServerOnADiskThatFailsAtAnyPointOfAChange(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(d *faultdisk.Disk, n int){
		"full once":                   func(d *faultdisk.Disk, n int) { d.FailOnce(n, faultdisk.NoSpace) },
		"full until space is freed":   func(d *faultdisk.Disk, n int) { d.FailFrom(n, faultdisk.NoSpace) },
		"broken once":                 func(d *faultdisk.Disk, n int) { d.FailOnce(n, faultdisk.Broken) },
		"broken until it is replaced": func(d *faultdisk.Disk, n int) { d.FailFrom(n, faultdisk.Broken) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newDiskWorld(t)
			failures := 0
			for n := 1; ; n++ {
				fail(w.disk, n)
				w.change(t)
				w.disk.Repair()
				if w.disk.Failed() == "" {
					break
				}
				failures++
			}
			if failures == 0 {
				t.Error("the disk never failed")
			}
			w.end(t)
		})
	}
}

// diskWorld is a server whose ledger is on a disk that fails.
type diskWorld struct {
	*world
	disk *faultdisk.Disk
	told map[string]ledger.Status // the furthest that a call was told of each change
}

func newDiskWorld(t *testing.T) *diskWorld {
	t.Helper()
	w := &diskWorld{told: map[string]ledger.Status{}}
	w.world = newWorld(t, func(inner *world) {
		w.disk = faultdisk.In(filepath.Join(inner.directory, "ledger"))
		inner.store = openLedger(t, inner.directory, inner.clock) // again, because the first is not on our disk
		inner.options.Store = inner.store
		inner.operation = witnessed(t, inner.directory, inner.operation)
	})
	return w
}

// change previews, applies and undoes a change. It ends early where the undo token was lost with an answer.
func (w *diskWorld) change(t *testing.T) {
	t.Helper()
	p := w.insist(t, "preview_set_setting", map[string]string{"key": "theme", "value": fmt.Sprintf("dark %d", len(w.told))})
	w.told[p.ChangeID] = ledger.Pending
	a := w.insist(t, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
	w.told[p.ChangeID] = ledger.Applied
	if a.UndoToken != "" {
		w.insist(t, "undo_set_setting", map[string]string{"change_id": p.ChangeID, "undo_token": a.UndoToken})
		w.told[p.ChangeID] = ledger.Undone
	}
}

// insist makes a call, and once more on a mended disk if the first one failed. A body that ran although its outcome was
// not recorded is not run again.
func (w *diskWorld) insist(t *testing.T, tool string, arguments map[string]string) reply {
	t.Helper()
	r := w.call(t, tool, arguments)
	switch r.Code {
	case "":
		return r
	case "ledger_unavailable":
		wantSaid(t, r, "full, fails, or is read-only", "")
		w.disk.Repair()
		if r = w.call(t, tool, arguments); r.Code != "" {
			t.Fatalf("%s once the disk is mended, after %q failed: %s", tool, w.disk.Failed(), r.raw)
		}
	case "in_doubt":
		w.disk.Repair()
		w.restart(t) // closing tries at once what is not recorded yet
		wantRefused(t, w.call(t, tool, arguments), "already_used")
	default:
		t.Fatalf("%s after %q failed: %s", tool, w.disk.Failed(), r.raw)
	}
	return r
}

// end opens the ledger anew and makes sure that it knows what was told, and that no more ran.
func (w *diskWorld) end(t *testing.T) {
	t.Helper()
	w.closes(t)
	if err := w.store.(*sqlite.Store).Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	store := openLedger(t, w.directory, w.clock)
	bodies := 0
	for id, told := range w.told {
		r, _, err := store.Get(t.Context(), id)
		if err != nil || r.Status != told {
			t.Errorf("%s is %s (%v), and %s was told", id, r.Status, err, told)
		}
		bodies += map[ledger.Status]int{ledger.Applied: 1, ledger.Undone: 2}[told]
	}
	wantWrites(t, w.target, bodies, "at the end")
	if err := store.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	inFiles(w.directory).wantIntact(t)
}

// witnessed has every body look for its own claim before it does anything, through a connection of its own, as another
// program sees the ledger.
func witnessed(t *testing.T, directory string, o *setOperation) *setOperation {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(directory, "ledger", "changes.db")+"?mode=ro&_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	look := func(id string, want ledger.Status) {
		var status ledger.Status
		if err := db.QueryRow(`SELECT status FROM changes WHERE id = ? AND claim_id != ''`, id).Scan(&status); err != nil || status != want {
			t.Errorf("a body runs while its change is %q (%v), want %s", status, err, want)
		}
	}
	apply, undo := o.Apply, o.Undo
	o.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
		look(c.ChangeID, ledger.Applying)
		return apply(ctx, c)
	}
	o.Undo = func(ctx context.Context, c *setApplied) error {
		look(c.ChangeID, ledger.Undoing)
		return undo(ctx, c)
	}
	return o
}
