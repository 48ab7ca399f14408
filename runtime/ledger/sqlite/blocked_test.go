package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// TestOpenWaitsForWhoeverHasTheLedgerToItself opens a ledger that another program has locked against all others, with a
// log or without one: it is busy, and neither damaged nor missing, for as long as that lasts.
func TestOpenWaitsForWhoeverHasTheLedgerToItself(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]string{"with a log": "WAL", "with a journal": "DELETE"} {
		for end, goAway := range map[string]func(*child){
			"goes":      func(c *child) { _ = c.stdin.Close() },
			"is killed": func(c *child) { _ = c.cmd.Process.Kill() },
		} {
			t.Run(name+"/and then "+end, func(t *testing.T) {
				t.Parallel()
				path := newPath(t)
				create(t, path)
				must(t, os.Remove(path+".mark")) // it would tell of the other journal mode
				c := spawn(t, "owner", path, mode)
				c.line(t) // it has the file to itself from here on
				before := contents(t, path)
				_, err := sqlite.Open(t.Context(), path, sqlite.WithBusyTimeout(time.Millisecond))
				expectError(t, "open", err, ledger.ErrBusy)
				if after := contents(t, path); fmt.Sprint(after) != fmt.Sprint(before) {
					t.Errorf("the files changed from %v to %v", before, after)
				}
				opened := make(chan error, 1)
				go func() {
					s, err := sqlite.Open(t.Context(), path, patient)
					if err == nil {
						_, _, err = s.Get(t.Context(), record(1).ID)
						_ = s.Close()
					}
					opened <- err
				}()
				goAway(c)
				if err := <-opened; err != nil {
					t.Errorf("open once the other one is gone: %v", err)
				}
			})
		}
	}
}

// ownAndWait has the ledger to itself, in a transaction that it gives up when it is told to go.
func ownAndWait(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=locking_mode(EXCLUSIVE)&_pragma=journal_mode("+os.Args[1]+")")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	for _, statement := range []string{"BEGIN EXCLUSIVE", "UPDATE ledger SET newest = newest"} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	fmt.Println("owned")
	_ = waitToBeKilled()
	if _, err := db.ExecContext(ctx, "ROLLBACK"); err != nil {
		return err
	}
	return db.Close()
}
