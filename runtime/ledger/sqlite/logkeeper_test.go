package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// smallLog is a bound that is soon reached.
const smallLog = 256 << 10

// said passes on what a store logs.
type said chan slog.Record

func (s said) Enabled(context.Context, slog.Level) bool      { return true }
func (s said) Handle(_ context.Context, r slog.Record) error { s <- r; return nil }
func (s said) WithAttrs([]slog.Attr) slog.Handler            { return s }
func (s said) WithGroup(string) slog.Handler                 { return s }
func (s said) next(t *testing.T, level slog.Level) (attributes string) {
	t.Helper()
	var r slog.Record
	select {
	case r = <-s:
	case <-time.After(patience):
		t.Fatalf("it says nothing, want %s", level)
	}
	if r.Level != level {
		t.Fatalf("it says %s %q, want %s", r.Level, r.Message, level)
	}
	r.Attrs(func(a slog.Attr) bool {
		attributes += a.String() + " "
		return true
	})
	return attributes
}

// readForLong begins to read, and never ends.
func readForLong(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	var count int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM changes").Scan(&count); err != nil {
		return err
	}
	fmt.Println(count)
	return waitToBeKilled()
}

// TestALogIsBroughtBackOnceALongReaderHasGone has another program read one state while the ledger is written to: its log
// has to keep all that came since.
func TestALogIsBroughtBackOnceALongReaderHasGone(t *testing.T) {
	t.Parallel()
	path, log := newQuickPath(t), make(said, 10)
	s := open(t, path, sqlite.WithLogBound(smallLog), sqlite.WithLogger(slog.New(log)))
	log.next(t, slog.LevelInfo) // of the new ledger
	reader := spawn(t, "reader", path)
	reader.line(t)
	n := fillLog(t, s, path, 0, func(size int64) bool { return size > 4*smallLog })
	warning := log.next(t, slog.LevelWarn)
	if want := fmt.Sprintf("%d (", reader.cmd.Process.Pid); runtime.GOOS == "linux" && !strings.Contains(warning, want) {
		t.Errorf("it says %s, and not that %s reads", warning, want)
	}
	n = fillLog(t, s, path, n, func(size int64) bool { return size > 8*smallLog })
	reader.kill(t)
	log.next(t, slog.LevelInfo) // said once, and then that it is over
	if size := logSize(t, path); size > smallLog {
		t.Errorf("the log has %d bytes", size)
	}
	n = fillLog(t, s, path, n, func(size int64) bool { return size > 0 })
	if got := len(everythingIn(t, s)); got != n {
		t.Errorf("%d changes are there, want %d", got, n)
	}
	expectSound(t, s)
}

// TestALogIsBroughtBackBesideManyShortReads never has a moment without a reader.
func TestALogIsBroughtBackBesideManyShortReads(t *testing.T) {
	t.Parallel()
	path := newQuickPath(t)
	s := open(t, path, sqlite.WithLogBound(smallLog))
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 4)
	for range cap(stopped) {
		go func() {
			var err error
			for err == nil && ctx.Err() == nil {
				_, err = s.Count(t.Context(), ledger.Query{Server: "none"})
			}
			stopped <- err
		}()
	}
	large := record(0)
	large.Payload = sqlite.Noise(8 * smallLog)
	must(t, s.Insert(t.Context(), large, ledger.Event{}))
	for until := time.Now().Add(patience); logSize(t, path) > smallLog; {
		if time.Now().After(until) {
			t.Fatalf("the log still has %d bytes", logSize(t, path))
		}
		_, err := s.Now(t.Context())
		must(t, err)
	}
	stop()
	for range cap(stopped) {
		must(t, <-stopped)
	}
}

// TestALogIsBroughtBackOnceItsLedgerIsBackInItsPlace has the file moved away when its log is to be copied into it.
func TestALogIsBroughtBackOnceItsLedgerIsBackInItsPlace(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be moved here")
	}
	path := newQuickPath(t)
	s, other := open(t, path, sqlite.WithLogBound(smallLog)), open(t, path)
	n := fillLog(t, other, path, 0, func(size int64) bool { return size > 2*smallLog })
	other.SetBusyTimeout(50 * time.Millisecond)
	err := s.Join(t.Context(), func(context.Context) (ledger.Record, ledger.Event, error) {
		must(t, os.Rename(path, path+".moved"))
		// While it waits in vain, the log is waited for that the join has found too large.
		return ledger.Record{}, ledger.Event{}, other.Insert(t.Context(), record(n), ledger.Event{})
	})
	expectError(t, "join", err, ledger.ErrRolledBack)
	expectError(t, "insert", s.Insert(t.Context(), record(n), ledger.Event{}), ledger.ErrUnsupported)
	must(t, os.Rename(path+".moved", path))
	for until := time.Now().Add(patience); logSize(t, path) > smallLog; {
		if time.Now().After(until) {
			t.Fatalf("the log still has %d bytes", logSize(t, path))
		}
		_, err := s.Now(t.Context())
		must(t, err)
	}
	expectSound(t, s)
}

// fillLog adds changes, of which there are n, until the log has the size that is wanted, and gives how many there are then.
func fillLog(t *testing.T, s *sqlite.Store, path string, n int, enough func(size int64) bool) int {
	t.Helper()
	for {
		r := record(n)
		r.Payload = sqlite.Noise(smallLog / 8)
		must(t, s.Insert(t.Context(), r, ledger.Event{}))
		if n++; enough(logSize(t, path)) {
			return n
		}
	}
}

func logSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path + "-wal")
	must(t, err)
	return info.Size()
}
