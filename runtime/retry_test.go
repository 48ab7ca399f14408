package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var errRefusedConnection = errors.New("connection refused by hunter2")

// failsFirst makes the first applies of a world fail with these errors, and the next ones work. Retries are on.
func failsFirst(failures ...error) func(*world) {
	return func(w *world) {
		var bodies atomic.Int32
		apply := w.operation.Apply
		w.operation.Retry = true
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			if n := int(bodies.Add(1)); n <= len(failures) {
				return nil, failures[n-1]
			}
			return apply(ctx, c)
		}
	}
}

// failed previews a change and applies it, which fails.
func (w *world) failed(t *testing.T) (preview, answer reply) {
	t.Helper()
	p := w.preview(t, "theme", "dark")
	return p, w.apply(t, p.ChangeID, p.ConfirmationToken)
}

func TestProvedFailureMakesOneChangeThatTriesItAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, failsFirst(runtime.NotApplied(errRefusedConnection)))
	p, r := w.failed(t)
	wantRefused(t, r, "apply_failed")
	if r.Retry.ChangeID == "" || r.Retry.ChangeID == p.ChangeID || r.Retry.ConfirmationToken == "" || r.Retry.ExpiresAt != p.ExpiresAt {
		t.Fatalf("%s", r.raw)
	}
	first, again := w.record(t, p.ChangeID), w.record(t, r.Retry.ChangeID)
	if first.RetryID != again.ID || again.RetryOf != first.ID || again.Status != ledger.Pending || !again.ExpiresAt.Equal(first.ExpiresAt) {
		t.Errorf("the two are not linked: %+v\n%+v", first.Mutable, again)
	}
	own := cmpopts.IgnoreFields(ledger.Fixed{}, "ID", "RetryOf", "CreatedAt", "RequestHash")
	if diff := cmp.Diff(first.Fixed, again.Fixed, own); diff != "" {
		t.Errorf("the retry is of another change (-first +retry):\n%s", diff)
	}
	if s := w.status(t, again.ID); s.RetryOf != first.ID || s.Status != "pending" {
		t.Errorf("%s", s.raw)
	}
	wantRefused(t, w.apply(t, p.ChangeID, r.Retry.ConfirmationToken), "already_used")
	wantRefused(t, w.apply(t, again.ID, p.ConfirmationToken), "invalid_token")
	if a := w.apply(t, again.ID, r.Retry.ConfirmationToken); a.Status != "applied" || w.writes(t) != 1 {
		t.Errorf("%s", a.raw)
	}
}

func TestWhatIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	proved := runtime.NotApplied(errRefusedConnection)
	for name, test := range map[string]struct {
		change func(*world)
		code   string
	}{
		"not asked for": {func(w *world) { failsFirst(proved)(w); w.operation.Retry = false }, "apply_failed"},
		"no proof":      {failsFirst(errRefusedConnection), "apply_failed"},
		"conflict":      {failsFirst(runtime.Conflict("the row has moved")), "state_changed"},
		"doubt":         {failsFirst(errCut), "in_doubt"},
		"expired meanwhile": {func(w *world) {
			w.operation.Retry = true
			w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
				w.clock.move(runtime.DefaultTTL)
				return nil, proved
			}
		}, "apply_failed"},
		"late": {func(w *world) {
			w.operation.Retry, w.operation.Timeout = true, shortTimeout
			w.operation.Apply = func(ctx context.Context, _ *setChange) (*setResult, error) {
				<-ctx.Done()
				return nil, proved
			}
		}, ""},
		"another state": {func(w *world) {
			w.operation.Retry = true
			observe, looks := w.operation.Observe, 0
			w.operation.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
				s, err := observe(ctx, p)
				if looks++; looks > 1 {
					s.Value = "blue"
				}
				return s, err
			}
		}, "state_changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.change)
			p, r := w.failed(t)
			if test.code != "" {
				wantRefused(t, r, test.code)
			}
			w.closes(t)
			n, err := w.store.Count(t.Context(), ledger.Query{})
			if first := w.record(t, p.ChangeID); err != nil || n != 1 || first.RetryID != "" || r.Retry.ChangeID != "" {
				t.Errorf("%d changes, %v: %s", n, err, r.raw)
			}
		})
	}
}

// A retry waits as a preview does. Where there is no room for it the change ends as failed, and is previewed again.
func TestRetriesKeepToTheLimitOfWhatWaits(t *testing.T) {
	t.Parallel()
	running, fail := make(chan struct{}), make(chan struct{})
	w := newWorld(t, func(w *world) {
		w.operation.Retry, w.options.MaxPending = true, 1
		w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
			close(running)
			<-fail
			return nil, runtime.NotApplied(errRefusedConnection)
		}
	})
	p, other := w.preview(t, "theme", "dark"), w.connect(t)
	answer := make(chan reply)
	go func() { answer <- w.apply(t, p.ChangeID, p.ConfirmationToken) }()
	<-running
	waits := other.call(t, "preview_set_setting", map[string]string{"key": "language", "value": "de"})
	close(fail)
	r := <-answer
	wantRefused(t, r, "apply_failed")
	wantSaid(t, r, "Preview the change again", "get_change_status")
	if first := w.record(t, p.ChangeID); waits.Status != "preview" || r.Retry.ChangeID != "" || first.RetryID != "" || first.Outcome != "not_applied" {
		t.Errorf("%s: %s", waits.Status, r.raw)
	}
	if n := len(w.changes(t)); n != 2 {
		t.Errorf("%d changes", n)
	}
}

// Whoever asks about the first is led to the last, however often it failed.
func TestRetriesInARowComeToAnEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.operation.Retry = true
		w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
			return nil, runtime.NotApplied(errRefusedConnection)
		}
	})
	p, r := w.failed(t)
	const enough = 1000
	n, last := 0, ""
	for ; r.Retry.ChangeID != "" && n < enough; n++ {
		last = r.Retry.ChangeID
		r = w.apply(t, last, r.Retry.ConfirmationToken)
		wantRefused(t, r, "apply_failed")
	}
	wantSaid(t, r, "Preview the change again", "")
	if again := w.apply(t, p.ChangeID, p.ConfirmationToken); n == enough || again.Retry.ChangeID != last {
		t.Errorf("after %d retries, of which %s is the last: %s", n, last, again.raw)
	}
}

// Whoever holds the token of the failed change may have lost the answer with that of the retry.
func TestRepeatedApplyOfAFailedChangeGivesTheRetryAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, failsFirst(runtime.NotApplied(errRefusedConnection)))
	p, r := w.failed(t)
	wrong := w.apply(t, p.ChangeID, "confirm_x")
	wantRefused(t, wrong, "already_used")
	if wrong.Retry.ChangeID != "" {
		t.Errorf("without the token: %s", wrong.raw)
	}
	again := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, again, "already_used")
	if again.Retry.ChangeID != r.Retry.ChangeID || again.Retry.ConfirmationToken == "" || again.Retry.ExpiresAt != p.ExpiresAt {
		t.Fatalf("%s", again.raw)
	}
	wantRefused(t, w.apply(t, r.Retry.ChangeID, r.Retry.ConfirmationToken), "invalid_token")
	if a := w.apply(t, again.Retry.ChangeID, again.Retry.ConfirmationToken); a.Status != "applied" {
		t.Fatalf("%s", a.raw)
	}
	last := w.apply(t, p.ChangeID, p.ConfirmationToken)
	if last.Retry.ChangeID != r.Retry.ChangeID || last.Retry.ConfirmationToken != "" || w.writes(t) != 1 {
		t.Errorf("%s", last.raw)
	}
	if s := w.status(t, p.ChangeID); s.RetryID != r.Retry.ChangeID {
		t.Errorf("%s", s.raw)
	}
}

// A retry that fails as well is tried again in its turn, until the time of the first is over.
func TestRetryOfARetry(t *testing.T) {
	t.Parallel()
	proved := runtime.NotApplied(errRefusedConnection)
	w := newWorld(t, failsFirst(proved, proved))
	p, first := w.failed(t)
	second := w.apply(t, first.Retry.ChangeID, first.Retry.ConfirmationToken)
	wantRefused(t, second, "apply_failed")
	if second.Retry.ChangeID == "" || second.Retry.ExpiresAt != p.ExpiresAt {
		t.Fatalf("%s", second.raw)
	}
	last := w.apply(t, p.ChangeID, p.ConfirmationToken)
	if last.Retry.ChangeID != second.Retry.ChangeID {
		t.Errorf("the first leads to %s", last.raw)
	}
	w.clock.move(runtime.DefaultTTL)
	wantRefused(t, w.apply(t, last.Retry.ChangeID, last.Retry.ConfirmationToken), "expired")
	if over := w.apply(t, p.ChangeID, p.ConfirmationToken); over.Retry.ConfirmationToken != "" || w.writes(t) != 0 {
		t.Errorf("after its time: %s", over.raw)
	}
}

// However the ledger answers, a failure makes one retry, and the token that is told is the one that is kept.
func TestRetryWithALostAnswer(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(write func() error) error{
		"written":     func(write func() error) error { return errors.Join(errLost, write()) },
		"not written": func(func() error) error { return errLost },
		"id taken":    func(func() error) error { return fmt.Errorf("test: %w", ledger.ErrExists) },
		"busy":        func(func() error) error { return fmt.Errorf("test: %w", ledger.ErrBusy) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, f := newFaultyWorld(t, failsFirst(runtime.NotApplied(errRefusedConnection)))
			f.set(func(f *faulty) {
				f.retry = func(write func() error) error {
					f.set(func(f *faulty) { f.retry = nil })
					return fault(write)
				}
			})
			_, r := w.failed(t)
			if n, err := w.store.Count(t.Context(), ledger.Query{}); n != 2 || err != nil {
				t.Errorf("%d changes, %v", n, err)
			}
			if a := w.apply(t, r.Retry.ChangeID, r.Retry.ConfirmationToken); a.Status != "applied" || w.writes(t) != 1 {
				t.Errorf("%s\n%s", r.raw, a.raw)
			}
		})
	}
}

// A ledger that has a retry already, as one that somebody edited, takes the failure without another.
func TestRetryThatIsThereAlreadyIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t, failsFirst(runtime.NotApplied(errRefusedConnection)))
	f.set(func(f *faulty) {
		f.retry = func(func() error) error { return fmt.Errorf("test: %w", ledger.ErrRequested) }
	})
	p, r := w.failed(t)
	wantRefused(t, r, "apply_failed")
	if first := w.record(t, p.ChangeID); first.Status != ledger.ApplyFailed || first.RetryID != "" || r.Retry.ChangeID != "" {
		t.Errorf("%s\n%+v", r.raw, first.Mutable)
	}
}

// A person's yes goes on to the retry: it was to the same change, of which nothing was written. A no ends that too.
func TestRetryIsUnderTheSameYes(t *testing.T) {
	t.Parallel()
	for _, rejected := range []bool{false, true} {
		w := newWorld(t, failsFirst(runtime.NotApplied(errRefusedConnection)), func(w *world) { w.operation.Approval = runtime.ByOperator })
		ana, err := runtime.NewOperator(w.store, runtime.Decider{Name: "ana", Channel: "test"})
		if err != nil {
			t.Fatal(err)
		}
		p := w.preview(t, "theme", "dark")
		if _, err := ana.Approve(t.Context(), shownTo(t, ana, p.ChangeID, runtime.SubjectApply), "fine"); err != nil {
			t.Fatal(err)
		}
		r := w.apply(t, p.ChangeID, p.ConfirmationToken)
		wantRefused(t, r, "apply_failed")
		first, again := w.record(t, p.ChangeID), w.record(t, r.Retry.ChangeID)
		if again.Decision.By != "ana" || again.Decision.Digest == first.Decision.Digest || !again.ExpiresAt.Equal(first.ExpiresAt) {
			t.Errorf("the yes to the retry: %+v", again.Decision)
		}
		if !rejected {
			if a := w.apply(t, again.ID, r.Retry.ConfirmationToken); a.Status != "applied" {
				t.Errorf("%s", a.raw)
			}
			continue
		}
		if _, err := ana.Reject(t.Context(), shownTo(t, ana, again.ID, runtime.SubjectApply), "no more"); err != nil {
			t.Fatal(err)
		}
		wantRefused(t, w.apply(t, again.ID, r.Retry.ConfirmationToken), "rejected")
	}
}

// A retry counts for the limits of its operation, and what it tries again does not: it is proved to have written nothing.
func TestRetryCountsForLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, failsFirst(runtime.NotApplied(errRefusedConnection)), func(w *world) {
		w.operation.Limits = runtime.Limits{Changes: 1, Per: time.Hour}
	})
	_, r := w.failed(t)
	if a := w.apply(t, r.Retry.ChangeID, r.Retry.ConfirmationToken); a.Status != "applied" || w.writes(t) != 1 {
		t.Fatalf("%s", a.raw)
	}
	wantRefused(t, w.call(t, "preview_set_setting", map[string]string{"key": "language", "value": "de"}), "limit_exceeded")
}

// Everybody applies the failed change and its retry at once, on two servers: there is one retry, and one write.
func TestRacingRetriesWriteOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, failsFirst(runtime.NotApplied(errRefusedConnection)))
	other := newWorld(t, func(o *world) {
		o.options.Store, o.store, o.target, o.operation = w.store, w.store, w.target, w.operation
	})
	p := w.preview(t, "theme", "dark")
	ended := make(chan bool)
	const each = 8
	for _, server := range []*world{w, other} {
		for range each {
			client := server.connect(t)
			go func() {
				ended <- applyWithRetries(client, p)
			}()
		}
	}
	applied := 0
	for range 2 * each {
		if <-ended {
			applied++
		}
	}
	n, err := w.store.Count(t.Context(), ledger.Query{})
	if applied != 1 || n != 2 || err != nil || w.writes(t) != 1 {
		t.Errorf("%d told applied, %d changes, %d writes, %v", applied, n, w.writes(t), err)
	}
}

// applyWithRetries applies a change, and then whatever tries it again, while there is a token for it.
func applyWithRetries(c *client, p reply) (applied bool) {
	id, token := p.ChangeID, p.ConfirmationToken
	for {
		r, err := c.try(context.Background(), "apply_set_setting", map[string]string{"change_id": id, "confirmation_token": token})
		switch {
		case err != nil:
			return false
		case r.Status == "applied":
			return true
		case r.Code == "in_flight", r.Code == "invalid_token": // another caller has it, or took the token
			id, token = p.ChangeID, p.ConfirmationToken
		case r.Retry.ConfirmationToken != "":
			id, token = r.Retry.ChangeID, r.Retry.ConfirmationToken
		default:
			return false
		}
	}
}

// A retry that somebody edited in a ledger is another change, for which nobody gets a token.
func TestEditedRetryIsNotHandedOut(t *testing.T) {
	t.Parallel()
	a := &altered{}
	w := newWorld(t, failsFirst(runtime.NotApplied(errRefusedConnection)), func(w *world) {
		a.Store = w.store
		w.options.Store = a
	})
	p, r := w.failed(t)
	a.alter = func(stored *ledger.Record) {
		if stored.ID == r.Retry.ChangeID {
			stored.Payload = []byte(`{"key":"theme","value":"pink"}`)
			stored.PayloadHash = exact.Hash(stored.Payload)
		}
	}
	if again := w.apply(t, p.ChangeID, p.ConfirmationToken); again.Retry.ConfirmationToken != "" {
		t.Errorf("%s", again.raw)
	}
}

// Of calls that are made again at once, each is given a token of the retry, and the last of them is good.
func TestRacingReplaysEachGetTheRetry(t *testing.T) {
	t.Parallel()
	const replays = 12
	w := newWorld(t, failsFirst(runtime.NotApplied(errRefusedConnection)))
	p, r := w.failed(t)
	var all sync.WaitGroup
	start, answers := make(chan struct{}), make(chan reply, replays)
	for range replays {
		c := w.connect(t)
		all.Go(func() {
			<-start
			answers <- c.call(t, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
		})
	}
	close(start)
	all.Wait()
	close(answers)
	good := 0
	for again := range answers {
		if again.Retry.ChangeID != r.Retry.ChangeID || again.Retry.ConfirmationToken == "" {
			t.Errorf("%s", again.raw)
			continue
		}
		if a := w.apply(t, again.Retry.ChangeID, again.Retry.ConfirmationToken); a.Status == "applied" {
			good++
		}
	}
	if good != 1 || w.writes(t) != 1 {
		t.Errorf("%d of the tokens were good, %d bodies ran", good, w.writes(t))
	}
}
