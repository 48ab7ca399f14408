package runtime_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func TestLedgerThatFailsIsToldToTheOperator(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	for name, test := range map[string]struct {
		fault func(*faulty)
		want  error
	}{
		"reading":   {func(f *faulty) { f.get = func(context.Context, func() error) error { return broken } }, broken},
		"busy":      {func(f *faulty) { f.swap = func(ledger.Status, func() error) error { return ledger.ErrBusy } }, ledger.ErrBusy},
		"full disk": {func(f *faulty) { f.swap = func(ledger.Status, func() error) error { return ledger.ErrUnavailable } }, ledger.ErrUnavailable},
		"others, again and again": {func(f *faulty) {
			f.swap = func(ledger.Status, func() error) error { return ledger.ErrConflict }
		}, ledger.ErrBusy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.preview(t, "theme", "dark")
			store := newFaulty(w.store)
			test.fault(store)
			_, err := operatorOf(t, store).Approve(t.Context(), shownTo(t, operatorOf(t, w.store), p.ChangeID, runtime.SubjectApply), "")
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), p.ChangeID) {
				t.Errorf("%v, want %v with the id of the change", err, test.want)
			}
			if w.record(t, p.ChangeID).Decision.Verdict != "" {
				t.Error("it was approved")
			}
		})
	}
}

// A ledger that loses its answer, and then cannot tell what it did, leaves it to the person to look.
func TestDecisionThatMayHaveBeenMadeIsToldAsThat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.preview(t, "theme", "dark")
	store := newFaulty(w.store)
	lost := errors.New("the connection was lost")
	store.swap = func(_ ledger.Status, write func() error) error {
		store.mu.Lock()
		store.get = func(context.Context, func() error) error { return lost }
		store.mu.Unlock()
		return errors.Join(lost, write())
	}
	_, err := operatorOf(t, store).Approve(t.Context(), shownTo(t, operatorOf(t, w.store), p.ChangeID, runtime.SubjectApply), "")
	if !errors.Is(err, lost) || !strings.Contains(err.Error(), "look at it before you try again") {
		t.Errorf("%v", err)
	}
}

func TestDecisionIsDecidedAgainWhenOthersMovedTheChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.preview(t, "theme", "dark")
	store := newFaulty(w.store)
	store.swap = func(_ ledger.Status, write func() error) error {
		store.mu.Lock()
		store.swap = nil
		store.mu.Unlock()
		if r := w.apply(t, p.ChangeID, p.ConfirmationToken); r.Status != "applied" {
			t.Errorf("%s", r.raw)
		}
		return write()
	}
	_, err := operatorOf(t, store).Reject(t.Context(), shownTo(t, operatorOf(t, w.store), p.ChangeID, runtime.SubjectApply), "too late")
	if !errors.Is(err, runtime.ErrNotWaiting) || w.record(t, p.ChangeID).Status != ledger.Applied {
		t.Errorf("%v; %s", err, w.record(t, p.ChangeID).Status)
	}
}

// Whoever looks at a damaged record sees what is left of it, and that it is damaged.
func TestDamagedRecordIsShownAsDamaged(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(*ledger.Record){
		"status":  func(r *ledger.Record) { r.Status = "foo" },
		"shown":   func(r *ledger.Record) { r.Shown = []byte("{") },
		"payload": func(r *ledger.Record) { r.Payload = []byte(`{}`) },
		"state":   func(r *ledger.Record) { r.State = []byte(`{}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, store := newAlteredWorld(t)
			p := w.preview(t, "theme", "dark")
			o := operatorOf(t, store)
			if v := view(t, o, p.ChangeID); v.Error != "" {
				t.Fatalf("before: %s", v.Error)
			}
			store.alter = alter
			if v := view(t, o, p.ChangeID); v.ID != p.ChangeID || !strings.Contains(v.Error, "damaged") {
				t.Errorf("%+v", v)
			}
			if _, err := o.Approve(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectApply), ""); !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("%v", err)
			}
		})
	}
}

// An agent is told that the key is what is missing, and the operator's log where it should be.
func TestLostKeyIsToldAsThat(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	p := v.call(t, "preview_rotate", asked())
	options := runtime.Options{Store: withoutKey{v.store}, WriteMode: runtime.Guarded, Logger: slog.New(slog.NewJSONHandler(v.log, nil))}
	keyless := &world{options: options, spec: runtime.Spec{Server: "vault", Schemas: []byte(rotateSchemas)}}
	c := serving(t, keyless, v.newOperation())
	for _, r := range []reply{
		c.call(t, "preview_rotate", asked()),
		c.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}),
		c.call(t, "get_change_status", map[string]string{"change_id": p.ChangeID}),
	} {
		wantRefused(t, r, "ledger_unsupported")
		wantSaid(t, r, "key for sensitive values is missing", "of another version")
	}
	if !strings.Contains(v.log.String(), "the key of the ledger for sensitive values") {
		t.Errorf("the log does not name the key: %s", v.log.String())
	}
}

// serving is a client of a server with one operation.
func serving(t *testing.T, w *world, operation runtime.AnyOperation) *client {
	t.Helper()
	guard, err := runtime.NewGuard(t.Context(), w.options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = guard.Close(context.Background()) })
	w.server = mcp.NewServer(&mcp.Implementation{Name: "keyless", Version: "1"}, nil)
	if err := guard.Register(w.server, w.spec, operation); err != nil {
		t.Fatal(err)
	}
	return w.connect(t)
}

// withoutKey is a ledger whose key is not there, as beside a backup.
type withoutKey struct{ ledger.Store }

func (withoutKey) SensitiveKey(context.Context) ([]byte, error) { return nil, ledger.ErrUnsupported }

func TestSensitiveChangeWithoutItsKeyIsShownAndNotDecided(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	p := v.call(t, "preview_rotate", asked())
	o := operatorOf(t, withoutKey{v.store})
	if shown := view(t, o, p.ChangeID); shown.Summary == "" || !strings.Contains(shown.Error, "cannot be told whether this is what was previewed") {
		t.Errorf("%+v", shown)
	}
	if _, err := o.Approve(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectApply), ""); !errors.Is(err, ledger.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}
