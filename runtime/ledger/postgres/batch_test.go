package postgres_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// TestEachOfABatchHasAVerdictOfItsOwn has writes of every kind and fate go to the database together.
func TestEachOfABatchHasAVerdictOfItsOwn(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	setup, conn := open(t, dsn), connect(t, dsn)
	for n := range 8 {
		insert(t, setup, n)
	}
	requested := waiting(8)
	requested.RequestID = "request"
	if err := setup.Insert(t.Context(), requested, previewed); err != nil {
		t.Fatal(err)
	}
	over := hold(t, setup).Name()
	lapse(t, conn, over)
	limit := time.Date(2026, time.March, 29, 12, 0, 0, 0, time.UTC)
	swap := func(n int, revision int64, notAfter time.Time, holder string) postgres.Write {
		r := claim(waiting(n), fmt.Sprint("claim ", n), holder)
		r.Revision = revision
		return postgres.NewSwap(r, notAfter, claimed)
	}
	add := func(n int, change func(*ledger.Record), caps ...ledger.Cap) postgres.Write {
		r := waiting(n)
		change(&r)
		return postgres.NewInsert(r, previewed, caps...)
	}
	asItIs := func(*ledger.Record) {}
	cases := []struct {
		name  string
		write postgres.Write
		want  error
	}{
		{"in time", swap(0, 1, limit.Add(time.Millisecond), "h"), nil},
		{"at the limit", swap(1, 1, limit, "h"), ledger.ErrExpired},
		{"of another revision", swap(2, 7, never, "h"), ledger.ErrConflict},
		{"of none", swap(99, 1, never, "h"), postgres.ErrLocked}, // or of one that is locked: another look tells
		{"with a holder that is over", swap(3, 1, never, over), ledger.ErrHoldOver},
		{"another in time", swap(4, 1, never, "h"), nil},
		{"of a locked row", swap(6, 1, never, "h"), postgres.ErrLocked},
		{"new", add(20, asItIs), nil},
		{"one that exists", add(5, asItIs), ledger.ErrExists},
		{"requested before", add(21, func(r *ledger.Record) { r.RequestID = "request" }), ledger.ErrRequested},
		{"without room", add(22, asItIs, ledger.Cap{}), ledger.ErrCap},
		{"with room", add(23, asItIs, ledger.Cap{Of: ledger.Query{Server: "settings"}, Max: 1_000_000}), nil},
		{"with room for one", add(24, asItIs, ledger.Cap{Of: ledger.Query{Server: "settings"}, Max: 12}), nil},
		{"with no room after it", add(25, asItIs, ledger.Cap{Of: ledger.Query{Server: "settings"}, Max: 12}), ledger.ErrCap},
	}
	var writes []postgres.Write
	for _, c := range cases {
		writes = append(writes, c.write)
	}
	do(t, conn, "BEGIN", "UPDATE changesetgen.changes SET message = 'locked' WHERE id = '"+id(6)+"'")
	s := open(t, dsn, postgres.WithClock(func() time.Time { return limit }))
	for n, err := range s.Together(t.Context(), writes) {
		if want := cases[n].want; !errors.Is(err, want) {
			t.Errorf("%s: got error %v, want %v", cases[n].name, err, want)
		}
	}
	do(t, conn, "ROLLBACK")
	for n, want := range map[int]string{0: "claim 0", 1: "preview", 2: "preview", 3: "preview", 4: "claim 4", 6: "preview"} {
		if got := get(t, setup, n).WriteID; got != want {
			t.Errorf("record %d was written by %q, want %q", n, got, want)
		}
	}
}

// TestWritesGoOnAfterTheirConnectionWasLost has a turn find another one, or say that there is none.
func TestWritesGoOnAfterTheirConnectionWasLost(t *testing.T) {
	t.Parallel()
	p, dsn := newProxy(t, newDatabase(t))
	s := open(t, dsn)
	for n, err := range s.Interrupted(t.Context(), []postgres.Write{postgres.NewInsert(waiting(1), previewed), postgres.NewInsert(waiting(2), previewed)}) {
		if err != nil {
			t.Errorf("insert %d: %v", n, err)
		}
	}
	get(t, s, 2)
	p.refuse()
	s.SetBusyTimeout(shortest)
	for n, err := range s.Interrupted(t.Context(), []postgres.Write{postgres.NewInsert(waiting(3), previewed), postgres.NewInsert(waiting(4), previewed)}) {
		failsWith(t, fmt.Sprintf("insert %d", n), err, ledger.ErrUnavailable)
	}
}
