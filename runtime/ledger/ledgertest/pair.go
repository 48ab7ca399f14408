package ledgertest

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var pairTests = []conformance{
	{"SwapInsertWritesBoth", swapInsertWritesBoth},
	{"SwapInsertWritesNeitherAfterAConflict", swapInsertWritesNeitherAfterAConflict},
	{"SwapInsertWritesNeitherWhereTheFreshOneExists", swapInsertWritesNeitherWhereTheFreshOneExists},
	{"SwapInsertWritesNeitherWhereTheFreshOneIsRequested", swapInsertWritesNeitherWhereTheFreshOneIsRequested},
	{"SwapInsertWritesNeitherWithoutRoomForTheFreshOne", swapInsertWritesNeitherWithoutRoomForTheFreshOne},
}

func swapInsertWritesBoth(t *testing.T, open Opener) {
	s := open(newClock().read)
	old, fresh := retried(insert(t, s, plain(1)), plain(2))
	if err := s.SwapInsert(t.Context(), old, failed, fresh, previewed); err != nil {
		t.Fatal(err)
	}
	old.Revision, old.UpdatedAt = 2, noon
	fresh.Revision, fresh.UpdatedAt = 1, noon
	equal(t, "the old record", get(t, s, old.ID), old)
	equal(t, "the fresh record", get(t, s, fresh.ID), fresh)
	equal(t, "number of events of the old one", len(events(t, s, old.ID)), 2)
	equal(t, "events of the fresh one", events(t, s, fresh.ID), []ledger.Event{{Seq: 1, At: noon, Actor: "agent", To: ledger.Pending}})
}

func swapInsertWritesNeitherAfterAConflict(t *testing.T, open Opener) {
	s := open(newClock().read)
	old, fresh := retried(insert(t, s, plain(1)), plain(2))
	swap(t, s, old, failed)
	before := look(t, s, old.ID)
	failsWith(t, "swap and insert", s.SwapInsert(t.Context(), old, failed, fresh, previewed), ledger.ErrConflict)
	equal(t, "the old record", look(t, s, old.ID), before)
	absent(t, s, fresh.ID)
}

func swapInsertWritesNeitherWhereTheFreshOneExists(t *testing.T, open Opener) {
	s := open(newClock().read)
	old, fresh := retried(insert(t, s, plain(1)), plain(2))
	insert(t, s, plain(2))
	before := []snapshot{look(t, s, old.ID), look(t, s, fresh.ID)}
	failsWith(t, "swap and insert", s.SwapInsert(t.Context(), old, failed, fresh, previewed), ledger.ErrExists)
	equal(t, "the records", []snapshot{look(t, s, old.ID), look(t, s, fresh.ID)}, before)
}

func swapInsertWritesNeitherWhereTheFreshOneIsRequested(t *testing.T, open Opener) {
	s := open(newClock().read)
	old, fresh := retried(insert(t, s, plain(1)), plain(2))
	other := plain(3)
	other.RetryOf = old.ID
	insert(t, s, other)
	before := look(t, s, old.ID)
	failsWith(t, "swap and insert", s.SwapInsert(t.Context(), old, failed, fresh, previewed), ledger.ErrRequested)
	equal(t, "the old record", look(t, s, old.ID), before)
	absent(t, s, fresh.ID)
}

func swapInsertWritesNeitherWithoutRoomForTheFreshOne(t *testing.T, open Opener) {
	s := open(newClock().read)
	old, fresh := retried(insert(t, s, plain(1)), plain(2))
	insert(t, s, plain(3))
	before := look(t, s, old.ID)
	full, room := ledger.Cap{Of: waiting, Max: 1}, ledger.Cap{Of: waiting, Max: 2}
	failsWith(t, "swap and insert", s.SwapInsert(t.Context(), old, failed, fresh, previewed, room, full), ledger.ErrCap)
	equal(t, "the old record", look(t, s, old.ID), before)
	absent(t, s, fresh.ID)
	if err := s.SwapInsert(t.Context(), old, failed, fresh, previewed, room); err != nil {
		t.Errorf("the old one waits no longer: %v", err)
	}
}
