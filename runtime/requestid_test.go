package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// request previews a change of a setting under a request id.
func (w *world) request(t testing.TB, id, key, value string) reply {
	t.Helper()
	return w.call(t, "preview_set_setting", map[string]string{"request_id": id, "key": key, "value": value})
}

// changes are all records of the ledger.
func (w *world) changes(t testing.TB) []ledger.Record {
	t.Helper()
	all, err := w.store.List(t.Context(), ledger.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRepeatedRequestIsTheSameChangeWithANewToken(t *testing.T) {
	t.Parallel()
	looks := 0
	w := newWorld(t, func(w *world) {
		observe := w.operation.Observe
		w.operation.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
			looks++
			return observe(ctx, p)
		}
	})
	first := w.request(t, "r1", "theme", "dark")
	w.edit(t, "theme", "blue") // what is shown again is what was shown
	looked := looks
	second := w.request(t, "r1", "theme", "dark")
	if looks != looked {
		t.Error("a repeated request looked at the state")
	}
	if second.Status != "preview" || second.ChangeID != first.ChangeID || second.ExpiresAt != first.ExpiresAt ||
		second.ConfirmationToken == first.ConfirmationToken || second.ShownDigest != first.ShownDigest {
		t.Fatalf("%s\n%s", first.raw, second.raw)
	}
	if diff := cmp.Diff(first.Diff, second.Diff); diff != "" || second.Summary != first.Summary {
		t.Errorf("shown otherwise:\n%s", diff)
	}
	wantSaid(t, second, "This request_id was used before", "")
	w.edit(t, "theme", "light")
	wantRefused(t, w.apply(t, first.ChangeID, first.ConfirmationToken), "invalid_token")
	if a := w.apply(t, second.ChangeID, second.ConfirmationToken); a.Status != "applied" || len(w.changes(t)) != 1 {
		t.Errorf("%s, %d changes", a.raw, len(w.changes(t)))
	}
}

func TestRepeatedRequestOfASettledChangeTellsItsStatus(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settle func(t *testing.T, w *world, p reply)
		status string
	}{
		"applied": {func(t *testing.T, w *world, p reply) { w.apply(t, p.ChangeID, p.ConfirmationToken) }, "applied"},
		"undone": {func(t *testing.T, w *world, p reply) {
			a := w.apply(t, p.ChangeID, p.ConfirmationToken)
			w.undo(t, a.ChangeID, a.UndoToken)
		}, "undone"},
		"expired": {func(_ *testing.T, w *world, _ reply) { w.clock.move(runtime.DefaultTTL) }, "expired"},
		"failed": {func(t *testing.T, w *world, p reply) {
			w.edit(t, "theme", "blue")
			w.apply(t, p.ChangeID, p.ConfirmationToken)
		}, "apply_failed"},
		"rejected": {func(t *testing.T, w *world, p reply) {
			if _, err := operatorOf(t, w.store).Reject(t.Context(), shownTo(t, operatorOf(t, w.store), p.ChangeID, runtime.SubjectApply), "not on a Friday"); err != nil {
				t.Fatal(err)
			}
		}, "rejected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.request(t, "r1", "theme", "dark")
			test.settle(t, w, p)
			before := w.record(t, p.ChangeID)
			again := w.request(t, "r1", "theme", "dark")
			if again.Status != test.status || again.ChangeID != p.ChangeID || again.ConfirmationToken != "" || again.UndoToken != "" {
				t.Errorf("%s", again.raw)
			}
			if test.status == "rejected" {
				wantSaid(t, again, "Do not try again without asking them", "give another one")
			} else {
				wantSaid(t, again, "give another one", "")
			}
			if diff := cmp.Diff(before, w.record(t, p.ChangeID)); diff != "" || len(w.changes(t)) != 1 {
				t.Errorf("the record changed:\n%s", diff)
			}
		})
	}
}

func TestRequestIDOfAnotherPayloadIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.request(t, "r1", "theme", "dark")
	before := w.record(t, p.ChangeID)
	r := w.request(t, "r1", "theme", "blue")
	wantRefused(t, r, "request_id_reused")
	if r.ChangeID != p.ChangeID || len(w.changes(t)) != 1 {
		t.Errorf("%s", r.raw)
	}
	if diff := cmp.Diff(before, w.record(t, p.ChangeID)); diff != "" {
		t.Errorf("the record changed:\n%s", diff)
	}
	if other := w.request(t, "r2", "theme", "blue"); other.Status != "preview" {
		t.Errorf("another id: %s", other.raw)
	}
}

// The same payload is the same whatever it is written like, and whatever prepare makes of it later.
func TestRequestIsComparedAsItWasSent(t *testing.T) {
	t.Parallel()
	prepared := "dark"
	w := newWorld(t, func(w *world) {
		w.operation.Prepare = func(_ context.Context, p *setPayload) (*setPayload, error) {
			return &setPayload{Key: p.Key, Value: prepared}, nil
		}
	})
	first := w.call(t, "preview_set_setting", `{"request_id":"r1","key":"theme","value":"night"}`)
	prepared = "black"
	again := w.call(t, "preview_set_setting", `{"value":"n\u0069ght", "request\u005fid":"r1", "key":"theme"}`)
	if again.Status != "preview" || again.ChangeID != first.ChangeID || !strings.Contains(again.text, `"dark"`) {
		t.Errorf("%s", again.raw)
	}
}

// An id is one caller's own, for one operation.
func TestRequestIDsOfOthersAreNoneOfOurs(t *testing.T) {
	t.Parallel()
	scope := "a"
	w := newWorld(t, func(w *world) { w.options.Scope = func(context.Context) string { return scope } })
	ours := w.request(t, "r1", "theme", "dark")
	scope = "b"
	theirs := w.request(t, "r1", "theme", "blue")
	if theirs.Status != "preview" || theirs.ChangeID == ours.ChangeID {
		t.Errorf("%s", theirs.raw)
	}
}

func TestRacingPreviewsOfOneRequestMakeOneChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := newWorld(t, func(o *world) { o.options.Store, o.target, o.operation = w.store, w.target, w.operation })
	var all sync.WaitGroup
	start, replies := make(chan struct{}), make(chan reply, callers)
	for i := range callers {
		c := w.connect(t)
		if i%2 == 0 {
			c = other.connect(t)
		}
		all.Go(func() {
			<-start
			replies <- c.call(t, "preview_set_setting", map[string]string{"request_id": "r1", "key": "theme", "value": "dark"})
		})
	}
	close(start)
	all.Wait()
	close(replies)
	good := 0
	for r := range replies {
		if r.Code == "ledger_busy" {
			continue // so many at once: it spent nothing
		}
		if r.Status != "preview" {
			t.Fatalf("%s", r.raw)
		}
		if a := w.apply(t, r.ChangeID, r.ConfirmationToken); a.Status == "applied" {
			good++
		} else if a.Code != "invalid_token" && a.Code != "already_used" {
			t.Errorf("%s", a.raw)
		}
	}
	if n := len(w.changes(t)); n != 1 || good != 1 || w.writes(t) != 1 {
		t.Errorf("%d changes, %d tokens worked, %d bodies ran", n, good, w.writes(t))
	}
}

// One of two payloads under one id is previewed, and the other refused.
func TestRacingPreviewsOfTwoPayloadsUnderOneRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all sync.WaitGroup
	start, replies := make(chan struct{}), make(chan reply, 2)
	for _, value := range []string{"dark", "blue"} {
		c := w.connect(t)
		all.Go(func() {
			<-start
			replies <- c.call(t, "preview_set_setting", map[string]string{"request_id": "r1", "key": "theme", "value": value})
		})
	}
	close(start)
	all.Wait()
	close(replies)
	outcomes := map[string]int{}
	for r := range replies {
		outcomes[r.Status+r.Code]++
	}
	if diff := cmp.Diff(map[string]int{"preview": 1, "refusedrequest_id_reused": 1}, outcomes); diff != "" || len(w.changes(t)) != 1 {
		t.Errorf("%s%d changes", diff, len(w.changes(t)))
	}
}

func TestRequestIDThatIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []any{"", nil, 7, true, []string{"r1"}, map[string]string{}, strings.Repeat("x", 129)} {
		r := w.call(t, "preview_set_setting", map[string]any{"request_id": id, "key": "theme", "value": "dark"})
		wantRefused(t, r, "invalid_arguments")
		if len(r.Violations) != 1 || r.Violations[0].Pointer != "/request_id" || strings.Contains(r.text, "xxxx") {
			t.Errorf("%v: %s", id, r.raw)
		}
	}
	if long := w.request(t, strings.Repeat("é", 128), "theme", "dark"); long.Status != "preview" {
		t.Errorf("the longest: %s", long.raw)
	}
	if kept := w.changes(t)[0]; string(kept.Payload) != `{"key":"theme","value":"dark"}` {
		t.Errorf("the payload holds it: %s", kept.Payload)
	}
}

// A server that behaves differently now shows no change of before as one that can be applied.
func TestRepeatedRequestOfAnOperationThatChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.request(t, "r1", "theme", "dark")
	w.operation.Digest = "sha256:other"
	w.restart(t)
	r := w.request(t, "r1", "theme", "dark")
	wantRefused(t, r, "operation_changed")
	wantSaid(t, r, "give another one", "")
}

// A preview whose answer of the ledger was lost is found by its request.
func TestRepeatedRequestAfterALostAnswer(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t)
	f.set(func(f *faulty) {
		f.insert = func(write func() error) error { _ = write(); return context.Canceled }
		f.get = func(context.Context, func() error) error { return errLost }
	})
	lost := w.request(t, "r1", "theme", "dark")
	wantRefused(t, lost, "internal")
	f.set(func(f *faulty) { f.insert, f.get = nil, nil })
	p := w.request(t, "r1", "theme", "dark")
	if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" || len(w.changes(t)) != 1 {
		t.Errorf("%s, %d changes", a.raw, len(w.changes(t)))
	}
}

func TestPayloadMayNotHaveARequestID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var file map[string]json.RawMessage
	if err := json.Unmarshal([]byte(schemaFile), &file); err != nil {
		t.Fatal(err)
	}
	file["set_setting.payload"] = json.RawMessage(`{"type": "object", "properties": {"request_id": {"type": "string"}}}`)
	spec := settings
	spec.Server = "other"
	spec.Schemas, _ = json.Marshal(file)
	err := w.guard.Register(w.server, spec, newOperation(w.target))
	if err == nil || !strings.Contains(err.Error(), "request_id") || !strings.Contains(err.Error(), "give it another name") {
		t.Error(err)
	}
}
