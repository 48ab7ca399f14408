package ledgertest

import (
	"errors"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var capTests = []conformance{
	{"ACapLetsNoMoreThanItsNumberIn", aCapLetsNoMoreThanItsNumberIn},
	{"ACapCountsWhatItsQuerySelects", aCapCountsWhatItsQuerySelects},
	{"CapsCountByEveryField", capsCountByEveryField},
	{"ACapDoesNotCountTheRecordThatIsWritten", aCapDoesNotCountTheRecordThatIsWritten},
	{"ACapWithoutRoomWritesNothing", aCapWithoutRoomWritesNothing},
	{"ACapTellsWhichOneHadNoRoom", aCapTellsWhichOneHadNoRoom},
	{"ACapIsCountedByTheClockOfTheTransaction", aCapIsCountedByTheClockOfTheTransaction},
	{"AnotherFaultComesBeforeACap", anotherFaultComesBeforeACap},
	{"RacedInsertsKeepToACap", racedInsertsKeepToACap},
	{"RacedSwapsKeepToACap", racedSwapsKeepToACap},
}

// waiting are the unexpired previews of one caller.
var waiting = ledger.Query{Statuses: []ledger.Status{ledger.Pending}, By: &ledger.Party{Scope: "scope hash", Caller: "caller hash"}, Unexpired: true}

// lately are the claims of an operation in the last hour.
var lately = ledger.Query{Server: "settings", Operations: []string{"set_setting"}, ClaimedWithin: time.Hour}

func aCapLetsNoMoreThanItsNumberIn(t *testing.T, open Opener) {
	s := open(newClock().read)
	for n := range 3 {
		if err := s.Insert(t.Context(), plain(n), previewed, ledger.Cap{Of: waiting, Max: 3}); err != nil {
			t.Fatalf("insert %d: %v", n, err)
		}
	}
	failsWith(t, "one too many", s.Insert(t.Context(), plain(3), previewed, ledger.Cap{Of: waiting, Max: 3}), ledger.ErrCap)
	failsWith(t, "with a cap of none", s.Insert(t.Context(), plain(3), previewed, ledger.Cap{Of: ledger.Query{Server: "other"}}), ledger.ErrCap)
	if err := s.Insert(t.Context(), plain(3), previewed); err != nil {
		t.Errorf("without a cap: %v", err)
	}
}

func aCapCountsWhatItsQuerySelects(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	other := plain(1)
	other.Caller = "other"
	insert(t, s, other)
	expired := plain(2)
	expired.ExpiresAt = noon
	insert(t, s, expired)
	swap(t, s, claim(insert(t, s, plain(3)), "claim", "h"), claimed)
	if err := s.Insert(t.Context(), plain(4), previewed, ledger.Cap{Of: waiting, Max: 1}); err != nil {
		t.Errorf("nobody waits: %v", err)
	}
	failsWith(t, "with one that waits", s.Insert(t.Context(), plain(5), previewed, ledger.Cap{Of: waiting, Max: 1}), ledger.ErrCap)
}

func aCapDoesNotCountTheRecordThatIsWritten(t *testing.T, open Opener) {
	s := open(newClock().read)
	r := insert(t, s, plain(1))
	once := ledger.Cap{Of: lately, Max: 1}
	if err := s.Swap(t.Context(), claimedAt(r, noon), time.Time{}, claimed, once); err != nil {
		t.Errorf("claim: %v", err)
	}
	r = get(t, s, r.ID)
	if err := s.Swap(t.Context(), r, time.Time{}, failed, once); err != nil {
		t.Errorf("settle: %v", err)
	}
	failsWith(t, "a second claim", s.Swap(t.Context(), claimedAt(insert(t, s, plain(2)), noon), time.Time{}, claimed, once), ledger.ErrCap)
}

func aCapWithoutRoomWritesNothing(t *testing.T, open Opener) {
	s := open(newClock().read)
	r := insert(t, s, plain(1))
	before := look(t, s, r.ID)
	none := ledger.Cap{Of: ledger.Query{Server: "other"}}
	failsWith(t, "swap", s.Swap(t.Context(), claim(r, "claim", "h"), time.Time{}, claimed, none), ledger.ErrCap)
	equal(t, "the record and its events", look(t, s, r.ID), before)
	failsWith(t, "insert", s.Insert(t.Context(), plain(2), previewed, none), ledger.ErrCap)
	absent(t, s, id(2))
	equal(t, "events of the one that was refused", len(events(t, s, id(2))), 0)
}

func aCapTellsWhichOneHadNoRoom(t *testing.T, open Opener) {
	s := open(newClock().read)
	insert(t, s, plain(1))
	full := ledger.Cap{Of: ledger.Query{Statuses: []ledger.Status{ledger.Pending}}, Max: 1}
	err := s.Insert(t.Context(), plain(2), previewed, ledger.Cap{Of: waiting, Max: 2}, full)
	var which *ledger.CapError
	if !errors.As(err, &which) {
		t.Fatalf("%v is no CapError", err)
	}
	equal(t, "the cap", which.Cap, full)
}

func aCapIsCountedByTheClockOfTheTransaction(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	for n := range 2 {
		swap(t, s, claimedAt(insert(t, s, plain(n)), noon), claimed)
	}
	once := ledger.Cap{Of: lately, Max: 1}
	r := insert(t, s, plain(2))
	now.set(noon.Add(time.Hour - time.Millisecond))
	failsWith(t, "a claim within the hour", s.Swap(t.Context(), claimedAt(r, now.read()), time.Time{}, claimed, once), ledger.ErrCap)
	now.set(noon.Add(time.Hour))
	if err := s.Swap(t.Context(), claimedAt(r, now.read()), time.Time{}, claimed, once); err != nil {
		t.Errorf("a claim an hour later: %v", err)
	}
}

func anotherFaultComesBeforeACap(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	none := ledger.Cap{Of: ledger.Query{Server: "other"}}
	r := insert(t, s, plain(1))
	failsWith(t, "insert of an id", s.Insert(t.Context(), r, previewed, none), ledger.ErrExists)
	again := plain(2)
	again.RequestID = r.RequestID
	failsWith(t, "insert of a request", s.Insert(t.Context(), again, previewed, none), ledger.ErrRequested)
	failsWith(t, "a late swap", s.Swap(t.Context(), r, noon, claimed, none), ledger.ErrExpired)
	r.Revision++
	failsWith(t, "swap of another revision", s.Swap(t.Context(), r, time.Time{}, claimed, none), ledger.ErrConflict)
}

func racedInsertsKeepToACap(t *testing.T, open Opener) {
	stores := []ledger.Store{open(newClock().read), open(newClock().read)}
	race(t, ledger.ErrCap, func(n int) error {
		return stores[n%len(stores)].Insert(t.Context(), plain(n), previewed, ledger.Cap{Of: waiting, Max: 1})
	})
	equal(t, "number of records", count(t, stores[0], ledger.Query{}), 1)
}

func racedSwapsKeepToACap(t *testing.T, open Opener) {
	stores := []ledger.Store{open(newClock().read), open(newClock().read)}
	var records []ledger.Record
	for n := range racers {
		records = append(records, insert(t, stores[0], plain(n)))
	}
	race(t, ledger.ErrCap, func(n int) error {
		return stores[n%len(stores)].Swap(t.Context(), claimedAt(records[n], noon), time.Time{}, claimed, ledger.Cap{Of: lately, Max: 1})
	})
	equal(t, "number of claims", count(t, stores[0], lately), 1)
}

// claimedAt is r as a claim at that time leaves it.
func claimedAt(r ledger.Record, at time.Time) ledger.Record {
	r = claim(r, "claim of "+r.ID, "h")
	r.ClaimedAt = at
	return r
}

func count(t *testing.T, s ledger.Store, q ledger.Query) int {
	t.Helper()
	n, err := s.Count(t.Context(), q)
	if err != nil {
		t.Fatalf("count: %v", err)
	}
	return n
}
