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
	{"EveryTransitionLandsWithItsEvent", everyTransitionLandsWithItsEvent},
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
	return onlyWinner(t, loser, verdicts)
}

// onlyWinner is the number of the only write that went through. The others must have failed with the loser's error.
func onlyWinner(t *testing.T, loser error, verdicts []error) int {
	t.Helper()
	winner := -1
	for n, err := range verdicts {
		switch {
		case err == nil && winner < 0:
			winner = n
		case err == nil:
			t.Fatalf("%d and %d both won", winner, n)
		case !errors.Is(err, loser):
			t.Errorf("%d: %v, want %v", n, err, loser)
		}
	}
	if winner < 0 {
		t.Fatal("nobody won")
	}
	return winner
}

// winners is how many writes went through. The others must have failed with the loser's error.
func winners(t *testing.T, loser error, verdicts []error) (won int) {
	t.Helper()
	for n, err := range verdicts {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, loser):
			t.Errorf("%d: %v, want %v", n, err, loser)
		}
	}
	return won
}

// transitions are enough for readers to meet one in the middle.
const transitions = 50

// move writes a record again and again in the background, and tells when it is done. The fields, the event and the time of
// each transition agree with its revision.
func move(t *testing.T, s ledger.Store, now *clock, r ledger.Record) (done <-chan error) {
	written := make(chan error, 1)
	go func() {
		for range transitions {
			r.Message = fmt.Sprint(r.Revision + 1)
			now.set(noon.Add(time.Duration(r.Revision) * time.Second))
			if err := s.Swap(t.Context(), r, time.Time{}, ledger.Event{To: ledger.Applying, Reason: r.Message}); err != nil {
				written <- err
				return
			}
			r.Revision++
		}
		written <- nil
	}()
	return written
}

// until reads again and again, and for the last time when all is written.
func until(t *testing.T, written <-chan error, read func()) {
	t.Helper()
	for {
		select {
		case err := <-written:
			if err != nil {
				t.Fatal(err)
			}
			read()
			return
		default:
			read()
		}
	}
}

// readersSeeWholeTransitions has a record whose fields always agree with its revision read while it is written.
func readersSeeWholeTransitions(t *testing.T, open Opener) {
	now := newClock()
	writer, reader := open(now.read), open(now.read)
	r := insert(t, writer, pending(1))
	until(t, move(t, writer, now, r), func() {
		got, at, err := reader.Get(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.Revision > 1 && got.Message != fmt.Sprint(got.Revision) {
			t.Fatalf("revision %d with the fields of %s", got.Revision, got.Message)
		}
		if !at.Newest.Equal(got.UpdatedAt) {
			t.Fatalf("a record of %v with a newest time of %v", got.UpdatedAt, at.Newest)
		}
	})
}

// everyTransitionLandsWithItsEvent reads the events of a record between two reads of it, while it is written: there are
// never fewer than the transitions seen before, nor more than those seen after.
func everyTransitionLandsWithItsEvent(t *testing.T, open Opener) {
	now := newClock()
	writer, reader := open(now.read), open(now.read)
	r := insert(t, writer, pending(1))
	until(t, move(t, writer, now, r), func() {
		before := get(t, reader, r.ID)
		written := events(t, reader, r.ID)
		after := get(t, reader, r.ID)
		count := int64(len(written))
		if count < before.Revision || count > after.Revision {
			t.Fatalf("%d events between the revisions %d and %d", count, before.Revision, after.Revision)
		}
		if last := written[count-1]; count > 1 && (last.Seq != count || last.Reason != fmt.Sprint(count)) {
			t.Fatalf("of %d events the last is %+v", count, last)
		}
	})
	equal(t, "number of events", int64(len(events(t, reader, r.ID))), get(t, reader, r.ID).Revision)
}
