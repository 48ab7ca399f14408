package postgres_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/internal/pgcluster"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// TestACapHoldsWhereItsLockIsShared fills a ledger up to a cap from several stores at once: first while the cap is far and all
// write side by side, and then up to its very number. The server takes few connections, so that both ways are gone.
func TestACapHoldsWhereItsLockIsShared(t *testing.T) {
	t.Parallel()
	const connections, perTransaction = 20, 64
	const limit = connections*perTransaction + 300
	dsn := pgcluster.Start(t, pgcluster.Settings{Conf: []string{fmt.Sprintf("max_connections = %d", connections)}}).NewDatabase(t)
	var stores []*postgres.Store
	for range 3 {
		stores = append(stores, open(t, dsn+"&pool_max_conns=4", postgres.WithBusyTimeout(patience)))
	}
	pending := ledger.Cap{Of: ledger.Query{Statuses: []ledger.Status{ledger.Pending}}, Max: limit}
	const callers = 48
	var written, next atomic.Int64
	var group sync.WaitGroup
	for n := range callers {
		group.Go(func() {
			for {
				err := stores[n%len(stores)].Insert(t.Context(), waiting(int(next.Add(1))), previewed, pending)
				if err != nil {
					failsWith(t, "an insert", err, ledger.ErrCap)
					return
				}
				written.Add(1)
			}
		})
	}
	group.Wait()
	count, err := stores[0].Count(t.Context(), pending.Of)
	if err != nil || count != limit || written.Load() != limit {
		t.Errorf("%d records of at most %d, and %d inserts that succeeded (%v)", count, limit, written.Load(), err)
	}
}

// TestCapsOfManyKindsDoNotBlockEachOther has writes that need the locks of several caps, in different orders.
func TestCapsOfManyKindsDoNotBlockEachOther(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	stores := []*postgres.Store{open(t, dsn), open(t, dsn)}
	of := func(server string) ledger.Cap { return ledger.Cap{Of: ledger.Query{Server: server}, Max: 3} }
	var group sync.WaitGroup
	for n := range 48 {
		group.Go(func() {
			r, caps := waiting(n), []ledger.Cap{of("a"), of("b"), of("c")}
			r.Server = []string{"a", "b", "c"}[n%3]
			caps[n%3], caps[0] = caps[0], caps[n%3]
			err := stores[n%len(stores)].Insert(t.Context(), r, previewed, caps...)
			if err != nil && !errors.Is(err, ledger.ErrCap) {
				t.Errorf("insert %d: %v", n, err)
			}
		})
	}
	group.Wait()
	for _, server := range []string{"a", "b", "c"} {
		if n, err := stores[0].Count(t.Context(), ledger.Query{Server: server}); n > 3 || err != nil {
			t.Errorf("%d records of server %s (%v)", n, server, err)
		}
	}
}

// TestACapHoldsWhateverIsolationIsTheDefault has many race for one place, where the default is that a transaction sees what there
// was when it began.
func TestACapHoldsWhateverIsolationIsTheDefault(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t) + "&default_transaction_isolation=repeatable%20read"
	stores := []*postgres.Store{open(t, dsn), open(t, dsn), open(t, dsn), open(t, dsn)}
	for round := range 10 {
		server := fmt.Sprint("server ", round)
		var won atomic.Int64
		var group sync.WaitGroup
		for n, s := range stores {
			group.Go(func() {
				r := waiting(round*len(stores) + n)
				r.Server = server
				err := s.Insert(t.Context(), r, previewed, ledger.Cap{Of: ledger.Query{Server: server}, Max: 1})
				if err == nil {
					won.Add(1)
				} else {
					failsWith(t, "an insert", err, ledger.ErrCap)
				}
			})
		}
		group.Wait()
		if won.Load() != 1 {
			t.Errorf("%d inserts found the one place", won.Load())
		}
	}
}

// TestCapsThatCountTheSameExcludeEachOther has two servers know an operation by other names, as while one of them is replaced: of
// two claims at the same time one has to see the other.
func TestCapsThatCountTheSameExcludeEachOther(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	stores := []*postgres.Store{open(t, dsn), open(t, dsn)}
	other, watcher := connect(t, dsn), connect(t, dsn)
	names := [][]string{{"set_setting"}, {"put_setting", "set_setting"}}
	do(t, other, "BEGIN")
	for n := range stores { // as the changes will, once they have counted
		do(t, other, "INSERT INTO changesetgen.events VALUES ('"+id(n)+"', 1, 0, '', '', '', '', '')")
	}
	done := make(chan error, len(stores))
	for n, s := range stores {
		r := waiting(n)
		of := ledger.Query{Server: "settings", Operations: names[n]}
		if n > 0 {
			of.By = &ledger.Party{}
		}
		go func() { done <- s.Insert(t.Context(), r, previewed, ledger.Cap{Of: of, Max: 1}) }()
		untilManyWait(t, watcher, n+1)
	}
	do(t, other, "ROLLBACK")
	first, second := <-done, <-done
	if (first == nil) == (second == nil) {
		t.Errorf("both or neither were taken: %v, %v", first, second)
	}
	for _, err := range []error{first, second} {
		if err != nil {
			failsWith(t, "the other", err, ledger.ErrCap)
		}
	}
}

// What waits is counted for each caller, at every preview.
func TestTheCapOfACallerKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	stores := []*postgres.Store{open(t, dsn), open(t, dsn)}
	other, watcher := connect(t, dsn), connect(t, dsn)
	do(t, other, "BEGIN", "INSERT INTO changesetgen.events VALUES ('"+id(0)+"', 1, 0, '', '', '', '', '')") // as the first will
	done := make(chan error, 1)
	insert := func(n int) error {
		of := ledger.Query{Server: "settings", By: &ledger.Party{Caller: id(n)}}
		return stores[n].Insert(t.Context(), waiting(n), previewed, ledger.Cap{Of: of, Max: 1})
	}
	go func() { done <- insert(0) }()
	untilManyWait(t, watcher, 1)
	if err := insert(1); err != nil {
		t.Errorf("the insert of another caller: %v", err)
	}
	do(t, other, "ROLLBACK")
	if err := <-done; err != nil {
		t.Errorf("the insert that waited: %v", err)
	}
}
