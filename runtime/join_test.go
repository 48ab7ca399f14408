package runtime_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// A body writes in the transaction that records the change, with the looks around it.
func TestJoinedChangeIsAppliedAndUndone(t *testing.T) {
	onEachLedger(t, changesJoined)
}

func changesJoined(t *testing.T, kind ledgerKind) {
	w := newWorld(t, joinedIn(t, kind))
	a := w.applied(t, "theme", "dark")
	r, _, err := w.store.Get(t.Context(), a.ChangeID)
	if err != nil || !r.Joined || r.Holder == "" || string(r.After) != `{"locked":false,"value":"dark","version":2}` {
		t.Errorf("the record is joined %t, of %q, with %s after it; %v", r.Joined, r.Holder, r.After, err)
	}
	wantWrites(t, w.target, 1, "after the apply")
	if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" {
		t.Errorf("undo: %s", u.raw)
	}
	wantWrites(t, w.target, 2, "after the undo")
	wantTheme(t, w, "light")
}

// wantTheme checks what the theme is, as another connection sees it.
func wantTheme(t *testing.T, w *world, want string) {
	t.Helper()
	var got string
	if err := w.target.QueryRowContext(t.Context(), `SELECT value FROM settings WHERE key = 'theme'`).Scan(&got); err != nil || got != want {
		t.Errorf("the theme is %s, want %s; %v", got, want, err)
	}
}

// joinedFailures are ends of a body that has written, and the code of each; "" for one that a machine that is busy may bring
// about before its body.
var joinedFailures = map[string]struct {
	end  func(ctx context.Context) error
	code string
}{
	"an error":              {func(context.Context) error { return errors.New("broken") }, "apply_failed"},
	"a refusal":             {func(context.Context) error { return runtime.Refuse("not on Sundays") }, "refused"},
	"a conflict":            {func(context.Context) error { return runtime.Conflict("somebody was faster") }, "state_changed"},
	"an error of doubt":     {func(context.Context) error { return runtime.InDoubt(errors.New("no answer")) }, "apply_failed"},
	"a panic":               {func(context.Context) error { panic("out of order") }, "apply_failed"},
	"the end of its thread": {func(context.Context) error { goruntime.Goexit(); return nil }, "apply_failed"},
	"a transaction that it ended": {func(ctx context.Context) error {
		tx, _ := settingsIn(ctx)
		return tx.end(ctx)
	}, "apply_failed"},
	"the end of its time": {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, ""},
}

// However a joined body fails, what it wrote is gone, and that is known.
func TestJoinedBodyThatFailsWritesNothing(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		for name, c := range joinedFailures {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, joinedIn(t, kind), endingWith(t, c.end), func(w *world) {
					if c.code == "" {
						w.operation.Timeout = time.Second
					}
				})
				p := w.preview(t, "theme", "dark")
				r := w.apply(t, p.ChangeID, p.ConfirmationToken)
				wantRefused(t, r, cmp.Or(c.code, r.Code))
				w.wantNotApplied(t, p.ChangeID)
				wantTheme(t, w, "light")
			})
		}
	})
}

// endingWith has an apply write, and end as it is told to.
func endingWith(t *testing.T, end func(context.Context) error) func(*world) {
	return func(w *world) {
		write := w.operation.Apply
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			if _, err := write(ctx, c); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			return &setResult{}, end(ctx)
		}
	}
}

// wantNotApplied checks that it is recorded that a change has written nothing, and that nothing was.
func (w *world) wantNotApplied(t *testing.T, id string) {
	t.Helper()
	r, _, err := w.store.Get(t.Context(), id)
	if err != nil || r.Status != ledger.ApplyFailed || r.Outcome != "not_applied" || !r.DoubtAt.IsZero() || !r.ClaimedAt.IsZero() {
		t.Errorf("%s is %s, %q, in doubt since %s; %v", id, r.Status, r.Outcome, r.DoubtAt, err)
	}
	wantWrites(t, w.target, 0, "after a failure")
}

// An undo that fails leaves the change applied, with its token as good as before.
func TestJoinedUndoThatFailsLeavesTheChangeApplied(t *testing.T) {
	onEachLedger(t, failsJoinedUndo)
}

func failsJoinedUndo(t *testing.T, kind ledgerKind) {
	fails := true
	w := newWorld(t, joinedIn(t, kind), func(w *world) {
		undo := w.operation.Undo
		w.operation.Undo = func(ctx context.Context, c *setApplied) error {
			err := undo(ctx, c)
			if fails {
				panic("out of order")
			}
			return err
		}
	})
	a := w.applied(t, "theme", "dark")
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "undo_failed")
	wantTheme(t, w, "dark")
	fails = false
	if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" {
		t.Errorf("undo once more: %s", u.raw)
	}
	wantWrites(t, w.target, 2, "after one apply and one undo")
}

// What a joined apply that failed has left may be tried again at once: nothing of it can arrive any more.
func TestJoinedApplyThatFailedIsTriedAgain(t *testing.T) {
	t.Parallel()
	fails := errors.New("broken")
	w := newWorld(t, joined(t), func(w *world) {
		write := w.operation.Apply
		w.operation.Retry = true
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			result, err := write(ctx, c)
			return result, errors.Join(err, fails)
		}
	})
	p := w.preview(t, "theme", "dark")
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, r, "apply_failed")
	if r.Retry.ConfirmationToken == "" {
		t.Fatalf("no retry: %s", r.raw)
	}
	fails = nil
	if again := w.apply(t, r.Retry.ChangeID, r.Retry.ConfirmationToken); again.Status != "applied" {
		t.Errorf("the retry: %s", again.raw)
	}
	wantWrites(t, w.target, 1, "after a failure and a retry")
}

// The look after the claim is of the transaction that the body writes in.
func TestJoinedApplyRefusesStateChangedAfterPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t, joined(t))
	p := w.preview(t, "theme", "dark")
	if _, err := w.target.ExecContext(t.Context(), `UPDATE settings SET value = 'blue' WHERE key = 'theme'`); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "state_changed")
	w.wantNotApplied(t, p.ChangeID)
}

// A body that does not heed its context is told of as one that wrote nothing, and from then on can write nothing.
func TestJoinedBodyThatComesBackLateWritesNothing(t *testing.T) {
	onEachLedger(t, comesBackLate)
}

func comesBackLate(t *testing.T, kind ledgerKind) {
	goOn, tried := make(chan struct{}), make(chan error, 1)
	w := newWorld(t, joinedIn(t, kind), func(w *world) {
		write := w.operation.Apply
		w.operation.Timeout = time.Second
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			<-goOn
			_, err := write(context.WithoutCancel(ctx), c)
			tried <- err
			return &setResult{}, nil
		}
	})
	p := w.preview(t, "theme", "dark")
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	close(goOn)
	if r.Code == "apply_failed" { // and not because the look took all the time
		if err := <-tried; err == nil {
			t.Error("it wrote after its caller was told that nothing was written")
		}
	}
	w.wantNotApplied(t, p.ChangeID)
}

// A commit that comes after somebody has settled the claim keeps nothing.
func TestJoinedCommitAfterTheClaimWasSettledWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, joined(t), func(w *world) { w.options.Store = unhurried{&settledFirst{w.store.(*sqlite.Store)}} })
	p := w.preview(t, "theme", "dark")
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, r, "already_used")
	w.wantNotApplied(t, p.ChangeID)
	wantTheme(t, w, "light")
}

// settledFirst is a ledger in which somebody settles a claim while its holder is on the way to join it.
type settledFirst struct{ *sqlite.Store }

func (s *settledFirst) Join(ctx context.Context, body func(context.Context) (ledger.Record, ledger.Event, error)) error {
	open, err := s.List(ctx, ledger.Query{Statuses: []ledger.Status{ledger.Applying}})
	if err != nil {
		return err
	}
	for _, r := range open {
		r.Status, r.Outcome, r.ClaimedAt = ledger.ApplyFailed, "not_applied", time.Time{}
		if err := s.Swap(ctx, r, time.Time{}, ledger.Event{From: ledger.Applying, To: ledger.ApplyFailed}); err != nil {
			return err
		}
	}
	return s.Store.Join(ctx, body)
}

// A look that reads in another way than by the transaction does not see what the body wrote. Undo then refuses what it takes for a
// later edit, so that the author has to be told.
func TestLookBesideTheTransactionOfAJoinedBodyIsLogged(t *testing.T) {
	t.Parallel()
	const told = "does not see what it wrote"
	for name, beside := range map[string]bool{"beside it": true, "in it": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, joined(t), func(w *world) {
				look := w.operation.Observe
				w.operation.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
					if beside {
						ctx = context.Background()
					}
					return look(ctx, p)
				}
			})
			w.applied(t, "theme", "dark")
			if logged := strings.Contains(w.log.String(), told); logged != beside {
				t.Errorf("it is %t that it was logged: %s", logged, w.log.String())
			}
		})
	}
}

// TestJoinedClaimIsCarriedOutThoughTheLedgerIsBusy has the ledger busy after the claim, which must cost nobody a token: more than
// once, and for ever.
func TestJoinedClaimIsCarriedOutThoughTheLedgerIsBusy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		busy   int
		status string
		theme  string
	}{{2, "applied", "dark"}, {1 << 20, "apply_failed", "light"}} {
		t.Run(c.status, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, joined(t), func(w *world) { w.options.Store = unhurried{&busyJoiner{Store: w.store.(*sqlite.Store), busy: c.busy}} })
			p := w.preview(t, "theme", "dark")
			w.apply(t, p.ChangeID, p.ConfirmationToken)
			if r := w.record(t, p.ChangeID); string(r.Status) != c.status {
				t.Errorf("the change is %s, want %s: %s", r.Status, c.status, r.Error)
			}
			wantTheme(t, w, c.theme)
		})
	}
}

// busyJoiner is a ledger that cannot be joined for some time.
type busyJoiner struct {
	*sqlite.Store
	busy int // how many more times
}

func (s *busyJoiner) Join(ctx context.Context, body func(context.Context) (ledger.Record, ledger.Event, error)) error {
	if s.busy--; s.busy >= 0 {
		return fmt.Errorf("%w: %w", ledger.ErrRolledBack, ledger.ErrBusy)
	}
	return s.Store.Join(ctx, body)
}

// left makes a change with a joined claim of somebody that the ledger does not know.
func (w *world) left(t *testing.T) reply {
	t.Helper()
	p := w.preview(t, "theme", "dark")
	r, _, err := w.store.Get(t.Context(), p.ChangeID)
	if err != nil {
		t.Fatal(err)
	}
	r.Status, r.ClaimID, r.Holder, r.Joined, r.ClaimedAt = ledger.Applying, "claim", "nobody", true, time.Now()
	if err := w.store.Swap(t.Context(), r, time.Time{}, ledger.Event{From: ledger.Pending, To: ledger.Applying}); err != nil {
		t.Fatal(err)
	}
	return p
}

// Whoever asks about a joined claim that nobody carries out any more finds it settled.
func TestJoinedClaimOfNobodyIsSettledWhenAskedFor(t *testing.T) {
	t.Parallel()
	asking := map[string]func(*testing.T, *world, reply){
		"a status": func(t *testing.T, w *world, p reply) {
			if s := w.call(t, "get_change_status", map[string]string{"change_id": p.ChangeID}); s.Status != "apply_failed" || s.InDoubt {
				t.Errorf("%s", s.raw)
			}
		},
		"an apply": func(t *testing.T, w *world, p reply) {
			wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "already_used")
		},
		"an undo": func(t *testing.T, w *world, p reply) {
			wantRefused(t, w.undo(t, p.ChangeID, "undo_x"), "not_undoable")
		},
		"a look": func(t *testing.T, w *world, p reply) {
			if v, err := w.guard.Reconcile(t.Context(), p.ChangeID); v != runtime.NotDone || err != nil {
				t.Errorf("the look found %s, %v", v, err)
			}
		},
		"a start": func(t *testing.T, w *world, _ reply) { w.restart(t) },
		"an operator": func(t *testing.T, w *world, p reply) {
			ana, err := runtime.NewOperator(w.store, runtime.Decider{Name: "ana", Channel: "test"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := settle(t.Context(), ana, p.ChangeID, runtime.Done, "looked"); !errors.Is(err, runtime.ErrNotDone) {
				t.Errorf("done: %v", err)
			}
			if _, err := settle(t.Context(), ana, p.ChangeID, runtime.NotDone, "looked"); err != nil {
				t.Errorf("not done: %v", err)
			}
		},
	}
	for name, ask := range asking {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, joined(t))
			p := w.left(t)
			ask(t, w, p)
			w.wantNotApplied(t, p.ChangeID)
			if strings.Contains(w.log.String(), "in doubt") {
				t.Errorf("the log speaks of doubt:\n%s", w.log)
			}
		})
	}
}

// An operation whose bodies need the transaction of a ledger is registered with one that gives it, for as long as it may.
func TestRegisterRefusesJoinedWhereTheLedgerCannotBeJoined(t *testing.T) {
	t.Parallel()
	alone := func(w *world) { w.options.Store = struct{ ledger.Store }{w.store} }
	slow := func(w *world) { w.operation.Timeout = sqlite.MaxJoin + time.Millisecond }
	for want, change := range map[string]func(*world){
		"its Joined needs a ledger": alone,
		"its Timeout is 2.001s, and others wait for this ledger while a joined body runs: give it a Timeout of at most 2s, or none": slow,
	} {
		w := newWorld(t, change)
		o := joinedOperation(w.target)
		o.Timeout = w.operation.Timeout
		err := w.guard.Register(mcp.NewServer(&mcp.Implementation{Name: "other", Version: "1"}, nil), runtime.Spec{Server: "other", Schemas: settings.Schemas}, o)
		if err == nil || !strings.Contains(err.Error(), "set_setting: "+want) {
			t.Errorf("%s: got error %v", want, err)
		}
	}
}
