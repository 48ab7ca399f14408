package ledgertest

import (
	"context"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var pruneTests = []conformance{
	{"PruneDeletesTheOldestThatMatch", pruneDeletesTheOldestThatMatch},
	{"PruneSelectsByEveryField", pruneSelectsByEveryField},
	{"PruneDeletesEventsToo", pruneDeletesEventsToo},
	{"PruneLeavesWhatIsNotSettled", pruneLeavesWhatIsNotSettled},
	{"PruneLeavesAppliedChangesUnlessAsked", pruneLeavesAppliedChangesUnlessAsked},
	{"PruneLeavesWhatCanBeUndone", pruneLeavesWhatCanBeUndone},
	{"PruneLeavesTheClock", pruneLeavesTheClock},
	{"PruneFreesRequestsAndIDs", pruneFreesRequestsAndIDs},
	{"PruneOfNothingDoesNothing", pruneOfNothingDoesNothing},
	{"PruneGoesThroughManyTransactions", pruneGoesThroughManyTransactions},
	{"PruneAndWritesAtOnceLoseNothing", pruneAndWritesAtOnceLoseNothing},
}

// rejected is a change that nobody needs any more.
func rejected(n int) ledger.Record {
	r := plain(n)
	r.Status = ledger.Rejected
	return r
}

func pruneDeletesTheOldestThatMatch(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	for n := 6; n > 0; n-- {
		r := rejected(n)
		if n == 2 {
			r.Server = "other"
		}
		if n == 6 {
			now.set(noon.Add(time.Minute))
		}
		insert(t, s, r)
		now.set(noon)
	}
	q := ledger.Query{Server: "settings", UpdatedBefore: noon.Add(time.Second)}
	equal(t, "the first two", prune(t, s, q, 2), 2)
	selects(t, s, "left", ledger.Query{}, 2, 4, 5, 6)
	q.Newest, q.Limit = true, 1
	equal(t, "whatever the order", prune(t, s, q, 1), 1)
	selects(t, s, "left", ledger.Query{}, 2, 5, 6)
	q.After = id(5)
	equal(t, "after a page", prune(t, s, q, 100), 0)
	q.After = ""
	equal(t, "the rest", prune(t, s, q, 100), 1)
	selects(t, s, "left", ledger.Query{}, 2, 6)
}

func pruneDeletesEventsToo(t *testing.T, open Opener) {
	s := open(newClock().read)
	r := insert(t, s, plain(1))
	r.Status = ledger.Rejected
	swap(t, s, r, ledger.Event{Actor: "operator", From: ledger.Pending, To: ledger.Rejected})
	kept := insert(t, s, plain(2))
	equal(t, "pruned", prune(t, s, ledger.Query{}, 10), 1)
	absent(t, s, r.ID)
	equal(t, "its events", len(events(t, s, r.ID)), 0)
	equal(t, "events of the other one", len(events(t, s, kept.ID)), 1)
}

func pruneLeavesWhatIsNotSettled(t *testing.T, open Opener) {
	s := open(newClock().read)
	all := []ledger.Status{
		ledger.Pending, ledger.Applying, ledger.Undoing,
		ledger.Rejected, ledger.Expired, ledger.ApplyFailed, ledger.Undone, ledger.UndoFailed,
	}
	for n, status := range all {
		r := plain(n + 1)
		r.Status = status
		insert(t, s, r)
	}
	for _, q := range []ledger.Query{{Statuses: all[:3]}, {Statuses: all[:1]}, {Statuses: all[1:3]}, {UndoRequested: true}} {
		equal(t, "of what is not settled", prune(t, s, q, 10), 0)
	}
	equal(t, "of everything", prune(t, s, ledger.Query{Statuses: all}, 10), 5)
	selects(t, s, "left", ledger.Query{}, 1, 2, 3)
}

func pruneLeavesAppliedChangesUnlessAsked(t *testing.T, open Opener) {
	s := open(newClock().read)
	r := plain(1)
	r.Status = ledger.Applied
	insert(t, s, r)
	insert(t, s, rejected(2))
	equal(t, "of everything", prune(t, s, ledger.Query{UndoOver: true}, 10), 1)
	selects(t, s, "left", ledger.Query{}, 1)
	equal(t, "of applied ones", prune(t, s, ledger.Query{Statuses: []ledger.Status{ledger.Applied}}, 10), 1)
	selects(t, s, "left", ledger.Query{})
}

func pruneLeavesWhatCanBeUndone(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	for n, end := range []time.Time{noon.Add(time.Hour), {}} {
		r := plain(n + 1)
		r.Status, r.UndoToken, r.UndoExpiresAt = ledger.Applied, []byte{1}, end
		insert(t, s, r)
	}
	q := ledger.Query{Statuses: []ledger.Status{ledger.Applied}}
	now.set(noon.Add(time.Hour - time.Millisecond))
	equal(t, "before the end of the token", prune(t, s, q, 10), 0)
	now.set(noon.Add(time.Hour))
	equal(t, "at its end", prune(t, s, q, 10), 1)
	selects(t, s, "left", ledger.Query{}, 2)
}

func pruneLeavesTheClock(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	insert(t, s, rejected(1))
	now.set(noon.Add(-time.Hour))
	insert(t, s, rejected(2))
	equal(t, "pruned", prune(t, s, ledger.Query{}, 10), 2)
	at, err := open(now.read).Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the clock", at, ledger.Clock{Now: noon.Add(-time.Hour), Newest: noon})
}

func pruneFreesRequestsAndIDs(t *testing.T, open Opener) {
	s := open(newClock().read)
	for range 3 {
		r := rejected(1)
		r.RetryOf = id(0)
		insert(t, s, r)
		equal(t, "events", len(events(t, s, r.ID)), 1)
		equal(t, "pruned", prune(t, s, ledger.Query{}, 10), 1)
	}
}

func pruneOfNothingDoesNothing(t *testing.T, open Opener) {
	s := open(newClock().read)
	equal(t, "in an empty ledger", prune(t, s, ledger.Query{}, 10), 0)
	insert(t, s, rejected(1))
	equal(t, "none", prune(t, s, ledger.Query{}, 0), 0)
	equal(t, "fewer than none", prune(t, s, ledger.Query{}, -1), 0)
	_, err := s.Prune(cancelled(t), ledger.Query{}, 10)
	failsWith(t, "of a caller that left", err, context.Canceled)
	selects(t, s, "left", ledger.Query{}, 1)
}

func pruneGoesThroughManyTransactions(t *testing.T, open Opener) {
	const changes, kept = 2100, 7
	s, other := open(newClock().read), open(newClock().read)
	for n := range changes {
		r := rejected(n)
		if n%(changes/kept) == 0 {
			r.Status = ledger.Pending
		}
		if err := s.Insert(t.Context(), r, previewed); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "pruned", prune(t, s, ledger.Query{}, changes), changes-kept)
	equal(t, "left", count(t, other, ledger.Query{}), kept)
	swap(t, other, claim(get(t, other, id(0)), "claim", "h"), claimed)
	equal(t, "left", count(t, open(newClock().read), ledger.Query{}), kept)
}

// pruneAndWritesAtOnceLoseNothing has one store prune what another one writes, until all is pruned.
func pruneAndWritesAtOnceLoseNothing(t *testing.T, open Opener) {
	const changes = 60
	writer, pruner := open(newClock().read), open(newClock().read)
	written := make(chan error, 1)
	go func() {
		for n := range changes {
			r := plain(n)
			if err := writer.Insert(t.Context(), r, previewed); err != nil {
				written <- err
				return
			}
			r.Revision, r.Status = 1, ledger.Rejected
			if err := writer.Swap(t.Context(), r, time.Time{}, claimed); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	pruned := 0
	for done := false; !done; {
		select {
		case err := <-written:
			if err != nil {
				t.Fatal(err)
			}
			done = true
		default:
		}
		pruned += prune(t, pruner, ledger.Query{}, changes)
	}
	equal(t, "number of pruned changes", pruned, changes)
	selects(t, open(newClock().read), "left", ledger.Query{})
}

func prune(t *testing.T, s ledger.Store, q ledger.Query, limit int) int {
	t.Helper()
	n, err := s.Prune(t.Context(), q, limit)
	if err != nil {
		t.Fatalf("prune: %v", err)
	}
	return n
}
