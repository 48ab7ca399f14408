package runtime_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// operatorOf is ana, at the ledger of a world.
func operatorOf(t testing.TB, store ledger.Store) *runtime.Operator {
	t.Helper()
	o, err := runtime.NewOperator(store, runtime.Decider{Name: "ana", Channel: "changesetctl"})
	if err != nil {
		t.Fatalf("new operator: %v", err)
	}
	return o
}

// settle gives a verdict on what is claimed now.
func settle(ctx context.Context, o *runtime.Operator, id string, v runtime.Verdict, note string) (runtime.View, error) {
	seen, err := o.Get(ctx, id)
	if err != nil {
		return seen, err
	}
	return o.Reconcile(ctx, seen.Seen, v, note)
}

// view reads a change as the operator sees it.
func view(t testing.TB, o *runtime.Operator, id string) runtime.View {
	t.Helper()
	v, err := o.Get(t.Context(), id)
	if err != nil {
		t.Fatalf("get %s: %v", id, err)
	}
	return v
}

// shownTo is a change as it is shown to an operator who decides on its apply or its undo, whether that can be or not.
func shownTo(t testing.TB, o *runtime.Operator, id string, what runtime.Subject) runtime.Seen {
	t.Helper()
	seen := view(t, o, id).Seen
	seen.Subject = what
	return seen
}

// doubtful makes the apply body of a world write and then say that nobody knows.
func doubtful(w *world) {
	apply := w.operation.Apply
	w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
		if _, err := apply(ctx, c); err != nil {
			return nil, err
		}
		return nil, runtime.InDoubt(errors.New("the answer was cut short"))
	}
}

func TestOperatorNeedsALedgerAndANameAndAChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, test := range map[string]struct {
		store ledger.Store
		who   runtime.Decider
	}{
		"no ledger":           {nil, runtime.Decider{Name: "ana", Channel: "page"}},
		"no name":             {w.store, runtime.Decider{Name: " ", Channel: "page"}},
		"no channel":          {w.store, runtime.Decider{Name: "ana"}},
		"the agent's channel": {w.store, runtime.Decider{Name: "ana", Channel: "agent"}},
	} {
		if _, err := runtime.NewOperator(test.store, test.who); err == nil {
			t.Errorf("%s: an operator was made", name)
		}
	}
}

func TestOperatorSeesAChangeAsItWasShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.preview(t, "theme", "dark\u202e")
	v := view(t, operatorOf(t, w.store), p.ChangeID)
	if v.ID != p.ChangeID || v.Server != "settings" || v.Operation != "set_setting" || v.Status != ledger.Pending ||
		v.Seen.Subject != runtime.SubjectApply || v.Summary != p.Summary || !v.Undoable {
		t.Errorf("%+v", v)
	}
	if len(v.Diff) != 1 || string(v.Diff[0].After) != string(p.Diff[0].After) || len(v.Lines) != 1 || strings.Contains(v.Lines[0], "\u202e") {
		t.Errorf("diff %+v, lines %q", v.Diff, v.Lines)
	}
	if len(v.Events) != 1 || v.Events[0].Actor != "agent" || v.Events[0].To != ledger.Pending || v.Events[0].At.IsZero() {
		t.Errorf("events %+v", v.Events)
	}
}

func TestNothingAnOperatorSeesHoldsAToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, notAsked)
	o := operatorOf(t, w.store)
	p := w.preview(t, "theme", "dark")
	approved, err := o.Approve(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectApply), "")
	if err != nil {
		t.Fatal(err)
	}
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	listed, err := o.List(t.Context(), ledger.Query{})
	if err != nil {
		t.Fatal(err)
	}
	requested, err := o.RequestUndo(t.Context(), view(t, o, p.ChangeID).Seen, "not wanted")
	if err != nil {
		t.Fatal(err)
	}
	r := w.record(t, p.ChangeID)
	secrets := []string{p.ConfirmationToken, a.UndoToken}
	for _, hash := range [][]byte{r.ApplyToken, r.UndoToken} {
		secrets = append(secrets, hex.EncodeToString(hash), base64.StdEncoding.EncodeToString(hash), base64.RawURLEncoding.EncodeToString(hash))
	}
	for _, v := range append(listed, approved, requested, view(t, o, p.ChangeID)) {
		encoded, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, seen := range []string{string(encoded), fmt.Sprintf("%+v", v)} {
			for _, secret := range secrets {
				if secret == "" || strings.Contains(seen, secret) {
					t.Errorf("%q is in %s", secret, seen)
				}
			}
		}
		if bytes.Contains(encoded, []byte(`"payload":`)) {
			t.Errorf("the payload is in %s", encoded)
		}
	}
}

func TestOfTwoDecisionsAtOnceOneIsMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.preview(t, "theme", "dark")
	const people = 8
	errs := make([]error, people)
	seen := shownTo(t, operatorOf(t, w.store), p.ChangeID, runtime.SubjectApply)
	var wait sync.WaitGroup
	for i := range people {
		o := operatorOf(t, w.store)
		wait.Go(func() {
			_, errs[i] = o.Approve(t.Context(), seen, fmt.Sprint("person ", i))
		})
	}
	wait.Wait()
	made := -1
	for i, err := range errs {
		switch {
		case err == nil && made < 0:
			made = i
		case !errors.Is(err, runtime.ErrDecided):
			t.Errorf("person %d: %v", i, err)
		}
	}
	v := view(t, operatorOf(t, w.store), p.ChangeID)
	if made < 0 || v.Decision == nil || v.Decision.Reason != fmt.Sprint("person ", made) || len(v.Events) != 2 {
		t.Errorf("person %d; %+v, %d events", made, v.Decision, len(v.Events))
	}
}

func TestRejectedChangeIsNotApplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := operatorOf(t, w.store)
	p := w.preview(t, "theme", "dark")
	if _, err := o.Approve(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectApply), ""); err != nil {
		t.Fatal(err)
	}
	v, err := o.Reject(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectApply), "  not before the release ")
	if err != nil || v.Status != ledger.Rejected || v.Decision.Reason != "not before the release" {
		t.Fatalf("%v: %+v", err, v.Decision)
	}
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, r, "rejected")
	if !strings.Contains(r.Message, "not before the release") || w.writes(t) != 0 {
		t.Errorf("%s, %d writes", r.Message, w.writes(t))
	}
}

// A decision must not come in time only because it waited for its turn.
func TestDecisionIsInTimeByTheLedgersClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := operatorOf(t, w.store)
	p := w.preview(t, "theme", "dark")
	seen := shownTo(t, o, p.ChangeID, runtime.SubjectApply)
	w.clock.move(runtime.DefaultTTL)
	for name, err := range map[string]error{
		"approve": second(o.Approve(t.Context(), seen, "")),
		"reject":  second(o.Reject(t.Context(), seen, "no")),
	} {
		if !errors.Is(err, runtime.ErrTooLate) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if v := view(t, o, p.ChangeID); v.Status != ledger.Expired || v.Seen.Subject != runtime.SubjectNone {
		t.Errorf("%s, subject %q", v.Status, v.Seen.Subject)
	}
}

func second[T any](_ T, err error) error { return err }

// Time passes while a decision waits for its turn.
func TestDecisionThatWaitedTooLongIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.preview(t, "theme", "dark")
	store := newFaulty(w.store)
	store.swap = func(_ ledger.Status, write func() error) error {
		w.clock.move(runtime.DefaultTTL)
		return write()
	}
	_, err := operatorOf(t, store).Approve(t.Context(), shownTo(t, operatorOf(t, w.store), p.ChangeID, runtime.SubjectApply), "")
	if !errors.Is(err, runtime.ErrTooLate) || w.record(t, p.ChangeID).Decision.Verdict != "" {
		t.Errorf("%v", err)
	}
}

func TestLostAnswerToADecisionIsLookedUp(t *testing.T) {
	t.Parallel()
	lost := errors.New("the connection was lost")
	for name, wrote := range map[string]bool{"written": true, "not written": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.preview(t, "theme", "dark")
			store := newFaulty(w.store)
			store.swap = func(_ ledger.Status, write func() error) error {
				if wrote {
					if err := write(); err != nil {
						return err
					}
				}
				return lost
			}
			_, err := operatorOf(t, store).Approve(t.Context(), shownTo(t, operatorOf(t, w.store), p.ChangeID, runtime.SubjectApply), "")
			if wrote && err != nil || !wrote && !errors.Is(err, lost) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestUnknownIdIsNoChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := operatorOf(t, w.store)
	for _, id := range []string{"", "chg_", "chg_00000000000000000000", "'; --", "\x1b[2J"} {
		seen := runtime.Seen{ID: id, Subject: runtime.SubjectApply, Claim: "a claim"}
		for name, err := range map[string]error{
			"get":       second(o.Get(t.Context(), id)),
			"approve":   second(o.Approve(t.Context(), seen, "")),
			"reject":    second(o.Reject(t.Context(), seen, "no")),
			"undo":      second(o.RequestUndo(t.Context(), seen, "")),
			"reconcile": second(o.Reconcile(t.Context(), seen, runtime.Done, "looked")),
		} {
			if !errors.Is(err, runtime.ErrNoSuchChange) {
				t.Errorf("%s %q: %v", name, id, err)
			}
		}
	}
}

func TestReasonThatCannotBeKeptIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := operatorOf(t, w.store)
	p := w.preview(t, "theme", "dark")
	for _, reason := range []string{"\xff", strings.Repeat("x", 5000)} {
		if _, err := o.Reject(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectApply), reason); !errors.Is(err, runtime.ErrReason) {
			t.Errorf("%.5q: %v", reason, err)
		}
	}
}

func TestReconcileSettlesWhatIsInDoubt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		verdict runtime.Verdict
		want    ledger.Status
	}{{runtime.Done, ledger.Applied}, {runtime.NotDone, ledger.ApplyFailed}} {
		t.Run(string(test.want), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, doubtful)
			o := operatorOf(t, w.store)
			p := w.preview(t, "theme", "dark")
			wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "in_doubt")
			seen := view(t, o, p.ChangeID)
			if !seen.InDoubt || seen.DoubtReason == "" || seen.Holder != "alive" {
				t.Errorf("in doubt %v, %q, holder %s", seen.InDoubt, seen.DoubtReason, seen.Holder)
			}
			if _, err := o.Reconcile(t.Context(), seen.Seen, test.verdict, " "); !errors.Is(err, runtime.ErrReason) {
				t.Errorf("without a note: %v", err)
			}
			v, err := o.Reconcile(t.Context(), seen.Seen, test.verdict, "the row says so")
			if err != nil || v.Status != test.want || v.InDoubt {
				t.Fatalf("%v: %+v", err, v)
			}
			events := view(t, o, p.ChangeID).Events
			if last := events[len(events)-1]; last.Actor != "operator" || !strings.Contains(last.Reason, "the row says so") {
				t.Errorf("%+v", last)
			}
			if _, err := o.Reconcile(t.Context(), seen.Seen, test.verdict, "again"); !errors.Is(err, runtime.ErrNotInDoubt) {
				t.Errorf("twice: %v", err)
			}
			if r := w.status(t, p.ChangeID); r.Status != string(test.want) || w.writes(t) != 1 {
				t.Errorf("%s; %d writes", r.raw, w.writes(t))
			}
		})
	}
}

// An agent that asks after an operator found nothing made must not be sent to look for what that operator looked for.
func TestWhatAnOperatorFoundNotDoneSendsNobodyToLookAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, doubtful)
	o := operatorOf(t, w.store)
	p := w.preview(t, "theme", "dark")
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "in_doubt")
	if _, err := settle(t.Context(), o, p.ChangeID, runtime.NotDone, "no such row"); err != nil {
		t.Fatal(err)
	}
	status, again := w.status(t, p.ChangeID), w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, again, "already_used")
	if !strings.Contains(status.Message, "not made: no such row") || !strings.Contains(again.Message, "no such row") ||
		w.record(t, p.ChangeID).Outcome != "unknown" {
		t.Errorf("%s\n%s", status.raw, again.raw)
	}
	for _, next := range []string{status.NextStep, again.Hint} {
		if !strings.Contains(next, "noted that it was not made") || !strings.Contains(next, "preview it again") || strings.Contains(next, "is not known") {
			t.Error(next)
		}
	}
}

func TestReconcileLeavesAloneWhatIsCarriedOut(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	w := newWorld(t, func(w *world) {
		apply := w.operation.Apply
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			close(entered)
			<-leave
			return apply(ctx, c)
		}
	})
	o := operatorOf(t, w.store)
	p := w.preview(t, "theme", "dark")
	done := make(chan reply)
	go func() { done <- w.apply(t, p.ChangeID, p.ConfirmationToken) }()
	<-entered
	_, err := settle(t.Context(), o, p.ChangeID, runtime.NotDone, "impatient")
	v := view(t, o, p.ChangeID)
	close(leave)
	if !errors.Is(err, runtime.ErrInFlight) || v.InDoubt || v.Holder != "alive" {
		t.Errorf("%v; in doubt %v, holder %s", err, v.InDoubt, v.Holder)
	}
	if r := <-done; r.Status != "applied" {
		t.Errorf("%s", r.raw)
	}
}

func TestPendingIsWhatWaitsForAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := operatorOf(t, w.store)
	w.preview(t, "theme", "token") // its token is enough
	wait := insertWaiting(t, w, "chg_00000000000000000001", func(*ledger.Record) {})
	insertWaiting(t, w, "chg_00000000000000000002", func(r *ledger.Record) { r.Decision.Verdict = ledger.Approved })
	insertWaiting(t, w, "chg_00000000000000000003", func(r *ledger.Record) { r.ExpiresAt = r.CreatedAt.Add(time.Millisecond) })
	undo := insertWaiting(t, w, "chg_00000000000000000000", func(r *ledger.Record) {
		r.Status, r.ClaimID, r.UndoToken, r.UndoExpiresAt = ledger.Applied, "c", []byte("hash"), r.ExpiresAt
		r.UndoRequest = ledger.Request{At: r.CreatedAt, By: "agent", Channel: "agent"}
	})
	w.clock.move(time.Second)
	waits := func() (found []string) {
		t.Helper()
		views, err := o.Pending(t.Context(), runtime.PendingQuery{})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range views {
			found = append(found, v.ID+" "+string(v.Seen.Subject))
		}
		return found
	}
	if got, want := waits(), []string{undo + " undo", wait + " apply"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := o.Approve(t.Context(), shownTo(t, o, undo, runtime.SubjectUndo), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Reject(t.Context(), shownTo(t, o, wait, runtime.SubjectApply), "no"); err != nil {
		t.Fatal(err)
	}
	if got := waits(); len(got) != 0 {
		t.Errorf("after decisions: %q", got)
	}
}

// Whether a body runs on is for nobody to decide. That nobody knows what one did is for a person to find out.
func TestPendingHasWhatIsInDoubtAndNotWhatIsCarriedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, doubtful)
	o := operatorOf(t, w.store)
	waits := insertWaiting(t, w, "chg_00000000000000000001", func(*ledger.Record) {})
	doubt := insertWaiting(t, w, "chg_00000000000000000002", func(r *ledger.Record) {
		r.Status, r.ClaimID, r.UndoToken, r.UndoExpiresAt, r.DoubtAt = ledger.Undoing, "c", []byte("hash"), r.ExpiresAt, r.CreatedAt
	})
	hold, err := w.store.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	insertWaiting(t, w, "chg_00000000000000000003", func(r *ledger.Record) {
		r.Status, r.ClaimID, r.Holder = ledger.Applying, "c", hold.Name()
	})
	left := w.preview(t, "theme", "dark")
	if a := w.apply(t, left.ChangeID, left.ConfirmationToken); a.Code != "in_doubt" {
		t.Fatal(a.raw)
	}
	listed := func(q runtime.PendingQuery) (found []string) {
		t.Helper()
		views, err := o.Pending(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range views {
			found = append(found, v.ID+" "+string(v.WaitsFor))
		}
		return found
	}
	want := []string{waits + " approval", doubt + " reconcile", left.ChangeID + " reconcile"}
	slices.Sort(want)
	if got := listed(runtime.PendingQuery{}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := listed(runtime.PendingQuery{Server: "elsewhere"}); len(got) != 0 {
		t.Errorf("of another server: %q", got)
	}
	for _, id := range []string{doubt, left.ChangeID} {
		if _, err := settle(t.Context(), o, id, runtime.NotDone, "it is not there"); err != nil {
			t.Fatal(err)
		}
	}
	if got := listed(runtime.PendingQuery{}); !slices.Equal(got, []string{waits + " approval"}) {
		t.Errorf("settled: %q", got)
	}
}

func TestRehearsalWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := operatorOf(t, w.store).Rehearse()
	p := w.preview(t, "theme", "dark")
	before := w.record(t, p.ChangeID)
	v, err := o.Approve(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectApply), "")
	if err != nil || v.Decision == nil {
		t.Fatalf("%v: %+v", err, v)
	}
	v, err = o.Reject(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectApply), "no")
	if err != nil || v.Status != ledger.Rejected {
		t.Fatalf("%v: %+v", err, v)
	}
	if _, err := o.RequestUndo(t.Context(), view(t, o, p.ChangeID).Seen, ""); !errors.Is(err, runtime.ErrNotUndoable) {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff(before, w.record(t, p.ChangeID)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// waitingChange is a change that waits for a person, an hour long, changed by the test.
func waitingChange(now time.Time, id string, change func(*ledger.Record)) ledger.Record {
	r := ledger.Record{
		Fixed: ledger.Fixed{
			ID: id, Server: "settings", Operation: "set_setting", Payload: []byte(`{}`), Shown: []byte(`{"rows":[],"summary":"Set theme"}`),
			CreatedAt: now, TTL: time.Minute, UndoTTL: time.Hour, Approval: "operator", UndoApproval: "operator",
		},
		Mutable: ledger.Mutable{Status: ledger.Pending, ExpiresAt: now.Add(time.Hour)},
	}
	change(&r)
	return r
}

// insertWaiting inserts a waitingChange.
func insertWaiting(t testing.TB, w *world, id string, change func(*ledger.Record)) string {
	t.Helper()
	r := waitingChange(w.clock.read(), id, change)
	if err := w.store.Insert(t.Context(), r, ledger.Event{Actor: "agent", To: r.Status}); err != nil {
		t.Fatalf("insert %s: %v", id, err)
	}
	return id
}

func TestExpireWritesDownWhatIsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := operatorOf(t, w.store)
	p := w.preview(t, "theme", "dark")
	undo := insertWaiting(t, w, "chg_00000000000000000001", func(r *ledger.Record) {
		r.Status, r.ClaimID, r.UndoToken, r.UndoExpiresAt = ledger.Applied, "c", []byte("hash"), r.ExpiresAt
		r.UndoRequest = ledger.Request{At: r.CreatedAt, By: "agent", Channel: "agent"}
	})
	if n, err := o.Expire(t.Context()); n != 0 || err != nil {
		t.Fatalf("too early: %d, %v", n, err)
	}
	w.clock.move(time.Hour)
	if n, err := o.Rehearse().Expire(t.Context()); n != 2 || err != nil || w.record(t, p.ChangeID).Status != ledger.Pending {
		t.Fatalf("rehearsed: %d, %v", n, err)
	}
	if n, err := o.Expire(t.Context()); n != 2 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if r := w.record(t, p.ChangeID); r.Status != ledger.Expired {
		t.Errorf("%s", r.Status)
	}
	if r := w.record(t, undo); r.Status != ledger.Applied || r.UndoRequest.Channel != "" {
		t.Errorf("%s, %+v", r.Status, r.UndoRequest)
	}
	if n, err := o.Expire(t.Context()); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
}

func TestClockThatRunsBehindKeepsAnOperatorFromDeciding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.preview(t, "theme", "dark")
	o := operatorOf(t, w.store)
	seen := view(t, o, p.ChangeID).Seen
	w.clock.move(-10 * runtime.DefaultMaxClockSkew)
	if _, err := o.Approve(t.Context(), seen, ""); !errors.Is(err, runtime.ErrClockBehind) {
		t.Errorf("%v", err)
	}
	if _, err := o.WithMaxClockSkew(11*runtime.DefaultMaxClockSkew).Approve(t.Context(), seen, ""); err != nil {
		t.Errorf("within what the servers allow: %v", err)
	}
}
