package runtime

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// claimedHere is a claim on an apply that a guard is to carry out.
func claimedHere(t *testing.T) (*Guard, *sqlite.Store, *grant) {
	t.Helper()
	ctx := t.Context()
	store, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "ledger", "changes.db"), sqlite.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	g, err := NewGuard(ctx, Options{Store: store, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close(context.Background()) })
	r, hold := recordIn(ledger.Applying), g.holds.Use()
	r.CreatedAt, r.ExpiresAt, r.Holder = time.Now(), time.Now().Add(time.Minute), hold.Name()
	if err := store.Insert(ctx, r, ledger.Event{Actor: actorAgent, To: r.Status}); err != nil {
		t.Fatal(err)
	}
	r.Revision = 1
	g.flights.Begin(r.ClaimID)
	return g, store, &grant{hold: hold, record: r, op: &registered{erased: &erased{Meta: &Meta{Name: r.Operation}}}}
}

// A panic of our own before anything is known of a claim leaves it in doubt, which a person may settle while the guard
// lives.
func TestPanicOfOurOwnLeavesADoubtThatAPersonSettles(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	g, store, granted := claimedHere(t)
	told := g.await(ctx, granted, func(context.Context, func(answer)) { panic("hunter2") })
	if no, ok := told.(*refusal); !ok || no.code != CodeInDoubt {
		t.Fatalf("%+v", told)
	}
	o, err := NewOperator(store, Decider{Name: "ana", Channel: "changesetctl"})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := o.Get(ctx, granted.record.ID)
	if err != nil || !seen.InDoubt {
		t.Fatalf("%v: %+v", err, seen)
	}
	if v, err := o.Reconcile(ctx, seen.Seen, NotDone, "no such row"); err != nil || v.Status != ledger.ApplyFailed {
		t.Errorf("%v: %s", err, v.Status)
	}
}

// One after the end of a claim is recorded says nothing of it.
func TestPanicOfOurOwnAfterTheOutcomeIsNoEvent(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	g, store, granted := claimedHere(t)
	told := g.await(ctx, granted, func(ctx context.Context, _ func(answer)) {
		if _, no := g.conclude(ctx, granted, settleFailed{claim: granted.record.ClaimID, failure: neverRun(forApply)}); no != nil {
			t.Errorf("%+v", no)
		}
		panic("hunter2")
	})
	if no, ok := told.(*refusal); !ok || no.code != CodeInternal {
		t.Errorf("%+v", told)
	}
	if events, err := store.Events(ctx, granted.record.ID); err != nil || len(events) != 2 || events[1].To != ledger.ApplyFailed {
		t.Errorf("%v: %+v", err, events)
	}
}
