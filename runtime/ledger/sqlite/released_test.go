package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

// The ledgers in testdata/ledgers were made with writeHistories by a program of their schema, and are never made again.

// TestALedgerOfEachSchemaIsRead opens what earlier versions of this program left, and what this one makes of the same
// changes, and compares all that can be read.
func TestALedgerOfEachSchemaIsRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*ledger.Record) // what the program of that schema wrote
	}{
		{"schema2", everyField},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fresh, path := newPath(t), released(t, c.name)
			must(t, writeHistories(t.Context(), fresh, c.change))
			if diff := cmp.Diff(everything(t, fresh), everything(t, path)); diff != "" {
				t.Errorf("the changes (-want +got):\n%s", diff)
			}
			s := open(t, path)
			must(t, s.Insert(t.Context(), record(100), ledger.Event{To: ledger.Pending}))
			expectSound(t, s)
		})
	}
}

// released is a copy of a ledger that a released program made.
func released(t *testing.T, name string) string {
	t.Helper()
	path := newPath(t)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, read(t, filepath.Join("testdata", "ledgers", name+".db")), 0o600))
	return path
}

// histories are the ways that changes have gone.
var histories = [][]ledger.Status{
	{}, {ledger.Rejected}, {ledger.Expired}, {ledger.Applying},
	{ledger.Applying, ledger.Applied}, {ledger.Applying, ledger.ApplyFailed},
	{ledger.Applying, ledger.Applied, ledger.Undoing},
	{ledger.Applying, ledger.Applied, ledger.Undoing, ledger.Undone},
	{ledger.Applying, ledger.Applied, ledger.Undoing, ledger.UndoFailed},
}

// writeHistories makes a ledger with a change of each history. It changes each of them before it is first written.
func writeHistories(ctx context.Context, path string, change func(*ledger.Record)) error {
	now := time.Date(2026, time.March, 29, 12, 0, 0, 0, time.UTC)
	s, err := sqlite.Open(ctx, path, sqlite.WithClock(func() time.Time { now = now.Add(time.Second); return now }))
	if err != nil {
		return err
	}
	for n, history := range histories {
		r := firstOf(n, now)
		change(&r)
		if err := s.Insert(ctx, r, ledger.Event{Actor: "agent", To: ledger.Pending}); err != nil {
			return err
		}
		for i, to := range history {
			e := ledger.Event{Actor: "guard", From: r.Status, To: to}
			r.Revision = int64(i + 1)
			moveTo(&r, n, to, now)
			if e.Code = r.Code; to == ledger.Applying {
				e.Actor = "agent"
			}
			if err := s.Swap(ctx, r, time.Time{}, e); err != nil {
				return err
			}
		}
	}
	return s.Close()
}

// firstOf is the n-th change as it is new.
func firstOf(n int, now time.Time) ledger.Record {
	r := ledger.Record{
		Fixed: ledger.Fixed{
			ID: record(n + 1).ID, Server: "settings", Operation: "set_setting", Scope: "scope", Caller: "caller",
			Digest: "sha256:01", UndoDigest: "sha256:02", PayloadHash: fmt.Sprintf("sha256:%02x", n),
			Payload: fmt.Appendf(nil, `{"key":"theme","value":"v%d"}`, n), State: []byte(`{"value":"light"}`),
			Shown: []byte(`{"summary":"Set theme"}`), CreatedAt: now, Items: 1, UndoTTL: 24 * time.Hour,
		},
		Mutable: ledger.Mutable{Status: ledger.Pending, ExpiresAt: now.Add(15 * time.Minute), ApplyToken: []byte("apply token hash")},
	}
	if n == 0 {
		r.State = []byte(`null`)
	}
	return r
}

// moveTo is what a transition of the n-th change writes.
func moveTo(r *ledger.Record, n int, to ledger.Status, now time.Time) {
	r.Status = to
	switch to {
	case ledger.Applying:
		r.ClaimID, r.Holder, r.Before = fmt.Sprint("claim ", n), deadHold[1:], r.State
		r.ClaimedAt = now.Add(time.Second) // when the store writes it
	case ledger.Applied:
		r.After, r.Result, r.UndoToken = []byte(`{"value":"dark"}`), []byte(`{"ok":true}`), []byte("undo token hash")
		r.AppliedAt, r.UndoExpiresAt = now, now.Add(24*time.Hour)
	case ledger.ApplyFailed:
		r.Code, r.Message, r.Error, r.Outcome = "apply_failed", "it failed", "the whole error", "unknown"
		r.DoubtAt, r.DoubtReason = now, "a timeout"
	case ledger.UndoFailed:
		r.Code, r.Message, r.Error, r.Outcome = "undo_failed", "it failed", "the whole error", "not_applied"
	case ledger.Undoing:
		r.ClaimID = fmt.Sprint("undo claim ", n)
	}
}

// everyField sets what a program of schema 2 may set beside.
func everyField(r *ledger.Record) {
	r.ShownDigest, r.RequestID, r.RequestHash, r.Rejected = "sha256:03", "request of "+r.ID, "sha256:04", record(0).ID
	r.RetryOf, r.RetryID = "before "+r.ID, "after "+r.ID
	r.Approval, r.UndoApproval, r.TTL, r.UndoTTL, r.Items = "operator", "token", 15*time.Minute, -1, 7
	r.Sensitive, r.SensitiveNow = []byte(`{"payload":["/value"]}`), []byte(`{"after":["/value"]}`)
	r.Decision = ledger.Decision{Verdict: ledger.Approved, At: r.CreatedAt, By: "ops", Channel: "changesetctl", Reason: "fine", Digest: "sha256:05"}
	r.UndoDecision = ledger.Decision{Verdict: ledger.Refused, At: r.CreatedAt, By: "ops", Channel: "changesetctl", Digest: "sha256:06"}
	r.WriteID, r.Joined = "write of "+r.ID, true
	r.Finding = ledger.Finding{Verdict: "not_done", At: r.CreatedAt, By: "ops", Channel: "changesetctl", Saw: "looked"}
	r.UndoRequest = ledger.Request{At: r.CreatedAt, By: "ops", Channel: "changesetctl", Reason: "a mistake"}
}
