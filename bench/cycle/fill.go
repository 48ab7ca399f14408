package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

const (
	// openChanges is how many changes of a filled ledger are claimed and not settled: as a busy server leaves when it dies.
	openChanges = 20
	// filledOver is the time in which a filled ledger has come by its changes.
	filledOver = 30 * 24 * time.Hour
	// fillers are how many write at once, so that the ledger can batch what they write.
	fillers = 256
	// fillPatience is how long one of them waits for its turn: nothing is measured, and the disk may be slow.
	fillPatience = time.Minute
	// pruned is how many changes are removed at a time.
	pruned = 1000
)

// fill makes a ledger with so many changes in a directory, whole or not at all. All were applied and settled but for a few,
// and each has the event of its last transition alone.
func fill(ctx context.Context, dir string, rows int, progress io.Writer) (err error) {
	fmt.Fprintf(progress, "filling a ledger with %d changes; it is kept in %s\n", rows, dir)
	draft, err := os.MkdirTemp(filepath.Dir(dir), "unfinished-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(draft)) }()
	var made atomic.Int64
	begin, step := time.Now().Add(-filledOver), filledOver/time.Duration(rows)
	at := func(n int64) time.Time { return begin.Add(time.Duration(n) * step) }
	store, err := openLedger(ctx, filepath.Join(draft, "ledger.db"),
		sqlite.WithClock(func() time.Time { return at(made.Load()) }), sqlite.WithBusyTimeout(fillPatience))
	if err != nil {
		return err
	}
	failures := make([]error, fillers)
	var group sync.WaitGroup
	for i := range failures {
		group.Go(func() {
			for n := made.Add(1); n <= int64(rows) && failures[i] == nil; n = made.Add(1) {
				failures[i] = insertSettled(ctx, newCaller(store, "a holder that is gone", i), at(n), n > int64(rows-openChanges))
			}
		})
	}
	group.Wait()
	if err := errors.Join(cmp.Or(failures...), store.Close()); err != nil {
		return err
	}
	return os.Rename(draft, dir)
}

// insertSettled adds a change as its apply left it, or its claim.
func insertSettled(ctx context.Context, c caller, at time.Time, open bool) error {
	r := claimed(preview(at, c.name), c.holder)
	if !open {
		r = applied(r)
		r.AppliedAt, r.UndoExpiresAt = at, at.Add(r.UndoTTL)
	}
	r.ClaimedAt = at
	return c.store.Insert(ctx, r, transition("", r.Status))
}
