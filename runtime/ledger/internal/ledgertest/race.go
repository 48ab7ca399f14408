package ledgertest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var raceTests = []conformance{
	{"AWriteIsSeenByOtherStoresAtOnce", aWriteIsSeenByOtherStoresAtOnce},
	{"OneOfManySwapsOfARevisionWins", oneOfManySwapsOfARevisionWins},
	{"OneOfManyInsertsOfAnIDWins", oneOfManyInsertsOfAnIDWins},
	{"ReadersSeeWholeTransitions", readersSeeWholeTransitions},
}

const racers = 16

func aWriteIsSeenByOtherStoresAtOnce(t *testing.T, open Opener) {
	writer, other := open(newClock().read), open(newClock().read)
	absent(t, other, id(1))
	r := insert(t, writer, pending(1))
	equal(t, "the new record", get(t, other, r.ID), r)
	r = swap(t, writer, claim(r, "claim", "h"), claimed)
	equal(t, "the claimed record", get(t, other, r.ID), r)
	equal(t, "its events", len(events(t, other, r.ID)), 2)
	equal(t, "open changes", listed(t, other, ledger.Query{Statuses: []ledger.Status{ledger.Applying}}), ids(1))
	failsWith(t, "the same claim", other.Swap(t.Context(), claim(pending(1), "late", "h"), time.Time{}, claimed), ledger.ErrConflict)
}

func oneOfManySwapsOfARevisionWins(t *testing.T, open Opener) {
	stores := []ledger.Store{open(newClock().read), open(newClock().read)}
	r := insert(t, stores[0], pending(1))
	winner := race(t, ledger.ErrConflict, func(n int) error {
		return stores[n%len(stores)].Swap(t.Context(), claim(r, name(n), "h"), noon.Add(time.Hour), claimed)
	})
	got := look(t, stores[0], r.ID)
	equal(t, "the claim", got.Record.ClaimID, name(winner))
	equal(t, "the revision", got.Record.Revision, int64(2))
	equal(t, "number of events", len(got.Events), 2)
}

func oneOfManyInsertsOfAnIDWins(t *testing.T, open Opener) {
	stores := []ledger.Store{open(newClock().read), open(newClock().read)}
	winner := race(t, ledger.ErrExists, func(n int) error {
		r := pending(1)
		r.Operation = name(n)
		return stores[n%len(stores)].Insert(t.Context(), r, previewed)
	})
	got := look(t, stores[0], id(1))
	equal(t, "the operation", got.Record.Operation, name(winner))
	equal(t, "number of events", len(got.Events), 1)
}

func name(n int) string { return fmt.Sprintf("racer %d", n) }

// race runs attempt in many goroutines at once and gives the number of the only one that succeeded; the others must
// have failed with the loser's error.
func race(t *testing.T, loser error, attempt func(n int) error) int {
	t.Helper()
	verdicts := make([]error, racers)
	start, done := make(chan struct{}), make(chan struct{})
	for n := range racers {
		go func() {
			<-start
			verdicts[n] = attempt(n)
			done <- struct{}{}
		}()
	}
	close(start)
	for range racers {
		<-done
	}
	winner := -1
	for n, err := range verdicts {
		switch {
		case err == nil && winner < 0:
			winner = n
		case err == nil:
			t.Fatalf("racers %d and %d both won", winner, n)
		case !errors.Is(err, loser):
			t.Errorf("racer %d: %v, want %v", n, err, loser)
		}
	}
	if winner < 0 {
		t.Fatal("nobody won")
	}
	return winner
}

// readersSeeWholeTransitions has a record whose fields always agree with its revision read while it is written.
func readersSeeWholeTransitions(t *testing.T, open Opener) {
	const transitions = 50
	now := newClock()
	writer, reader := open(now.read), open(now.read)
	r := insert(t, writer, pending(1))
	written := make(chan error, 1)
	go func() {
		for range transitions {
			r.Message = fmt.Sprint(r.Revision + 1)
			now.set(noon.Add(time.Duration(r.Revision) * time.Second))
			if err := writer.Swap(t.Context(), r, time.Time{}, claimed); err != nil {
				written <- err
				return
			}
			r.Revision++
		}
		written <- nil
	}()
	for {
		got, at, err := reader.Get(t.Context(), id(1))
		if err != nil {
			t.Fatal(err)
		}
		if got.Revision > 1 && got.Message != fmt.Sprint(got.Revision) {
			t.Fatalf("revision %d with the fields of %s", got.Revision, got.Message)
		}
		if !at.Newest.Equal(got.UpdatedAt) {
			t.Fatalf("a record of %v with a newest time of %v", got.UpdatedAt, at.Newest)
		}
		select {
		case err := <-written:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}
