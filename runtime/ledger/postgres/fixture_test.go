package postgres_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/jackc/pgx/v5"
)

// id is the n-th id in the order of time.
func id(n int) string { return fmt.Sprintf("chg_%020x", n) }

// waiting is a change that waits for its apply.
func waiting(n int) ledger.Record {
	return ledger.Record{
		Fixed:    ledger.Fixed{ID: id(n), Server: "settings", Operation: "set_setting", Payload: []byte(`{}`)},
		Revision: 1,
		Mutable:  ledger.Mutable{WriteID: "preview", Status: ledger.Pending},
	}
}

// claim is r as a claim leaves it.
func claim(r ledger.Record, writeID, holder string) ledger.Record {
	r.WriteID, r.Status, r.Holder = writeID, ledger.Applying, holder
	return r
}

var (
	previewed = ledger.Event{Actor: "agent", To: ledger.Pending}
	claimed   = ledger.Event{Actor: "agent", From: ledger.Pending, To: ledger.Applying}
)

// patience bounds what a test waits for. It is no expectation: a busy machine may stall for long.
const patience = 2 * time.Minute

// never is no limit of a swap.
var never time.Time

func insert(t *testing.T, s *postgres.Store, n int) ledger.Record {
	t.Helper()
	if err := s.Insert(t.Context(), waiting(n), previewed); err != nil {
		t.Fatalf("insert %d: %v", n, err)
	}
	return waiting(n)
}

func get(t *testing.T, s *postgres.Store, n int) ledger.Record {
	t.Helper()
	r, _, err := s.Get(t.Context(), id(n))
	if err != nil {
		t.Fatalf("get %d: %v", n, err)
	}
	return r
}

func failsWith(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", what, err, want)
	}
}

// connect is a connection of somebody else to the database, closed when the test ends.
func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

// do has statements carried out by somebody else.
func do(t *testing.T, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// value is what a query gives.
func value[T any](t *testing.T, conn *pgx.Conn, query string, args ...any) (v T) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// untilWaiting returns once a statement of another connection waits for a lock in that database.
func untilWaiting(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	untilManyWait(t, conn, 1)
}

// untilManyWait is untilWaiting for that many statements.
func untilManyWait(t *testing.T, conn *pgx.Conn, many int) {
	t.Helper()
	for until := time.Now().Add(patience); lockWaits(t, conn) < many; {
		if time.Now().After(until) {
			t.Fatalf("not %d statements wait for a lock, but %d", many, lockWaits(t, conn))
		}
	}
}

// lockWaits is how many statements of other connections wait for a lock in that database, a moment from now.
func lockWaits(t *testing.T, conn *pgx.Conn) int {
	t.Helper()
	do(t, conn, "SELECT pg_sleep(0.001)")
	return value[int](t, conn, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND backend_type = 'client backend'")
}

// comesToWait makes a call, and tells whether it waits for a lock in that database; else it has returned. One that is in a
// hurry may give up before it comes to that where the machine is slow.
func comesToWait(t *testing.T, conn *pgx.Conn, call func() error) (done chan error, waits bool) {
	t.Helper()
	done = make(chan error, 1)
	go func() { done <- call() }()
	for len(done) == 0 {
		if lockWaits(t, conn) > 0 {
			return done, true
		}
	}
	return done, false
}
