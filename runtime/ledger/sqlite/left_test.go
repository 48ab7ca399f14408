package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

// leaving is the context of a caller that leaves in the middle of a call: when its context is looked at for the n-th time.
type leaving struct {
	context.Context
	looks atomic.Int64 // that are left
	leave context.CancelFunc
}

func leavingAt(t *testing.T, n int) *leaving {
	ctx, leave := context.WithCancel(t.Context())
	t.Cleanup(leave)
	l := &leaving{Context: ctx, leave: leave}
	l.looks.Store(int64(n))
	return l
}

// look has those who wait for the context mostly be quicker than who looks.
func (l *leaving) look() {
	if l.looks.Add(-1) == 0 {
		l.leave()
		for range 100 {
			runtime.Gosched()
		}
	}
}

// Done implements context.Context.
func (l *leaving) Done() <-chan struct{} { l.look(); return l.Context.Done() }

// Err implements context.Context.
func (l *leaving) Err() error { l.look(); return l.Context.Err() }

// eachLeave has the caller of a call leave at each point where the call finds out, and at last not at all. Whoever left is
// told so, and of no damage and no fault of the disk, or was too late to change anything.
func eachLeave(t *testing.T, what string, call func(ctx context.Context) error) {
	t.Helper()
	for n := 1; ; n += 1 + n/6 { // what comes late comes often
		ctx := leavingAt(t, n)
		err := call(ctx)
		left := ctx.Context.Err() != nil
		if err != nil && !(left && errors.Is(err, context.Canceled)) || errors.Is(err, ledger.ErrCorrupt) || errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("%s, left at look %d: %v", what, n, err)
		}
		if !left {
			return
		}
	}
}

func TestACallerThatLeavesIsToldOfNoDamage(t *testing.T) {
	t.Parallel()
	path := newQuickPath(t)
	writeChanges(t, path)
	s := open(t, path)
	sensitiveKey(t, s)
	for what, call := range map[string]func(ctx context.Context) error{
		"get":     func(ctx context.Context) error { _, _, err := s.Get(ctx, record(1).ID); return err },
		"list":    func(ctx context.Context) error { _, err := s.List(ctx, ledger.Query{}); return err },
		"count":   func(ctx context.Context) error { _, err := s.Count(ctx, ledger.Query{}); return err },
		"events":  func(ctx context.Context) error { _, err := s.Events(ctx, record(1).ID); return err },
		"now":     func(ctx context.Context) error { _, err := s.Now(ctx); return err },
		"holders": func(ctx context.Context) error { _, err := s.Holders(ctx); return err },
		"stats":   func(ctx context.Context) error { _, err := s.Stats(ctx); return err },
		"check":   func(ctx context.Context) error { _, err := s.Check(ctx); return err },
		"back up": func(ctx context.Context) error { return s.Backup(ctx, filepath.Join(t.TempDir(), "copy.db")) },
		"prune":   func(ctx context.Context) error { _, err := s.Prune(ctx, ledger.Query{Server: "none"}, 1); return err },
		"open": func(ctx context.Context) error {
			s, err := sqlite.Open(ctx, path, patient)
			if err == nil {
				err = s.Close()
			}
			return err
		},
	} {
		eachLeave(t, what, call)
	}
	expectSound(t, s)
}

// TestAWriterThatLeavesIsToldOfNoDamage has each write find that another version has added to the schema, and look at all
// of the ledger for it.
func TestAWriterThatLeavesIsToldOfNoDamage(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	writeChanges(t, path)
	s := open(t, path)
	must(t, open(t, path, addition).Close())
	moveLogIntoFile(t, path)
	n := changesWritten
	eachLeave(t, "insert", func(ctx context.Context) error {
		n++
		return s.Insert(ctx, record(n), ledger.Event{To: ledger.Pending})
	})
	must(t, s.Insert(t.Context(), record(n+1), ledger.Event{To: ledger.Pending}))
	expectSound(t, s)
}

// moveLogIntoFile copies the log of a ledger into its file, as each program does now and then.
func moveLogIntoFile(t *testing.T, path string) { execute("PRAGMA wal_checkpoint(TRUNCATE)")(t, path) }

func TestAMigrationThatIsLeftChangesNothing(t *testing.T) {
	t.Parallel()
	path, target := released(t, "schema1"), filepath.Join(t.TempDir(), "copy.db")
	before := contents(t, path)
	eachLeave(t, "migrate", func(ctx context.Context) error {
		err := sqlite.Migrate(ctx, path, target)
		if err == nil {
			return nil
		}
		if diff := cmp.Diff(before, contents(t, path)); diff != "" {
			t.Errorf("the files changed (-before +after):\n%s", diff)
		}
		if left := list(t, filepath.Dir(target)); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
		return err
	})
}

// TestACheckThatIsLeftFindsNothingSound damages what is looked at last.
func TestACheckThatIsLeftFindsNothingSound(t *testing.T) {
	t.Parallel()
	path := newQuickPath(t)
	writeChanges(t, path)
	s := openToDamage(t, path)
	execute("DELETE FROM events WHERE change = 4 AND seq = 2")(t, path)
	all, err := s.Check(t.Context())
	must(t, err)
	eachLeave(t, "check", func(ctx context.Context) error {
		faults, err := s.Check(ctx)
		if diff := cmp.Diff(all, faults); err == nil && diff != "" {
			t.Errorf("faults (-all +told):\n%s", diff)
		}
		return err
	})
}

// TestACallThatIsLeftKeepsNothingOpen closes the ledger right behind a call that was left: whoever closes last removes the log.
func TestACallThatIsLeftKeepsNothingOpen(t *testing.T) {
	t.Parallel()
	for what, call := range map[string]func(ctx context.Context, s *sqlite.Store) error{
		"list":  func(ctx context.Context, s *sqlite.Store) error { _, err := s.List(ctx, ledger.Query{}); return err },
		"check": func(ctx context.Context, s *sqlite.Store) error { _, err := s.Check(ctx); return err },
		"back up": func(ctx context.Context, s *sqlite.Store) error {
			return s.Backup(ctx, filepath.Join(t.TempDir(), "copy.db"))
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			path := newQuickPath(t)
			writeChanges(t, path)
			eachLeave(t, what, func(ctx context.Context) error {
				s, err := sqlite.Open(t.Context(), path, patient)
				must(t, err)
				err = call(ctx, s)
				must(t, s.Close())
				if _, left := os.Stat(path + "-wal"); left == nil {
					t.Errorf("the log is left behind a call that ended with %v", err)
				}
				return err
			})
		})
	}
}
