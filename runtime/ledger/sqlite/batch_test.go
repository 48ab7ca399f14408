package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/changesetgen/changesetgen/internal/faultdisk"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// crowd is how many writes wait together.
const crowd = 20

// waiter is a context that tells when a call begins to wait.
type waiter struct {
	context.Context
	once  sync.Once
	waits func()
}

func (w *waiter) Done() <-chan struct{} {
	w.once.Do(w.waits)
	return w.Context.Done()
}

// together has writes wait for a program that has locked the file, and gives their verdicts once it is gone.
func together(t *testing.T, path string, writes []func(ctx context.Context) error) []error {
	t.Helper()
	unlock := lockFile(t, path)
	waiting := make(chan struct{}, len(writes))
	verdicts := make([]error, len(writes))
	var group sync.WaitGroup
	for n, write := range writes {
		ctx := &waiter{Context: t.Context(), waits: func() { waiting <- struct{}{} }}
		group.Go(func() { verdicts[n] = write(ctx) })
	}
	for range writes {
		<-waiting
	}
	unlock()
	group.Wait()
	return verdicts
}

// inserts are inserts of so many records, from the first number on.
func inserts(s *sqlite.Store, first, number int) (writes []func(ctx context.Context) error) {
	for n := range number {
		writes = append(writes, func(ctx context.Context) error {
			return s.Insert(ctx, record(first+n), ledger.Event{To: ledger.Pending})
		})
	}
	return writes
}

func TestWritesThatWaitAreOneTransaction(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options      []sqlite.Option
		transactions int
	}{
		"by default":             {nil, 1},
		"eight at a time":        {[]sqlite.Option{sqlite.WithBatch(8)}, 3},
		"each by itself":         {[]sqlite.Option{sqlite.WithBatch(1)}, crowd},
		"a number that is none":  {[]sqlite.Option{sqlite.WithBatch(1), sqlite.WithBatch(0)}, 1},
		"a number below nothing": {[]sqlite.Option{sqlite.WithBatch(1), sqlite.WithBatch(-1)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			disk := faultdisk.In(filepath.Dir(path))
			s := open(t, path, c.options...)
			must(t, s.Insert(t.Context(), record(0), ledger.Event{To: ledger.Pending})) // which begins the log
			before := disk.Syncs()
			for n, err := range together(t, path, inserts(s, 1, crowd)) {
				if err != nil {
					t.Errorf("insert %d: %v", n, err)
				}
			}
			if got := disk.Syncs() - before; got != c.transactions {
				t.Errorf("%d inserts took %d syncs, want %d", crowd, got, c.transactions)
			}
			expectWhole(t, s, 0, crowd+1)
		})
	}
}

func TestOneCallerSyncsOnceAWrite(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	disk := faultdisk.In(filepath.Dir(path))
	s := open(t, path)
	const cycles = 60
	before := disk.Syncs()
	for n := range cycles {
		r := record(n)
		must(t, s.Insert(t.Context(), r, ledger.Event{To: ledger.Pending}))
		for _, status := range []ledger.Status{ledger.Applying, ledger.Applied, ledger.Undoing, ledger.Undone} {
			r.Revision, r.Status = r.Revision+1, status
			must(t, s.Swap(t.Context(), r, time.Time{}, ledger.Event{To: status}))
		}
	}
	const writes = 5 * cycles
	if got := disk.Syncs() - before; got < writes || got > writes+writes/20 {
		t.Errorf("%d writes took %d syncs, want one for each, and few for copying the log into the file", writes, got)
	}
}

// expectWhole fails unless these records are there with one event each, and no others.
func expectWhole(t *testing.T, s *sqlite.Store, first, number int) {
	t.Helper()
	all, err := s.List(t.Context(), ledger.Query{})
	if err != nil || len(all) != number {
		t.Fatalf("%d records, %v, want %d", len(all), err, number)
	}
	for n, r := range all {
		events, err := s.Events(t.Context(), r.ID)
		if r.ID != record(first+n).ID || r.Revision != 1 || len(events) != 1 || err != nil {
			t.Errorf("record %d is %s at revision %d with %d events, %v", n, r.ID, r.Revision, len(events), err)
		}
	}
	faults, err := s.Check(t.Context())
	if err != nil || len(faults) > 0 {
		t.Errorf("check: %v, %v", faults, err)
	}
}

// TestWhatCannotBeKeptIsRefusedAtOnce has a text that would not be read back as it is, while another program has the file.
func TestWhatCannotBeKeptIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(0), ledger.Event{To: ledger.Pending}))
	unlock := lockFile(t, path)
	old, bad := record(0), record(1)
	old.Revision, old.Status, bad.Decision = 1, ledger.ApplyFailed, ledger.Decision{By: "\xff", At: time.Now()}
	swapped := old
	swapped.UndoDecision = bad.Decision
	for what, err := range map[string]error{
		"insert":              s.Insert(t.Context(), bad, ledger.Event{To: ledger.Pending}),
		"swap":                s.Swap(t.Context(), swapped, time.Time{}, ledger.Event{To: ledger.ApplyFailed}),
		"insert with a retry": s.SwapInsert(t.Context(), old, ledger.Event{To: ledger.ApplyFailed}, bad, ledger.Event{To: ledger.Pending}),
	} {
		if err == nil || !strings.Contains(err.Error(), "not valid UTF-8") {
			t.Errorf("%s: %v", what, err)
		}
	}
	unlock()
	expectWhole(t, s, 0, 1)
}

// TestAWriteThatFailsByItselfFailsAlone has one of many ask for what the engine cannot do.
func TestAWriteThatFailsByItselfFailsAlone(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	const arguments = 1 << 15 // one more than a statement can have
	tooMany := ledger.Cap{Of: ledger.Query{Operations: make([]string, arguments)}, Max: 1}
	writes := inserts(s, 0, crowd)
	writes[crowd/2] = func(ctx context.Context) error {
		return s.Insert(ctx, record(crowd), ledger.Event{To: ledger.Pending}, tooMany)
	}
	for n, err := range together(t, path, writes) {
		if failed := err != nil; failed != (n == crowd/2) {
			t.Errorf("insert %d: %v", n, err)
		}
	}
	must(t, s.Insert(t.Context(), record(crowd/2), ledger.Event{To: ledger.Pending}))
	all, err := s.List(t.Context(), ledger.Query{})
	if err != nil || len(all) != crowd {
		t.Errorf("%d records, %v, want %d", len(all), err, crowd)
	}
}

// TestARetryWithoutRoomLeavesNothing has a retry be refused by its cap, which counts the old record as it would be.
func TestARetryWithoutRoomLeavesNothing(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(0), ledger.Event{To: ledger.Pending}))
	old := record(0)
	old.Revision, old.Status = 1, ledger.ApplyFailed
	failures := ledger.Cap{Of: ledger.Query{Statuses: []ledger.Status{ledger.ApplyFailed}}, Max: 1}
	writes := append(inserts(s, 1, crowd-1), func(ctx context.Context) error {
		return s.SwapInsert(ctx, old, ledger.Event{To: ledger.ApplyFailed}, record(crowd), ledger.Event{To: ledger.Pending}, failures)
	})
	for n, err := range together(t, path, writes) {
		var want error
		if n == crowd-1 {
			want = ledger.ErrCap
		}
		if !errors.Is(err, want) {
			t.Errorf("write %d: %v, want %v", n, err, want)
		}
	}
	expectWhole(t, s, 0, crowd)
}

// TestACommitThatFailsFailsAllOfIt has the disk fail when all that waited is made durable.
func TestACommitThatFailsFailsAllOfIt(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	disk := faultdisk.In(filepath.Dir(path))
	s := open(t, path)
	disk.FailFrom(1, faultdisk.Broken)
	for _, err := range together(t, path, inserts(s, 0, crowd)) {
		expectDiskError(t, "insert", path, err)
	}
	disk.Repair()
	for n, err := range together(t, path, inserts(s, 0, crowd)) {
		if err != nil {
			t.Errorf("insert %d once the disk is mended: %v", n, err)
		}
	}
	expectWhole(t, s, 0, crowd)
}

// TestAClockThatPanicsHangsNobody panics in the middle of a transaction of many writes.
func TestAClockThatPanicsHangsNobody(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	reads, bad := 0, false
	s := open(t, path, sqlite.WithClock(func() time.Time {
		if reads++; bad && reads == crowd/2 {
			panic("the clock broke")
		}
		return time.UnixMilli(1e12)
	}))
	reads, bad = 0, true
	panicked := make(chan any, crowd)
	var writes []func(ctx context.Context) error
	for _, insert := range inserts(s, 0, crowd) {
		writes = append(writes, func(ctx context.Context) error {
			defer func() { panicked <- recover() }()
			return insert(ctx)
		})
	}
	answered := 0
	for _, err := range together(t, path, writes) {
		if err != nil {
			answered++
		}
	}
	caught := 0
	for range writes {
		if <-panicked != nil {
			caught++
		}
	}
	if caught != 1 || answered != crowd-1 {
		t.Errorf("%d got the panic and %d an error, want 1 and %d", caught, answered, crowd-1)
	}
	for _, err := range together(t, path, inserts(s, 0, crowd)) {
		must(t, err)
	}
	expectWhole(t, s, 0, crowd)
}

// TestNobodyWaitsForACrowdByAClockThatStandsStill has a write come alone after many that came together.
func TestNobodyWaitsForACrowdByAClockThatStandsStill(t *testing.T) {
	t.Parallel()
	path := newQuickPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := open(t, path)
		for first := 0; first < 10*crowd; first += crowd {
			var together sync.WaitGroup
			for n := range crowd - 1 {
				together.Go(func() {
					if err := s.Insert(t.Context(), record(first+n), ledger.Event{To: ledger.Pending}); err != nil {
						t.Error(err)
					}
				})
			}
			together.Wait()
			if err := s.Insert(t.Context(), record(first+crowd-1), ledger.Event{To: ledger.Pending}); err != nil {
				t.Error(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
