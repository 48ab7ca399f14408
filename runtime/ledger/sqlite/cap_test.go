package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// room is how many previews may wait in the ledger that processes fill at once.
const room = 25

// TestProcessesThatFillALedgerAtOnceKeepToItsCap has two processes with many goroutines each insert until there is no
// room.
func TestProcessesThatFillALedgerAtOnceKeepToItsCap(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	for _, c := range []*child{spawn(t, "filler", path), spawn(t, "filler", path)} {
		c.line(t) // it is full
	}
	if n, err := s.Count(t.Context(), ledger.Query{Statuses: []ledger.Status{ledger.Pending}}); n != room || err != nil {
		t.Errorf("%d previews wait (%v), want %d", n, err, room)
	}
}

// fillUp inserts in many goroutines until each of them was told that there is no room.
func fillUp(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, path, patient)
	if err != nil {
		return err
	}
	ended := make(chan error, hammers)
	for i := range hammers {
		go func() { ended <- insertUntilFull(ctx, s, fmt.Sprintf("%d.%d", os.Getpid(), i)) }()
	}
	for range hammers {
		err = errors.Join(err, <-ended)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	fmt.Println("full")
	return nil
}

func insertUntilFull(ctx context.Context, s *sqlite.Store, name string) error {
	for n := 0; ; n++ {
		r := record(n)
		r.ID += name
		err := s.Insert(ctx, r, ledger.Event{}, ledger.Cap{Of: ledger.Query{Statuses: []ledger.Status{ledger.Pending}}, Max: room})
		if errors.Is(err, ledger.ErrCap) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
