package ledgertest

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// later is when a change is moved that was made at noon.
var later = noon.Add(time.Minute)

// mover is an operation that brings a change to r, with e.
type mover func(r ledger.Record, e ledger.Event) error

// moveTest is a test of what a mover does to the fields of a change.
type moveTest = func(t *testing.T, s ledger.Store, now *clock, by mover)

// writesEveryMutableField moves a change to where each of its mutable fields has another value.
func writesEveryMutableField(t *testing.T, s ledger.Store, now *clock, by mover) {
	t.Helper()
	r := settled(insert(t, s, pending(1)))
	now.set(later)
	moves(t, by, r, failed)
	equal(t, "the record and its events", look(t, s, r.ID), moved(r, failed))
}

// clearsMutableFields moves a change of which each mutable field has a value to where only its status has one.
func clearsMutableFields(t *testing.T, s ledger.Store, now *clock, by mover) {
	t.Helper()
	r := insert(t, s, settled(pending(1)))
	r.Mutable = ledger.Mutable{Status: ledger.Applied}
	now.set(later)
	moves(t, by, r, ledger.Event{})
	equal(t, "the record and its events", look(t, s, r.ID), moved(r, ledger.Event{}))
}

// leavesFixedFields moves a change with a record of which each fixed field but its id has another value, or none.
func leavesFixedFields(t *testing.T, s ledger.Store, now *clock, by mover) {
	t.Helper()
	r := claim(insert(t, s, pending(1)), "claim", "h")
	want := moved(r, claimed)
	r.Fixed = ledger.Fixed{ID: r.ID, Payload: []byte(`{"key":"language"}`), TTL: time.Hour}
	now.set(later)
	moves(t, by, r, claimed)
	equal(t, "the record and its events", look(t, s, r.ID), want)
}

func moves(t *testing.T, by mover, r ledger.Record, e ledger.Event) {
	t.Helper()
	if err := by(r, e); err != nil {
		t.Fatal(err)
	}
}

// inserted is what there is of r, made at that time.
func inserted(r ledger.Record, at time.Time) snapshot {
	r.Revision, r.UpdatedAt = 1, at
	return snapshot{Record: r, Events: []ledger.Event{stamped(previewed, 1, at)}}
}

// moved is what there is of a new change that was moved to r, with e.
func moved(r ledger.Record, e ledger.Event) snapshot {
	r.Revision, r.UpdatedAt = 2, later
	return snapshot{Record: r, Events: []ledger.Event{stamped(previewed, 1, noon), stamped(e, 2, later)}}
}
