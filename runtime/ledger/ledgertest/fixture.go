package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/google/go-cmp/cmp"
)

// noon is when the clocks of the tests start.
var noon = time.Date(2026, time.March, 29, 12, 0, 0, 0, time.UTC)

// clock is a clock that the test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: noon} }

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// id is the n-th id in the order of time.
func id(n int) string { return fmt.Sprintf("chg_%020x", n) }

// pending is a new change with every fixed field set.
func pending(n int) ledger.Record {
	return ledger.Record{
		Fixed: ledger.Fixed{
			ID: id(n), Server: "settings", Operation: "set_setting", Scope: "scope hash", Caller: "caller hash",
			Digest: "sha256:1", UndoDigest: "sha256:2", PayloadHash: "sha256:3",
			Payload: []byte(`{"key":"theme"}`), State: []byte(`null`), Shown: []byte(`{"summary":"Set theme"}`),
			ShownDigest: "sha256:4", CreatedAt: noon, RequestID: fmt.Sprint("request ", n), RequestHash: "sha256:5",
			RetryOf: id(n) + " before", Rejected: id(0), Approval: "operator", UndoApproval: "token",
			TTL: 15 * time.Minute, UndoTTL: -1, Items: 3, Sensitive: []byte(`{"payload":["/key"]}`),
		},
		Mutable: ledger.Mutable{
			Status: ledger.Pending, ExpiresAt: noon.Add(15 * time.Minute), ApplyToken: []byte("token hash"),
		},
	}
}

// settled is r with every mutable field set. The time of its last event is the store's to set, to another.
func settled(r ledger.Record) ledger.Record {
	of := func(what string) string { return what + " of " + r.ID }
	at := func(days int) time.Time { return noon.AddDate(0, 0, days) }
	r.Mutable = ledger.Mutable{
		WriteID: of("write"), Status: ledger.ApplyFailed, UpdatedAt: at(1), ExpiresAt: at(2),
		ApplyToken: []byte(of("apply token")), UndoToken: []byte(of("undo token")),
		Decision:     decided(ledger.Approved, of("apply"), at(3)),
		UndoDecision: decided(ledger.Refused, of("undo"), at(4)),
		UndoRequest:  ledger.Request{At: at(5), By: of("root"), Channel: of("request channel"), Reason: of("a mistake")},
		ClaimID:      of("claim"), Holder: of("holder"), ClaimedAt: at(6), Joined: true, DoubtAt: at(7), DoubtReason: of("doubt"),
		Finding: ledger.Finding{Verdict: "not_done", At: at(8), By: of("finder"), Channel: of("finding channel"), Saw: of("looked")},
		Code:    of("code"), Message: of("message"), Error: of("error"), Outcome: "unknown", RetryID: of("retry"),
		Before: []byte(of("before")), After: []byte(of("after")), Result: []byte(of("result")), ResultFlaw: "result_omitted",
		SensitiveNow: []byte(of("sensitive")),
		AppliedAt:    at(9), UndoExpiresAt: at(10),
	}
	return r
}

func decided(v ledger.DecisionVerdict, purpose string, at time.Time) ledger.Decision {
	return ledger.Decision{
		Verdict: v, At: at, By: "ops \u202e, " + purpose, Channel: "channel, " + purpose, Reason: "why, " + purpose, Digest: "sha256:" + purpose,
	}
}

// The events of a new change, of a claim, and of a failure.
var (
	previewed = event("agent", "", ledger.Pending)
	claimed   = event("agent", ledger.Pending, ledger.Applying)
	failed    = event("guard", ledger.Applying, ledger.ApplyFailed)
)

// event is an event with every field set. Its number and its time are the store's to set, to others.
func event(actor string, from, to ledger.Status) ledger.Event {
	return ledger.Event{
		Seq: 99, At: noon.AddDate(1, 0, 0), Actor: actor, From: from, To: to,
		Code: "code of " + string(to), Reason: "reason of " + string(to),
	}
}

// stamped is an event as a store gives it back.
func stamped(e ledger.Event, seq int64, at time.Time) ledger.Event {
	e.Seq, e.At = seq, at
	return e
}

// claim is r as a claim leaves it.
func claim(r ledger.Record, claimID, holder string) ledger.Record {
	r.Status, r.ClaimID, r.Holder = ledger.Applying, claimID, holder
	return r
}

func insert(t *testing.T, s ledger.Store, r ledger.Record) ledger.Record {
	t.Helper()
	if err := s.Insert(t.Context(), r, previewed); err != nil {
		t.Fatalf("insert %s: %v", r.ID, err)
	}
	return get(t, s, r.ID)
}

func swap(t *testing.T, s ledger.Store, r ledger.Record, e ledger.Event) ledger.Record {
	t.Helper()
	if err := s.Swap(t.Context(), r, time.Time{}, e); err != nil {
		t.Fatalf("swap %s: %v", r.ID, err)
	}
	return get(t, s, r.ID)
}

func get(t *testing.T, s ledger.Store, id string) ledger.Record {
	t.Helper()
	r, _, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatalf("get %s: %v", id, err)
	}
	return r
}

func events(t *testing.T, s ledger.Store, id string) []ledger.Event {
	t.Helper()
	found, err := s.Events(t.Context(), id)
	if err != nil {
		t.Fatalf("events of %s: %v", id, err)
	}
	return found
}

// snapshot is all that a store tells of one change.
type snapshot struct {
	Record ledger.Record
	Events []ledger.Event
}

func look(t *testing.T, s ledger.Store, id string) snapshot {
	t.Helper()
	return snapshot{Record: get(t, s, id), Events: events(t, s, id)}
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func failsWith(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", what, err, want)
	}
}

// absent fails if there is a record of that id.
func absent(t *testing.T, s ledger.Store, id string) {
	t.Helper()
	_, _, err := s.Get(t.Context(), id)
	failsWith(t, "get "+id, err, ledger.ErrNotFound)
}

// large is a body of a megabyte with every byte in it.
var large = func() []byte {
	body := make([]byte, 1<<20)
	for i := range body {
		body[i] = byte(i)
	}
	return body
}()

// cancelled is a context that is over.
func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
