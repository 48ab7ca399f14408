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

// A panic of our own before anything is known of a claim leaves it in doubt, which a person may settle while the guard
// lives.
func TestPanicOfOurOwnLeavesADoubtThatAPersonSettles(t *testing.T) {
	t.Parallel()
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
	r := recordIn(ledger.Applying)
	r.CreatedAt, r.ExpiresAt, r.Holder = time.Now(), time.Now().Add(time.Minute), g.hold.Name()
	if err := store.Insert(ctx, r, ledger.Event{Actor: actorAgent, To: r.Status}); err != nil {
		t.Fatal(err)
	}
	r.Revision = 1
	g.flights.Begin(r.ClaimID)
	granted := &grant{record: r, op: &registered{erased: &erased{Meta: &Meta{Name: r.Operation}}}}
	told := g.await(ctx, granted, func(context.Context, func(answer)) { panic("hunter2") })
	if no, ok := told.(*refusal); !ok || no.code != CodeInDoubt {
		t.Fatalf("%+v", told)
	}
	o, err := NewOperator(store, Decider{Name: "ana", Channel: "changesetctl"})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := o.Get(ctx, r.ID)
	if err != nil || !seen.InDoubt {
		t.Fatalf("%v: %+v", err, seen)
	}
	if v, err := o.Reconcile(ctx, seen.Seen, NotDone, "no such row"); err != nil || v.Status != ledger.ApplyFailed {
		t.Errorf("%v: %s", err, v.Status)
	}
}
