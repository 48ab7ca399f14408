package ledgertest

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var queryTests = []conformance{
	{"QueriesSelectByEveryField", queriesSelectByEveryField},
	{"QueriesOfRejectedChangesSelectByEveryField", queriesOfRejectedChangesSelectByEveryField},
	{"QueriesSelectByTheClock", queriesSelectByTheClock},
	{"UndoIsOverWhereNoTokenCanBeUsed", undoIsOverWhereNoTokenCanBeUsed},
	{"UndoRequestsAreThoseOfAppliedChanges", undoRequestsAreThoseOfAppliedChanges},
	{"JoinedClaimsAreSelectedApart", joinedClaimsAreSelectedApart},
	{"TheNewestComeFirstInPages", theNewestComeFirstInPages},
	{"OnlyTheRecordsThatAreNamedAreSelected", onlyTheseAreSelected},
	{"CountTakesNoNoticeOfPages", countTakesNoNoticeOfPages},
}

// selects makes sure that List and Count find the same of q: records of these numbers.
func selects(t *testing.T, s ledger.Store, what string, q ledger.Query, want ...int) {
	t.Helper()
	equal(t, what, listed(t, s, q), ids(want...))
	equal(t, what+", counted", count(t, s, q), len(want))
}

func queriesSelectByTheClock(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	for n := 1; n <= 3; n++ {
		now.set(noon.Add(time.Duration(n) * time.Minute))
		r := plain(n)
		r.ExpiresAt = now.read().Add(time.Hour)
		r.ClaimedAt = now.read().Add(time.Second)
		insert(t, s, r)
	}
	insert(t, s, plain(4)) // never claimed, and expires a quarter past noon
	now.set(noon.Add(3 * time.Minute))
	selects(t, s, "updated before", ledger.Query{UpdatedBefore: noon.Add(2 * time.Minute)}, 1)
	selects(t, s, "updated within a minute", ledger.Query{UpdatedWithin: time.Minute}, 3, 4)
	selects(t, s, "updated within more", ledger.Query{UpdatedWithin: time.Minute + time.Millisecond}, 2, 3, 4)
	now.set(noon.Add(3*time.Minute + time.Second))
	selects(t, s, "claimed within a minute", ledger.Query{ClaimedWithin: time.Minute}, 3)
	selects(t, s, "claimed within more", ledger.Query{ClaimedWithin: time.Minute + time.Millisecond}, 2, 3)
	now.set(noon.Add(62 * time.Minute))
	selects(t, s, "unexpired at an expiry", ledger.Query{Unexpired: true}, 3)
	now.set(noon.Add(62*time.Minute - time.Millisecond))
	selects(t, s, "unexpired before it", ledger.Query{Unexpired: true}, 2, 3)
}

func undoIsOverWhereNoTokenCanBeUsed(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	for n, m := range []ledger.Mutable{
		{Status: ledger.Pending},
		{Status: ledger.Rejected},
		{Status: ledger.Expired},
		{Status: ledger.Applying},
		{Status: ledger.Applied},
		{Status: ledger.Applied, UndoToken: []byte{1}},
		{Status: ledger.Applied, UndoToken: []byte{1}, UndoExpiresAt: noon.Add(time.Hour)},
		{Status: ledger.ApplyFailed},
		{Status: ledger.Undoing, UndoToken: []byte{1}, UndoExpiresAt: noon},
		{Status: ledger.Undone, UndoToken: []byte{1}},
		{Status: ledger.UndoFailed, UndoToken: []byte{1}, UndoExpiresAt: noon.Add(time.Hour)},
	} {
		r := plain(n + 1)
		r.Mutable = m
		insert(t, s, r)
	}
	now.set(noon.Add(time.Hour - time.Millisecond))
	selects(t, s, "before the end of a token", ledger.Query{UndoOver: true}, 2, 3, 5, 8, 10, 11)
	now.set(noon.Add(time.Hour))
	selects(t, s, "at its end", ledger.Query{UndoOver: true}, 2, 3, 5, 7, 8, 10, 11)
}

func undoRequestsAreThoseOfAppliedChanges(t *testing.T, open Opener) {
	s := open(newClock().read)
	for n, status := range []ledger.Status{ledger.Applied, ledger.Applied, ledger.Undone, ledger.Applied} {
		r := plain(n + 1)
		r.Status = status
		if n > 0 {
			r.UndoRequest = ledger.Request{At: noon, By: "root", Channel: "changesetctl"}
		}
		if n == 3 {
			r.Server = "other"
		}
		insert(t, s, r)
	}
	selects(t, s, "of all servers", ledger.Query{UndoRequested: true}, 2, 4)
	selects(t, s, "of one server", ledger.Query{UndoRequested: true, Server: "settings"}, 2)
}

func joinedClaimsAreSelectedApart(t *testing.T, open Opener) {
	s := open(newClock().read)
	for n, m := range []ledger.Mutable{
		{Status: ledger.Applying, Joined: true},
		{Status: ledger.Applying},
		{Status: ledger.Undoing, Joined: true},
		{Status: ledger.Applied, Joined: true},
		{Status: ledger.Applying, Joined: true},
	} {
		r := plain(n + 1)
		r.Mutable = m
		if n == 4 {
			r.Server = "other"
		}
		insert(t, s, r)
	}
	unsettled := []ledger.Status{ledger.Applying, ledger.Undoing}
	selects(t, s, "of every status", ledger.Query{Joined: true}, 1, 3, 4, 5)
	selects(t, s, "open ones of one server", ledger.Query{Joined: true, Server: "settings", Statuses: unsettled}, 1, 3)
	selects(t, s, "open ones, joined or not", ledger.Query{Server: "settings", Statuses: unsettled}, 1, 2, 3)
}

func onlyTheseAreSelected(t *testing.T, open Opener) {
	s := open(newClock().read)
	for n := range 5 {
		insert(t, s, rejected(n+1))
	}
	these := ledger.Query{IDs: []string{id(4), id(2), "none"}}
	selects(t, s, "these", these, 2, 4)
	these.Newest = true
	selects(t, s, "the newest of these", these, 4, 2)
	equal(t, "count", count(t, s, these), 2)
	equal(t, "pruned", prune(t, s, these, 10), 2)
	none := ledger.Query{IDs: []string{}}
	selects(t, s, "of none", none)
	equal(t, "count of none", count(t, s, none), 0)
	equal(t, "pruned of none", prune(t, s, none, 10), 0)
	selects(t, s, "left", ledger.Query{}, 1, 3, 5)
}

func theNewestComeFirstInPages(t *testing.T, open Opener) {
	s := open(newClock().read)
	for n := range 5 {
		insert(t, s, plain(n+1))
	}
	for _, statuses := range [][]ledger.Status{nil, {ledger.Pending}} {
		q := ledger.Query{Newest: true, Limit: 2, Statuses: statuses}
		for _, want := range [][]string{ids(5, 4), ids(3, 2), ids(1), nil} {
			page := listed(t, s, q)
			equal(t, "page", page, want)
			if len(page) > 0 {
				q.After = page[len(page)-1]
			}
		}
	}
}

func countTakesNoNoticeOfPages(t *testing.T, open Opener) {
	s := open(newClock().read)
	for n := range 5 {
		insert(t, s, plain(n+1))
	}
	for _, q := range []ledger.Query{{}, {Limit: 2}, {After: id(3)}, {Newest: true, After: id(2), Limit: 1}} {
		equal(t, "the count", count(t, s, q), 5)
	}
	selects(t, s, "a server without records", ledger.Query{Server: "none"})
}
