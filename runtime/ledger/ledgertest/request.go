package ledgertest

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var requestTests = []conformance{
	{"InsertRefusesARequestThatExists", insertRefusesARequestThatExists},
	{"InsertRefusesASecondRetry", insertRefusesASecondRetry},
	{"InsertTellsAnIDFromARequest", insertTellsAnIDFromARequest},
	{"OneOfManyInsertsOfARequestWins", oneOfManyInsertsOfARequestWins},
	{"OneOfManyRetriesWins", oneOfManyRetriesWins},
}

func insertRefusesARequestThatExists(t *testing.T, open Opener) {
	s := open(newClock().read)
	r := insert(t, s, plain(1))
	before := look(t, s, r.ID)
	same := func(n int, change func(*ledger.Record)) ledger.Record {
		other := plain(n)
		other.RequestID = r.RequestID
		change(&other)
		return other
	}
	failsWith(t, "the same request", s.Insert(t.Context(), same(2, func(*ledger.Record) {}), previewed), ledger.ErrRequested)
	absent(t, s, id(2))
	equal(t, "the record and its events", look(t, s, r.ID), before)

	insert(t, s, same(3, func(r *ledger.Record) { r.Server = "other" }))
	insert(t, s, same(4, func(r *ledger.Record) { r.Operation = "other" }))
	insert(t, s, same(5, func(r *ledger.Record) { r.Scope = "other" }))
	insert(t, s, same(6, func(r *ledger.Record) { r.Caller = "other" }))
	insert(t, s, same(7, func(r *ledger.Record) { r.RequestID = "" }))
	insert(t, s, same(8, func(r *ledger.Record) { r.RequestID = "" }))
}

func insertRefusesASecondRetry(t *testing.T, open Opener) {
	s := open(newClock().read)
	retry := func(n int, server string) ledger.Record {
		r := plain(n)
		r.RetryOf, r.Server = id(1), server
		return r
	}
	insert(t, s, retry(2, "settings"))
	failsWith(t, "a second retry", s.Insert(t.Context(), retry(3, "settings"), previewed), ledger.ErrRequested)
	failsWith(t, "one of another server", s.Insert(t.Context(), retry(4, "other"), previewed), ledger.ErrRequested)
	equal(t, "ids", listed(t, s, ledger.Query{}), ids(2))
}

// insertTellsAnIDFromARequest inserts a record again: it is its id that exists, whatever else it shares with itself.
func insertTellsAnIDFromARequest(t *testing.T, open Opener) {
	s := open(newClock().read)
	r := pending(1)
	insert(t, s, r)
	failsWith(t, "the same record", s.Insert(t.Context(), r, previewed), ledger.ErrExists)
	r.ID = id(2)
	failsWith(t, "its request", s.Insert(t.Context(), r, previewed), ledger.ErrRequested)
}

func oneOfManyInsertsOfARequestWins(t *testing.T, open Opener) {
	stores := []ledger.Store{open(newClock().read), open(newClock().read)}
	winner := race(t, ledger.ErrRequested, func(n int) error {
		r := plain(n)
		r.RequestID = "the request"
		return stores[n%len(stores)].Insert(t.Context(), r, previewed)
	})
	equal(t, "ids", listed(t, stores[0], ledger.Query{RequestID: "the request"}), ids(winner))
}

func oneOfManyRetriesWins(t *testing.T, open Opener) {
	stores := []ledger.Store{open(newClock().read), open(newClock().read)}
	old := insert(t, stores[0], plain(racers))
	winner := race(t, ledger.ErrConflict, func(n int) error {
		old, fresh := retried(old, plain(n))
		return stores[n%len(stores)].SwapInsert(t.Context(), old, failed, fresh, previewed)
	})
	equal(t, "the retry", get(t, stores[0], old.ID).RetryID, id(winner))
	equal(t, "ids", listed(t, stores[0], ledger.Query{RetryOf: old.ID}), ids(winner))
}

// retried are two records of which the second tries the first again.
func retried(old, fresh ledger.Record) (ledger.Record, ledger.Record) {
	old.Status, old.RetryID, fresh.RetryOf = ledger.ApplyFailed, fresh.ID, old.ID
	return old, fresh
}

// plain is a new change that is a request of its own and no retry.
func plain(n int) ledger.Record {
	r := pending(n)
	r.RetryOf = ""
	return r
}
