package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"modernc.org/sqlite"
)

func openForTest(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestEveryConnectionSyncsItsLog(t *testing.T) {
	t.Parallel()
	s := openForTest(t)
	conns, patient := []*sql.Conn{s.writer.conn}, "0" // who writes waits by itself
	for range readConnections {
		conn, err := s.readers.db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
	}
	for _, conn := range conns {
		for name, want := range map[string]string{
			"synchronous": "2", "journal_mode": "wal", "fullfsync": "1", "checkpoint_fullfsync": "1", "busy_timeout": patient,
		} {
			var got string
			if err := conn.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&got); err != nil || got != want {
				t.Errorf("%s is %s (%v), want %s", name, got, err, want)
			}
		}
		patient = "5000"
	}
}

// TestTheEngineWaitsHoweverLongTheBusyTimeoutIs because it takes a number that it has no room for to be none.
func TestTheEngineWaitsHoweverLongTheBusyTimeoutIs(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"), WithBusyTimeout(math.MaxInt64))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var milliseconds int64
	err = s.readers.db.QueryRowContext(t.Context(), "PRAGMA busy_timeout").Scan(&milliseconds)
	if err != nil || milliseconds < time.Hour.Milliseconds() {
		t.Errorf("a reader waits for %d ms (%v)", milliseconds, err)
	}
}

func TestAConnectionWithoutItsSettingsIsRefused(t *testing.T) {
	t.Parallel()
	db, err := openPool(filepath.Join(t.TempDir(), "other.db"), 1, time.Second, nil,
		pragma{name: "synchronous", value: "NORMAL", want: int64(2)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.PingContext(t.Context()); !errors.Is(err, ledger.ErrUnsupported) {
		t.Errorf("connect: %v, want %v", err, ledger.ErrUnsupported)
	}
}

func TestReadersCannotWrite(t *testing.T) {
	t.Parallel()
	s := openForTest(t)
	if _, err := s.readers.db.ExecContext(t.Context(), "DELETE FROM ledger"); err == nil {
		t.Error("a reader's connection writes")
	}
}

func TestAFailedCommitProvesNothing(t *testing.T) {
	t.Parallel()
	s := openForTest(t)
	fail := true
	hook(t, s.writer.conn, func() int32 {
		if fail {
			return 1
		}
		return 0
	})
	r := ledger.Record{Fixed: ledger.Fixed{ID: "chg_1"}}
	err := s.Insert(t.Context(), r, ledger.Event{})
	if err == nil {
		t.Fatal("a failed commit is taken for a done one")
	}
	for _, proof := range []error{ledger.ErrBusy, ledger.ErrConflict, ledger.ErrExpired, ledger.ErrExists, context.Canceled} {
		if errors.Is(err, proof) {
			t.Errorf("%v says that nothing was written: %v", err, proof)
		}
	}
	fail = false
	if err := s.Insert(t.Context(), r, ledger.Event{}); err != nil {
		t.Errorf("the next insert: %v", err)
	}
}

func TestAFullLedgerWritesNothing(t *testing.T) {
	t.Parallel()
	s := openForTest(t)
	limit := func(pages int) {
		// The engine refuses pages past this limit as it does when the disk is full.
		if _, err := s.writer.conn.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(1) // no less than there are
	r := ledger.Record{Fixed: ledger.Fixed{ID: "chg_1", Payload: Noise(1 << 20)}}
	err := s.Insert(t.Context(), r, ledger.Event{})
	if err == nil || !strings.Contains(err.Error(), "make room") {
		t.Errorf("insert: %v, want advice to make room", err)
	}
	if _, _, err := s.Get(t.Context(), r.ID); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("get: %v, want %v", err, ledger.ErrNotFound)
	}
	limit(1 << 20)
	if err := s.Insert(t.Context(), r, ledger.Event{}); err != nil {
		t.Errorf("insert with room: %v", err)
	}
}

// hook calls f at each commit on conn; a commit for which it is not 0 fails.
func hook(t *testing.T, conn *sql.Conn, f func() int32) {
	t.Helper()
	err := conn.Raw(func(driverConn any) error {
		driverConn.(sqlite.HookRegisterer).RegisterCommitHook(f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAReadDoesNotWaitForAStoreThatIsClosed calls for another read while the store waits for one to end that was begun before.
func TestAReadDoesNotWaitForAStoreThatIsClosed(t *testing.T) {
	t.Parallel()
	s := openForTest(t)
	var taken []*sql.Conn
	for range readConnections {
		conn, err := s.readers.db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, conn)
	}
	begun, closed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := s.Now(t.Context())
		begun <- err
	}()
	for s.readers.db.Stats().WaitCount == 0 {
		runtime.Gosched()
	}
	go func() { closed <- s.Close() }()
	for s.reading.TryRLock() { // until it waits
		s.reading.RUnlock()
		runtime.Gosched()
	}
	if _, err := s.Now(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("read meanwhile: %v, want %v", err, os.ErrClosed)
	}
	for _, conn := range taken {
		_ = conn.Close()
	}
	if read, err := <-begun, <-closed; read != nil || err != nil {
		t.Errorf("the read that was begun: %v; close: %v", read, err)
	}
}
