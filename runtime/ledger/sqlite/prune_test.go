package sqlite_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// TestALedgerThatWasPrunedIsWhole opens it afterwards, which checks it as a whole, beside its log and without it.
func TestALedgerThatWasPrunedIsWhole(t *testing.T) {
	t.Parallel()
	path := newQuickPath(t)
	writeChanges(t, path)
	s := open(t, path)
	settled := ledger.Query{Statuses: []ledger.Status{ledger.Applied, ledger.Undone}}
	for want := 4; want > 0; want-- {
		if n, err := s.Prune(t.Context(), settled, 1); n != 1 || err != nil {
			t.Fatalf("%d were pruned, %v", n, err)
		}
		if n := len(everything(t, path)); n != changesWritten-5+want {
			t.Errorf("%d changes are left", n)
		}
	}
	must(t, s.Close())
	if n := len(everything(t, path)); n != changesWritten-4 {
		t.Errorf("%d changes are left, want %d", n, changesWritten-4)
	}
}

// TestAPruneOfNothingIsNoWrite has what was found to be over not be so any more when it is to be deleted, as after a clock
// that was set back.
func TestAPruneOfNothingIsNoWrite(t *testing.T) {
	t.Parallel()
	over := time.UnixMilli(1_800_000_000_000)
	now, next := over, over
	s := open(t, newPath(t), sqlite.WithClock(func() (read time.Time) {
		read, now = now, next
		return read
	}))
	r := record(1)
	r.Status, r.UndoToken, r.UndoExpiresAt = ledger.Applied, []byte("token hash"), over
	must(t, s.Insert(t.Context(), r, ledger.Event{}))
	before, err := s.Stats(t.Context())
	must(t, err)
	next = over.Add(-time.Second)
	n, err := s.Prune(t.Context(), ledger.Query{Statuses: []ledger.Status{ledger.Applied}}, 1)
	must(t, err)
	after, err := s.Stats(t.Context())
	must(t, err)
	if n != 0 || after.Writes != before.Writes {
		t.Errorf("%d were pruned, with %d writes", n, after.Writes-before.Writes)
	}
	expectSound(t, s)
}

// TestAPruneThatIsLostIsMissed cuts a log that ends with a prune. What comes back with it is not told from what was lost.
func TestAPruneThatIsLostIsMissed(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	writeChanges(t, path)
	c := spawn(t, "pruner", path)
	for range changesWritten / 5 { // all that it may, so that it is killed in no write
		c.line(t)
	}
	c.kill(t)
	truncate(int64(len(read(t, path+"-wal"))-100))(t, path+"-wal")
	expectRefusal(t, path, ledger.ErrCorrupt)
}

// TestAKilledPruneLeavesWholeChanges kills a process while it prunes, at another place each time.
func TestAKilledPruneLeavesWholeChanges(t *testing.T) {
	t.Parallel()
	path := newQuickPath(t)
	const rounds = 4
	for round := range rounds {
		s := open(t, path)
		for n := range 100 {
			r := record(round*1000 + n)
			r.Status, r.Payload = ledger.Rejected, sqlite.Noise(pageSize)
			must(t, s.Insert(t.Context(), r, ledger.Event{}))
		}
		must(t, s.Close())
		c := spawn(t, "pruner", path)
		for range 1 + 7*round {
			c.line(t)
		}
		c.kill(t)
		for id, change := range everything(t, path) {
			if int64(len(change.Events)) != change.Record.Revision {
				t.Errorf("%s at revision %d has %d events", id, change.Record.Revision, len(change.Events))
			}
		}
	}
}

// pruneUntilKilled prunes one change after the other and prints how many that were.
func pruneUntilKilled(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, path, patient)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		pruned, err := s.Prune(ctx, ledger.Query{}, 1)
		if err != nil {
			return err
		}
		if pruned == 0 {
			return waitToBeKilled()
		}
		fmt.Println(n)
	}
}
