package sqlite_test

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/google/go-cmp/cmp"
)

func TestOpenRemovesHoldsThatNobodyNeeds(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	crash(t, path) // a dead holder with an open claim
	s := open(t, path)
	needed := claims(t, s)[0].Holder
	live, err := s.Hold(t.Context())
	must(t, err)
	defer live.Release()
	const stranger = ".hold_of_somebody_else"
	const unneeded = ".hold_0123456789abcdef0123456789abcdef"
	for _, ending := range []string{unneeded, stranger} {
		must(t, os.WriteFile(path+ending, nil, 0o600))
	}
	open(t, path)
	for ending, want := range map[string]bool{
		"." + needed: true, "." + live.Name(): true, stranger: true, unneeded: false,
	} {
		if _, err := os.Lstat(path + ending); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", ending, err == nil, want)
		}
	}
	expectHolder(t, s, needed, ledger.Gone)
	expectHolder(t, s, live.Name(), ledger.Alive)
}

func TestReleaseRemovesItsFileUnlessClaimsAreOpen(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	idle, err := s.Hold(t.Context())
	must(t, err)
	busy, err := s.Hold(t.Context())
	must(t, err)
	r := record(1)
	r.Status, r.Holder = ledger.Undoing, busy.Name()
	must(t, s.Insert(t.Context(), r, ledger.Event{}))
	must(t, idle.Release())
	must(t, busy.Release())
	want := []string{"ledger.db", "ledger.db-shm", "ledger.db-wal", "ledger.db." + busy.Name(), "ledger.db.lock", "ledger.db.mark"}
	if diff := cmp.Diff(want, list(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	expectHolder(t, s, idle.Name(), ledger.Unknown)
	expectHolder(t, s, busy.Name(), ledger.Gone)
}

// TestAReleaseThatFailedCanBeRepeated has something that cannot be removed lie where the file of a holder was.
func TestAReleaseThatFailedCanBeRepeated(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be moved away here")
	}
	path := newPath(t)
	s := open(t, path)
	h, err := s.Hold(t.Context())
	must(t, err)
	file := path + "." + h.Name()
	must(t, os.Remove(file))
	must(t, os.MkdirAll(filepath.Join(file, "in the way"), 0o700))
	for range 2 {
		expectError(t, "release", h.Release(), ledger.ErrUnavailable)
	}
	must(t, os.Remove(filepath.Join(file, "in the way")))
	for range 2 {
		must(t, h.Release())
	}
	if diff := cmp.Diff([]string{"ledger.db", "ledger.db-shm", "ledger.db-wal", "ledger.db.lock", "ledger.db.mark"}, list(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestAHoldIsNotLostToTheGarbageCollector(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	name := forgottenHold(t, s)
	for range 10 { // files are closed some time after a collection
		runtime.GC()
		runtime.Gosched()
	}
	expectHolder(t, s, name, ledger.Alive)
}

// TestWhoLooksAtHoldersKeepsNobodyFromHolding has several look at every file of a holder as soon as it is there.
func TestWhoLooksAtHoldersKeepsNobodyFromHolding(t *testing.T) {
	t.Parallel()
	path := newQuickPath(t)
	s := open(t, path)
	done := make(chan struct{})
	var lookers sync.WaitGroup
	for range 4 {
		lookers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				holders, err := s.Holders(t.Context())
				if err != nil {
					t.Errorf("look: %v", err)
					return
				}
				for _, h := range holders {
					if h.Liveness != ledger.Alive {
						t.Errorf("a holder that is being made or let go is %v", h.Liveness)
					}
				}
			}
		})
	}
	for range 100 {
		h, err := s.Hold(t.Context())
		if err != nil {
			t.Error(err)
			continue
		}
		must(t, h.Release())
	}
	close(done)
	lookers.Wait()
	if diff := cmp.Diff([]string{"ledger.db", "ledger.db-shm", "ledger.db-wal", "ledger.db.lock", "ledger.db.mark"}, list(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// forgottenHold makes a hold of which nothing but its name is kept.
func forgottenHold(t *testing.T, s ledger.Store) string {
	t.Helper()
	h, err := s.Hold(t.Context())
	must(t, err)
	return h.Name()
}

func claims(t *testing.T, s ledger.Store) []ledger.Record {
	t.Helper()
	open, err := s.List(t.Context(), ledger.Query{Statuses: []ledger.Status{ledger.Applying, ledger.Undoing}})
	must(t, err)
	if len(open) == 0 {
		t.Fatal("no claim is open")
	}
	return open
}
