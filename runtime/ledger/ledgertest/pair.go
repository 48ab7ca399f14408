package ledgertest

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var pairTests = []conformance{
	{"SwapInsertWritesBoth", swapInsertWritesBoth},
	{"SwapInsertWritesEveryMutableField", swapInsertWritesEveryMutableField},
	{"SwapInsertClearsMutableFields", swapInsertClearsMutableFields},
	{"SwapInsertLeavesFixedFields", swapInsertLeavesFixedFields},
	{"SwapInsertWritesNeitherAfterAConflict", swapInsertWritesNeitherAfterAConflict},
	{"SwapInsertWritesNeitherWhereTheFreshOneExists", swapInsertWritesNeitherWhereTheFreshOneExists},
	{"SwapInsertWritesNeitherWhereTheFreshOneIsRequested", swapInsertWritesNeitherWhereTheFreshOneIsRequested},
	{"SwapInsertWritesNeitherWithoutRoomForTheFreshOne", swapInsertWritesNeitherWithoutRoomForTheFreshOne},
}

func swapInsertWritesBoth(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	old, fresh := retried(settled(insert(t, s, pending(1))), settled(pending(2)))
	now.set(later)
	if err := s.SwapInsert(t.Context(), old, failed, fresh, previewed); err != nil {
		t.Fatal(err)
	}
	equal(t, "the old record and its events", look(t, s, old.ID), moved(old, failed))
	equal(t, "the fresh record and its events", look(t, s, fresh.ID), inserted(fresh, later))
}

func swapInsertWritesEveryMutableField(t *testing.T, open Opener) {
	bySwapInsert(t, open, writesEveryMutableField)
}

func swapInsertClearsMutableFields(t *testing.T, open Opener) {
	bySwapInsert(t, open, clearsMutableFields)
}

func swapInsertLeavesFixedFields(t *testing.T, open Opener) {
	bySwapInsert(t, open, leavesFixedFields)
}

func bySwapInsert(t *testing.T, open Opener, test moveTest) {
	now := newClock()
	s := open(now.read)
	test(t, s, now, func(r ledger.Record, e ledger.Event) error {
		return s.SwapInsert(t.Context(), r, e, plain(9), previewed)
	})
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
