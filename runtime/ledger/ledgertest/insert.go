package ledgertest

import (
	"bytes"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var insertTests = []conformance{
	{"InsertStoresEveryField", insertStoresEveryField},
	{"InsertKeepsBytesAndText", insertKeepsBytesAndText},
	{"InsertTellsNilFromEmptyBytes", insertTellsNilFromEmptyBytes},
	{"InsertKeepsTimesToTheMillisecond", insertKeepsTimesToTheMillisecond},
	{"InsertStartsAtRevisionOne", insertStartsAtRevisionOne},
	{"InsertRefusesAnIDThatExists", insertRefusesAnIDThatExists},
	{"InsertSurvivesClosing", insertSurvivesClosing},
}

func insertStoresEveryField(t *testing.T, open Opener) {
	now := newClock()
	now.set(later)
	s := open(now.read)
	r := settled(pending(1))
	insert(t, s, r)
	equal(t, "the record and its events", look(t, s, r.ID), inserted(r, later))
}

func insertKeepsBytesAndText(t *testing.T, open Opener) {
	s := open(newClock().read)
	r := pending(1)
	r.Payload, r.State, r.Result = large, []byte("a\x00b"), []byte{0}
	r.Message, r.Error = "a\x00b", "'; DROP TABLE changes; -- \U0001F600 ?1 $1 \\"
	r.DoubtReason, r.RequestID = "\xff is no character \xed\xa0\x80", "\xc0" // as an error of a driver may be
	got := insert(t, s, r)
	if !bytes.Equal(got.Payload, large) {
		t.Errorf("%d bytes came back as %d others", len(large), len(got.Payload))
	}
	r.Revision, r.UpdatedAt = 1, noon
	r.Payload, got.Payload = nil, nil // a diff of that size would take seconds
	equal(t, "the record", got, r)
}

func insertTellsNilFromEmptyBytes(t *testing.T, open Opener) {
	s := open(newClock().read)
	r := pending(1)
	r.State, r.Before, r.After, r.Result = nil, []byte{}, nil, []byte{}
	got := insert(t, s, r)
	r.Revision, r.UpdatedAt = 1, noon
	equal(t, "the record", got, r)
}

func insertKeepsTimesToTheMillisecond(t *testing.T, open Opener) {
	s := open(newClock().read)
	r := pending(1)
	r.CreatedAt = time.Date(2026, time.March, 29, 5, 30, 0, 123_999_999, time.FixedZone("", -7*60*60))
	r.ExpiresAt = time.Unix(0, 0)
	r.AppliedAt = time.Date(1969, time.December, 31, 23, 59, 59, 999_000_000, time.UTC)
	r.UndoExpiresAt = time.Time{}
	r.Decision = ledger.Decision{Verdict: ledger.Approved, At: time.Date(2026, time.March, 29, 12, 0, 0, 1_999_999, time.FixedZone("", 60*60))}
	r.UndoRequest = ledger.Request{At: r.Decision.At}
	r.Finding = ledger.Finding{At: r.Decision.At}
	got := insert(t, s, r)
	r.Revision, r.UpdatedAt = 1, noon
	r.CreatedAt = time.Date(2026, time.March, 29, 12, 30, 0, 123_000_000, time.UTC)
	r.ExpiresAt = time.Date(1970, time.January, 1, 0, 0, 0, 0, time.UTC)
	r.Decision.At = time.Date(2026, time.March, 29, 11, 0, 0, 1_000_000, time.UTC)
	r.UndoRequest.At, r.Finding.At = r.Decision.At, r.Decision.At
	equal(t, "the record", got, r)
	for _, at := range []time.Time{got.CreatedAt, got.Decision.At, got.UndoRequest.At, got.Finding.At} {
		if at.Location() != time.UTC {
			t.Errorf("a time came back in %v, want UTC", at.Location())
		}
	}
}

func insertStartsAtRevisionOne(t *testing.T, open Opener) {
	s := open(newClock().read)
	r := pending(1)
	r.Revision = 7
	if got := insert(t, s, r).Revision; got != 1 {
		t.Errorf("revision %d, want 1", got)
	}
}

func insertRefusesAnIDThatExists(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	insert(t, s, pending(1))
	before := look(t, s, id(1))
	now.set(noon.Add(time.Minute))
	other := pending(1)
	other.Payload = []byte(`{"key":"language"}`)
	failsWith(t, "insert again", s.Insert(t.Context(), other, previewed), ledger.ErrExists)
	equal(t, "the record and its events", look(t, s, id(1)), before)
	at, err := s.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the newest time", at.Newest, noon)
}

func insertSurvivesClosing(t *testing.T, open Opener) {
	now := newClock()
	first := open(now.read)
	insert(t, first, pending(1))
	before := look(t, first, id(1))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, "the record and its events", look(t, open(now.read), id(1)), before)
}
