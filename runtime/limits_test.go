package runtime_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func TestChangesInAWindowAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.operation.Limits = runtime.Limits{Changes: 2, Per: time.Hour} })
	third := w.preview(t, "language", "fr")
	w.applied(t, "theme", "dark")
	w.clock.move(5 * time.Minute)
	a := w.applied(t, "language", "de")
	r := w.apply(t, third.ChangeID, third.ConfirmationToken)
	wantRefused(t, r, "limit_exceeded")
	wantSaid(t, r, "2 changes of this operation in 1h", "")
	if r.ChangeStatus != "pending" || w.record(t, third.ChangeID).Status != ledger.Pending || w.writes(t) != 2 {
		t.Fatalf("%s", r.raw)
	}
	wantRefused(t, w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "blue"}), "limit_exceeded")
	if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" {
		t.Errorf("an undo is no change of its own: %s", u.raw)
	}
	w.clock.move(time.Hour - 5*time.Minute)
	p := w.preview(t, "theme", "blue")
	if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" {
		t.Errorf("when the first is an hour old: %s", a.raw)
	}
}

// Each caller has a limit of their own, or all have one together.
func TestLimitIsOfACallerOrOfAll(t *testing.T) {
	t.Parallel()
	for ofAll, want := range map[bool]string{false: "preview", true: "refused"} {
		scope := "a"
		w := newWorld(t, func(w *world) {
			w.options.Scope = func(context.Context) string { return scope }
			w.operation.Limits = runtime.Limits{Changes: 1, Per: time.Hour, OfAll: ofAll}
		})
		w.applied(t, "theme", "dark")
		scope = "b"
		if r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "blue"}); r.Status != want {
			t.Errorf("of all %v: %s", ofAll, r.raw)
		}
	}
}

// However many claims race, as many go through as the limit has room for: they are counted where they are made.
func TestRacingClaimsKeepToTheLimit(t *testing.T) {
	t.Parallel()
	const limit, asked = 3, 12
	w := newWorld(t, func(w *world) {
		w.operation.Limits = runtime.Limits{Changes: limit, Per: time.Hour}
		w.operation.Apply = func(_ context.Context, c *setChange) (*setResult, error) { // each of them works
			_, err := w.target.Exec(`INSERT INTO writes VALUES (?, 'apply')`, c.ChangeID)
			return &setResult{}, err
		}
	})
	other := newWorld(t, func(o *world) { o.options.Store, o.target, o.operation = w.store, w.target, w.operation })
	var all sync.WaitGroup
	start, codes := make(chan struct{}), make(chan string, asked)
	for i := range asked {
		p, c := w.preview(t, "theme", "dark"), w.connect(t)
		if i%2 == 0 {
			c = other.connect(t)
		}
		all.Go(func() {
			<-start
			r := c.call(t, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
			codes <- r.Code
		})
	}
	close(start)
	all.Wait()
	close(codes)
	counted := map[string]int{}
	for code := range codes {
		counted[code]++
	}
	if counted["limit_exceeded"] != asked-limit || counted[""] != limit || w.writes(t) != limit {
		t.Errorf("%v, %d bodies ran", counted, w.writes(t))
	}
}

// What is proved to have written nothing is no change that was made; what may have written counts.
func TestOnlyWhatMayHaveWrittenCountsForTheLimit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil func(t *testing.T, w *world)
		ends  string
		next  string
	}{
		"changed since the preview": {func(t *testing.T, w *world) { w.edit(t, "theme", "blue") }, "state_changed", "preview"},
		"proved by the body": {func(_ *testing.T, w *world) {
			w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
				return nil, runtime.NotApplied(errors.New("no connection"))
			}
		}, "apply_failed", "preview"},
		"not proved": {func(_ *testing.T, w *world) {
			w.operation.Apply = func(context.Context, *setChange) (*setResult, error) { return nil, errors.New("no answer") }
		}, "apply_failed", "refused"},
		"in doubt": {func(_ *testing.T, w *world) {
			w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
				return nil, runtime.InDoubt(errors.New("no answer"))
			}
		}, "in_doubt", "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.operation.Limits = runtime.Limits{Changes: 1, Per: time.Hour} })
			p := w.preview(t, "theme", "dark")
			test.spoil(t, w)
			wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), test.ends)
			if r := w.call(t, "preview_set_setting", map[string]string{"key": "language", "value": "de"}); r.Status != test.next {
				t.Errorf("%s", r.raw)
			}
		})
	}
}

func TestItemsOfAChangeAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.operation.Limits = runtime.Limits{MaxItems: 4}
		w.operation.Items = func(p *setPayload) int {
			if p.Value == "no" {
				return runtime.Count(-1)
			}
			return len(p.Value)
		}
	})
	r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "black"})
	wantRefused(t, r, "limit_exceeded")
	wantSaid(t, r, "affects 5 things at once; this operation allows 4", "")
	r = w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "no"})
	wantRefused(t, r, "limit_exceeded")
	wantSaid(t, r, "affects is negative, or more than can be counted", "9223372036854775807")
	p := w.preview(t, "theme", "dark")
	if p.Items != 4 || w.record(t, p.ChangeID).Items != 4 {
		t.Errorf("%s", p.raw)
	}
	w.operation.Limits.MaxItems = 3
	w.restart(t)
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "limit_exceeded")
	if w.writes(t) != 0 {
		t.Error("a body ran")
	}
}

// What cannot be counted is not let through.
func TestItemsThatCannotBeCounted(t *testing.T) {
	t.Parallel()
	for name, items := range map[string]func(*setPayload) int{
		"negative": func(*setPayload) int { return -1 }, "panic": func(*setPayload) int { panic("hunter2") },
	} {
		w := newWorld(t, func(w *world) { w.operation.Limits.MaxItems, w.operation.Items = 1, items })
		r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"})
		if r.Code != "internal" || len(w.changes(t)) != 0 {
			t.Errorf("%s: %s", name, r.raw)
		}
	}
}

func TestPreviewsThatWaitAreLimited(t *testing.T) {
	t.Parallel()
	scope := "a"
	w := newWorld(t, func(w *world) {
		w.options.MaxPending, w.options.MaxPendingAll = 2, 3
		w.operation.AllowNoChange = true
		w.options.Scope = func(context.Context) string { return scope }
	})
	preview := func() reply {
		return w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"})
	}
	first, second := preview(), preview()
	r := preview()
	wantRefused(t, r, "too_many_pending")
	wantSaid(t, r, "2 previews waiting already", "")
	scope = "b"
	if other := preview(); other.Status != "preview" {
		t.Errorf("another caller: %s", other.raw)
	}
	r = preview()
	wantRefused(t, r, "too_many_pending")
	wantSaid(t, r, "3 previews waiting in the ledger", "")
	scope = "a"
	if a := w.apply(t, first.ChangeID, first.ConfirmationToken); a.Status != "applied" {
		t.Fatalf("%s", a.raw)
	}
	if again := preview(); again.Status != "preview" {
		t.Errorf("when one is applied: %s", again.raw)
	}
	if n := len(w.changes(t)); n != 4 || second.Status != "preview" {
		t.Errorf("%d changes", n)
	}
	w.clock.move(runtime.DefaultTTL)
	if again := preview(); again.Status != "preview" {
		t.Errorf("when they have expired: %s", again.raw)
	}
}

// A request that is made again makes nothing, so there is always room for it.
func TestRepeatedRequestNeedsNoRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.options.MaxPending = 1 })
	first := w.request(t, "r1", "theme", "dark")
	if again := w.request(t, "r1", "theme", "dark"); again.ChangeID != first.ChangeID {
		t.Errorf("%s", again.raw)
	}
	wantRefused(t, w.request(t, "r2", "theme", "dark"), "too_many_pending")
}
