package runtime_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// keyless is a vault that was closed with a change in doubt and one that is applied, and whose key was lost then.
type keyless struct {
	*vault
	*client          // of a server that was started without the key
	doubted, applied string
	clock            *fakeClock
}

func newKeyless(t *testing.T, changes ...func(*rotate)) *keyless {
	t.Helper()
	directory := t.TempDir()
	v := &vault{current: rotateState{Credential: credential{"ann", oldSecret, oldPin}, Version: 1}}
	v.operation = v.newOperation()
	for _, change := range changes {
		change(v.operation)
	}
	v.startIn(t, directory, rotateSchemas, v.operation)
	v.fail = func() error { return runtime.InDoubt(errors.New("connection lost")) }
	k := &keyless{vault: v, clock: &fakeClock{}, doubted: v.rotates(t, "in_doubt")}
	v.fail = nil
	k.applied = v.rotates(t, "")
	if err := errors.Join(closeInTheEnd(context.Background(), v.guard), v.store.Close(), os.Remove(filepath.Join(directory, "ledger", "changes.db.key"))); err != nil {
		t.Fatal(err)
	}
	v.store = openLedger(t, directory, k.clock)
	options := runtime.Options{Store: v.store, WriteMode: runtime.Guarded, Logger: slog.New(slog.NewJSONHandler(v.log, nil))}
	again := &world{options: options, spec: runtime.Spec{Server: "vault", Schemas: []byte(rotateSchemas)}}
	k.client = serving(t, again, v.newOperation())
	return k
}

// rotates applies a change, which ends with a code.
func (v *vault) rotates(t *testing.T, code string) (id string) {
	t.Helper()
	p := v.call(t, "preview_rotate", asked())
	a := v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
	if a.Code != code {
		t.Fatalf("want %q: %s", code, a.raw)
	}
	return p.ChangeID
}

// Without the key nobody can tell whether a change is as it was previewed. A server serves all the same, and a person can
// settle a change by what they saw.
func TestServerWithoutItsKeyServesAndIsSettled(t *testing.T) {
	t.Parallel()
	k := newKeyless(t)
	if !strings.Contains(k.log.String(), "a change was begun that cannot be read") {
		t.Errorf("the log: %s", k.log.String())
	}
	wantRefused(t, k.client.call(t, "preview_rotate", asked()), "ledger_unsupported")
	o := operatorOf(t, k.store)
	seen := view(t, o, k.doubted)
	if !seen.InDoubt || seen.Error == "" || seen.Summary == "" {
		t.Errorf("%+v", seen)
	}
	if _, err := o.RequestUndo(t.Context(), view(t, o, k.applied).Seen, ""); !errors.Is(err, ledger.ErrUnsupported) {
		t.Errorf("undo: %v", err)
	}
	settled, err := o.Reconcile(t.Context(), seen.Seen, runtime.NotDone, "the login is as it was")
	if err != nil || settled.Status != ledger.ApplyFailed || settled.Error == "" {
		t.Fatalf("%v: %+v", err, settled)
	}
	if r, _, err := k.store.Get(t.Context(), k.doubted); err != nil || r.Status != ledger.ApplyFailed {
		t.Errorf("%s, %v", r.Status, err)
	}
}

// The key of a ledger in which nothing needs it any more is made again.
func TestLostKeyIsMadeAgainWhenWhatNeedsItIsPruned(t *testing.T) {
	t.Parallel()
	k := newKeyless(t, func(o *rotate) { o.Undo = nil })
	o := operatorOf(t, k.store)
	if _, err := settle(t.Context(), o, k.doubted, runtime.Done, "the login is new"); err != nil {
		t.Fatal(err)
	}
	k.clock.move(2 * runtime.DefaultLimitMemory)
	pruned, err := o.Prune(t.Context(), runtime.PruneOptions{IncludeApplied: true})
	if err != nil || pruned.Changes != 2 {
		t.Fatalf("%d, %v", pruned.Changes, err)
	}
	if p := k.client.call(t, "preview_rotate", asked()); p.Status != "preview" {
		t.Errorf("%s", p.raw)
	}
}
