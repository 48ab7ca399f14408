package postgres_test

import (
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

const addsAColumn = "ALTER TABLE changesetgen.changes ADD COLUMN note text NOT NULL DEFAULT ''; CREATE INDEX changes_note ON changesetgen.changes (note)"

// TestALaterVersionAddsToALedgerThatIsInUse has an earlier one go on using it.
func TestALaterVersionAddsToALedgerThatIsInUse(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	earlier := open(t, dsn)
	r := insert(t, earlier, 1)
	refuses(t, "a look at a ledger that is to be added to", dsn, ledger.ErrUnsupported, postgres.WithStep(addsAColumn, 0), postgres.LookOnly())
	later := open(t, dsn, postgres.WithStep(addsAColumn, 0))
	if err := earlier.Swap(t.Context(), claim(r, "claim", "h"), never, claimed); err != nil {
		t.Errorf("a claim of the earlier version: %v", err)
	}
	insert(t, earlier, 2)
	get(t, later, 1)
	looksWhole(t, open(t, dsn))
	looksWhole(t, open(t, dsn, postgres.WithStep(addsAColumn, 0)))
}

// TestAnEarlierVersionIsRefusedWhereItCouldNotGoOn has all of its calls fail, and write nothing.
func TestAnEarlierVersionIsRefusedWhereItCouldNotGoOn(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	earlier := open(t, dsn)
	r := insert(t, earlier, 1)
	later := open(t, dsn, postgres.WithStep(addsAColumn, 2))
	for name, call := range map[string]func() error{
		"insert": func() error { return earlier.Insert(t.Context(), waiting(2), previewed) },
		"swap":   func() error { return earlier.Swap(t.Context(), claim(r, "late", "h"), never, claimed) },
		"pair":   func() error { return earlier.SwapInsert(t.Context(), r, claimed, waiting(2), previewed) },
		"get":    func() error { _, _, err := earlier.Get(t.Context(), r.ID); return err },
		"list":   func() error { _, err := earlier.List(t.Context(), ledger.Query{}); return err },
		"count":  func() error { _, err := earlier.Count(t.Context(), ledger.Query{}); return err },
		"events": func() error { _, err := earlier.Events(t.Context(), r.ID); return err },
		"now":    func() error { _, err := earlier.Now(t.Context()); return err },
		"check":  func() error { _, err := earlier.Check(t.Context()); return err },
		"prune":  func() error { _, err := earlier.Prune(t.Context(), ledger.Query{}, 1); return err },
		"hold":   func() error { _, err := earlier.Hold(t.Context()); return err },
	} {
		failsWith(t, name, call(), ledger.ErrUnsupported)
	}
	refuses(t, "opening it", dsn, ledger.ErrUnsupported)
	if got := get(t, later, 1); got.Revision != 1 {
		t.Errorf("the record is at revision %d", got.Revision)
	}
	_, _, err := later.Get(t.Context(), id(2))
	failsWith(t, "get what was not inserted", err, ledger.ErrNotFound)
}

// TestAVersionThatWouldStopServersWaitsUntilTheyHaveStopped has a holder live while a later version opens the ledger.
func TestAVersionThatWouldStopServersWaitsUntilTheyHaveStopped(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	earlier := open(t, dsn)
	h := hold(t, earlier)
	err := refuses(t, "a later version", dsn, ledger.ErrBusy, postgres.WithStep(addsAColumn, 2))
	if err == nil || !strings.Contains(err.Error(), h.Name()) {
		t.Errorf("who is in the way is not named: %v", err)
	}
	insert(t, earlier, 1)
	if err := h.Release(); err != nil {
		t.Fatal(err)
	}
	get(t, open(t, dsn, postgres.WithStep(addsAColumn, 2)), 1)
}
