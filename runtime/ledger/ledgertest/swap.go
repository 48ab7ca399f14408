package ledgertest

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var swapTests = []conformance{
	{"SwapWritesEveryMutableField", swapWritesEveryMutableField},
	{"SwapClearsMutableFields", swapClearsMutableFields},
	{"SwapLeavesFixedFields", swapLeavesFixedFields},
	{"SwapRefusesAnotherRevision", swapRefusesAnotherRevision},
	{"SwapRefusesARecordThatIsNotThere", swapRefusesARecordThatIsNotThere},
	{"SwapExpiresAtTheVeryInstant", swapExpiresAtTheVeryInstant},
	{"SwapWithoutALimitNeverExpires", swapWithoutALimitNeverExpires},
	{"SwapPrefersConflictToExpiry", swapPrefersConflictToExpiry},
}

func swapWritesEveryMutableField(t *testing.T, open Opener) { bySwap(t, open, writesEveryMutableField) }
func swapClearsMutableFields(t *testing.T, open Opener)     { bySwap(t, open, clearsMutableFields) }
func swapLeavesFixedFields(t *testing.T, open Opener)       { bySwap(t, open, leavesFixedFields) }

func bySwap(t *testing.T, open Opener, test moveTest) {
	now := newClock()
	s := open(now.read)
	test(t, s, now, func(r ledger.Record, e ledger.Event) error { return s.Swap(t.Context(), r, time.Time{}, e) })
}

func swapRefusesAnotherRevision(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	old := insert(t, s, pending(1))
	swap(t, s, claim(old, "first", "h"), claimed)
	before := look(t, s, id(1))
	now.set(noon.Add(time.Minute))
	for _, revision := range []int64{0, old.Revision, before.Record.Revision + 1} {
		r := claim(old, "second", "h")
		r.Revision = revision
		failsWith(t, "swap", s.Swap(t.Context(), r, time.Time{}, claimed), ledger.ErrConflict)
	}
	equal(t, "the record and its events", look(t, s, id(1)), before)
}

func swapRefusesARecordThatIsNotThere(t *testing.T, open Opener) {
	s := open(newClock().read)
	r := pending(1)
	r.Revision = 1
	failsWith(t, "swap", s.Swap(t.Context(), r, time.Time{}, claimed), ledger.ErrConflict)
	absent(t, s, id(1))
}

func swapExpiresAtTheVeryInstant(t *testing.T, open Opener) {
	limit := noon.Add(15 * time.Minute)
	for _, c := range []struct {
		name    string
		at      time.Time
		expired bool
	}{
		{"a millisecond before", limit.Add(-time.Millisecond), false},
		{"at the instant", limit, true},
		{"a millisecond after", limit.Add(time.Millisecond), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := newClock()
			s := open(now.read)
			r := pending(len(c.name)) // cases share the ledger
			r = insert(t, s, r)
			before := look(t, s, r.ID)
			now.set(c.at)
			err := s.Swap(t.Context(), claim(r, "claim", "h"), limit, claimed)
			if !c.expired {
				if err != nil {
					t.Fatalf("swap: %v", err)
				}
				return
			}
			failsWith(t, "swap", err, ledger.ErrExpired)
			equal(t, "the record and its events", look(t, s, r.ID), before)
		})
	}
}

func swapWithoutALimitNeverExpires(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	r := insert(t, s, pending(1))
	now.set(noon.AddDate(100, 0, 0))
	if got := swap(t, s, claim(r, "claim", "h"), claimed).ClaimID; got != "claim" {
		t.Errorf("claim %q, want the one that was written", got)
	}
}

func swapPrefersConflictToExpiry(t *testing.T, open Opener) {
	s := open(newClock().read)
	old := insert(t, s, pending(1))
	swap(t, s, claim(old, "first", "h"), claimed)
	failsWith(t, "swap", s.Swap(t.Context(), claim(old, "second", "h"), noon, claimed), ledger.ErrConflict)
}
