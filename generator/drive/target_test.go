package drive_test

import (
	"context"
	"sync"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/google/go-cmp/cmp"
)

// target is what hand-written bodies look at and write: one state, kept as JSON.
type target[P, S any] struct {
	mu    sync.Mutex
	state []byte // canonical; nil where there is nothing
	given []byte // the payload of the last apply, from its Go type
}

func (x *target[P, S]) observe() (*S, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.state == nil {
		return nil, nil
	}
	s := new(S)
	return s, exact.Decode(x.state, s)
}

// apply writes next in the name of a payload.
func (x *target[P, S]) apply(payload *P, next *S) (err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.given, err = exact.Encode(payload); err != nil {
		return runtime.NotApplied(err)
	}
	return x.write(next)
}

func (x *target[P, S]) undo(before *S) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.write(before)
}

func (x *target[P, S]) write(next *S) (err error) {
	if next == nil {
		x.state = nil
		return nil
	}
	x.state, err = exact.Encode(next)
	return err
}

// trip is a change from its preview to its undo.
type trip struct {
	operation string
	payload   string
	summary   string
	diff      []row
	keeps     bool // there is no undo
}

// make previews, applies and undoes a change. Now tells the state, and given what apply was given, if there is such.
func (x trip) make(t *testing.T, w *world, now func() string, given func() []byte) (applied answer, after string) {
	t.Helper()
	before := now()
	previewed := w.call(t, "preview_"+x.operation, x.payload)
	if previewed.Status != "preview" || previewed.Summary != x.summary {
		t.Fatalf("%s: preview of %s: %+v", x.operation, x.payload, previewed)
	}
	if diff := cmp.Diff(x.diff, previewed.Diff); diff != "" {
		t.Errorf("%s: diff (-want +got):\n%s", x.operation, diff)
	}
	if got := now(); got != before {
		t.Errorf("%s: after preview the state is %s, want %s", x.operation, got, before)
	}
	if applied = w.apply(t, x.operation, previewed); applied.Status != "applied" {
		t.Fatalf("%s: apply: %+v\n%s", x.operation, applied, w.log)
	}
	if stored := w.payload(t, previewed.ChangeID); string(given()) != stored {
		t.Errorf("%s: the body was given %s, and what is stored is %s", x.operation, given(), stored)
	}
	after = now()
	if x.keeps {
		return applied, after
	}
	if undone := w.undo(t, x.operation, applied); undone.Status != "undone" {
		t.Fatalf("%s: undo: %+v\n%s", x.operation, undone, w.log)
	}
	if got := now(); got != before {
		t.Errorf("%s: after undo the state is %s, want %s", x.operation, got, before)
	}
	return applied, after
}

// payload is what the ledger holds of a change.
func (w *world) payload(t *testing.T, id string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	record, _, err := w.store.Get(ctx, id)
	check(t, "look into the ledger", err)
	return string(record.Payload)
}

// now is the state as it is kept.
func (x *target[P, S]) now() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return string(x.state)
}

func (x *target[P, S]) lastGiven() []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.given
}
