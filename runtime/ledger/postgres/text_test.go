package postgres_test

import (
	"context"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// FuzzEveryTextIsReadBackAsItWasWritten keeps what PostgreSQL cannot hold as something that it can.
func FuzzEveryTextIsReadBackAsItWasWritten(f *testing.F) {
	for _, text := range []string{"", "plain", "a\x00b", "\xff", "\uFDD0", "\uFDD0\"x\"", "\uFFFD", "\u202e\U0001F600"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		stored := postgres.Stored(text)
		if !utf8.ValidString(stored) {
			t.Fatalf("%q is stored as %q", text, stored)
		}
		got, err := postgres.Restored(stored)
		if err != nil || got != text {
			t.Errorf("%q is stored as %q and read back as %q (%v)", text, stored, got, err)
		}
	})
}

// TestTextsThatPostgreSQLCannotHoldAreFoundAgain looks for records by such texts.
func TestTextsThatPostgreSQLCannotHoldAreFoundAgain(t *testing.T) {
	t.Parallel()
	s := open(t, newDatabase(t))
	const odd = "\uFDD0 a\x00b\xff"
	r := waiting(1)
	r.ID, r.Server, r.RequestID, r.Error = odd, odd, odd, odd
	if err := s.Insert(t.Context(), r, ledger.Event{Reason: odd}); err != nil {
		t.Fatal(err)
	}
	r.Status = ledger.Rejected
	if err := s.Swap(t.Context(), r, never, ledger.Event{Reason: odd}); err != nil {
		t.Fatal(err)
	}
	found, err := s.List(t.Context(), ledger.Query{Server: odd, RequestID: odd, IDs: []string{odd}})
	if err != nil || len(found) != 1 || found[0].ID != odd || found[0].Error != odd {
		t.Errorf("found %+v (%v)", found, err)
	}
	events, err := s.Events(t.Context(), odd)
	if err != nil || len(events) != 2 || events[1].Reason != odd {
		t.Errorf("events %+v (%v)", events, err)
	}
	another := waiting(2)
	another.Server, another.RequestID = odd, odd
	failsWith(t, "another of the request", s.Insert(t.Context(), another, previewed), ledger.ErrRequested)
	if n, err := s.Prune(t.Context(), ledger.Query{Server: odd}, 10); n != 1 || err != nil {
		t.Errorf("%d were pruned (%v)", n, err)
	}
}

// TestWhatWouldNotBeReadBackIsNotSent is about texts inside of documents.
func TestWhatWouldNotBeReadBackIsNotSent(t *testing.T) {
	t.Parallel()
	s := open(t, newDatabase(t))
	r := waiting(1)
	r.Decision.By = "\xff"
	err := s.Insert(t.Context(), r, previewed)
	if err == nil || errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("insert: %v", err)
	}
	_, _, err = s.Get(t.Context(), id(1))
	failsWith(t, "get", err, ledger.ErrNotFound)
}

// TestTheRecordOfAJoinIsReadBackAsItWasWritten has a body choose another encoding for its own texts.
func TestTheRecordOfAJoinIsReadBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	for _, choice := range []string{"SET LOCAL client_encoding = 'LATIN1'", "SELECT set_config('client_encoding', 'LATIN1', true)"} {
		j := newJoining(t)
		const text = "café"
		err := j.Join(t.Context(), func(ctx context.Context) (ledger.Record, ledger.Event, error) {
			tx, _ := postgres.Tx(ctx)
			_, err := tx.Exec(ctx, choice)
			r := j.claimed
			r.Status, r.Error = ledger.Applied, text
			return r, ledger.Event{From: ledger.Applying, To: ledger.Applied}, err
		})
		r, _, readErr := j.Get(t.Context(), j.claimed.ID)
		if err != nil || readErr != nil || r.Error != text {
			t.Errorf("%s: %q (%v, %v)", choice, r.Error, err, readErr)
		}
	}
}
