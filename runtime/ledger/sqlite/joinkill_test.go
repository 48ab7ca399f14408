package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// TestAKilledJoinLeavesBothOrNeither kills a process that does nothing but join, wherever it is. What a body noted is there
// if, and only if, its change is applied, and what was acknowledged is.
func TestAKilledJoinLeavesBothOrNeither(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	create(t, path)
	execute("CREATE TABLE notes (text TEXT NOT NULL)")(t, path)
	var acknowledged []string
	for round := range 6 {
		c := spawn(t, "joiner", path)
		for range 1 + 3*round { // at another place each time
			acknowledged = append(acknowledged, c.line(t))
		}
		acknowledged = append(acknowledged, c.kill(t)...)
	}
	s := open(t, path)
	noted := notes(t, path)
	for _, id := range acknowledged {
		if !slices.Contains(noted, id) {
			t.Errorf("%s was acknowledged, and is not noted", id)
		}
	}
	for r, err := range ledger.All(t.Context(), s, ledger.Query{}) {
		must(t, err)
		if applied := r.Status == ledger.Applied; applied != slices.Contains(noted, r.ID) {
			t.Errorf("%s is %s, and it is %t that it is noted", r.ID, r.Status, !applied)
		}
	}
	expectSound(t, s)
}

// joinUntilKilled notes one change after the other, and prints each that is done.
func joinUntilKilled(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, path, patient)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		r := record(n)
		r.ID += fmt.Sprint(os.Getpid())
		r.Status, r.Joined = ledger.Applying, true
		if err := s.Insert(ctx, r, ledger.Event{To: ledger.Applying}); err != nil {
			return err
		}
		r.Revision, r.Status = 1, ledger.Applied
		err := s.Join(ctx, func(ctx context.Context) (ledger.Record, ledger.Event, error) {
			return r, ledger.Event{From: ledger.Applying, To: ledger.Applied}, addNote(ctx, r.ID)
		})
		if err != nil {
			return err
		}
		fmt.Println(r.ID)
	}
}
