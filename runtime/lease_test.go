package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// stopped are bodies that run until their context ends, and then until the test lets them end.
type stopped struct {
	running chan struct{} // has an element for each that runs
	cause   chan error    // why its context ended
	release chan struct{} // closed by the test
}

func newStopped() *stopped {
	return &stopped{running: make(chan struct{}, 1), cause: make(chan error, 1), release: make(chan struct{})}
}

func (s *stopped) wait(ctx context.Context) {
	s.running <- struct{}{}
	<-ctx.Done()
	s.cause <- context.Cause(ctx)
	<-s.release
}

// apply makes the applies of a world stopped bodies, which end as end says.
func (s *stopped) apply(end func(write func() (*setResult, error)) (*setResult, error)) func(*world) {
	return func(w *world) {
		apply := w.operation.Apply
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			s.wait(ctx)
			return end(func() (*setResult, error) { return apply(context.WithoutCancel(ctx), c) })
		}
	}
}

// undo does so with its undos.
func (s *stopped) undo(end func(write func() error) error) func(*world) {
	return func(w *world) {
		undo := w.operation.Undo
		w.operation.Undo = func(ctx context.Context, c *setApplied) error {
			s.wait(ctx)
			return end(func() error { return undo(context.WithoutCancel(ctx), c) })
		}
	}
}

// later makes a call that is answered when the test asks for it.
func later(t *testing.T, c *client, tool string, arguments map[string]string) <-chan reply {
	t.Helper()
	answered := make(chan reply, 1)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	go func() {
		defer cancel()
		r, err := c.try(ctx, tool, arguments)
		if err != nil {
			t.Errorf("%s: %v", tool, err)
		}
		answered <- r
	}()
	return answered
}

func laterApply(t *testing.T, w *world, p reply) <-chan reply {
	t.Helper()
	return later(t, w.connect(t), "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
}

// wantCut waits for a body whose context ends because the ledger may take its holder for gone.
func (s *stopped) wantCut(t *testing.T) {
	t.Helper()
	if cause := <-s.cause; !strings.Contains(cause.Error(), "the ledger has not heard of this process for too long") {
		t.Errorf("the context of the body ended with: %v", cause)
	}
}

var errStopped = errors.New("stopped in the middle of hunter2")

// wroteAfterAll, provedNothing and cutShort are how a body may end after its context.
func wroteAfterAll(write func() (*setResult, error)) (*setResult, error) { return write() }

func provedNothing(func() (*setResult, error)) (*setResult, error) {
	return nil, runtime.NotApplied(errStopped)
}

func cutShort(func() (*setResult, error)) (*setResult, error) { return nil, errStopped }

const (
	lostWhileApplied = "its server lost touch with the ledger while its apply ran"
	lostAndNoAnswer  = "its server lost touch with the ledger. Then its apply ended without an answer"
)

// A body whose holder may soon be taken for gone is told to end. If it does not, its caller is told of the doubt, and what it
// returns settles the change.
func TestBodyUnderALostHoldIsSettledAsItSays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end    func(func() (*setResult, error)) (*setResult, error)
		status ledger.Status
		bodies int
		doubt  string
	}{
		"it wrote after all":        {wroteAfterAll, ledger.Applied, 1, ""},
		"it proves that it did not": {provedNothing, ledger.ApplyFailed, 0, ""},
		"it does not say":           {cutShort, ledger.Applying, 0, lostAndNoAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStopped()
			w, l := newLeasingWorld(t, s.apply(test.end))
			p := w.preview(t, "theme", "dark")
			answer := laterApply(t, w, p)
			<-s.running
			l.lose(0)
			s.wantCut(t)
			told := <-answer
			wantRefused(t, told, "in_doubt")
			wantSaid(t, told, lostWhileApplied, "hunter2")
			close(s.release)
			w.closes(t)
			r := w.record(t, p.ChangeID)
			if r.Status != test.status || w.writes(t) != test.bodies || !strings.HasPrefix(r.DoubtReason, test.doubt) || (test.doubt == "") != (r.DoubtReason == "") {
				t.Errorf("%+v, %d bodies wrote", r.Mutable, w.writes(t))
			}
			if r.Status == ledger.ApplyFailed && r.Outcome != "not_applied" {
				t.Errorf("%+v", r.Mutable)
			}
		})
	}
}

// A body that ends when it is told to is no doubt: its caller is told what it returned.
func TestBodyThatEndsAtALossIsToldAsItSays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(func() (*setResult, error)) (*setResult, error)
		want string // status, or code
	}{
		"it wrote after all":        {wroteAfterAll, "applied"},
		"it proves that it did not": {provedNothing, "apply_failed"},
		"it does not say":           {cutShort, "in_doubt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				s := newStopped()
				close(s.release)
				w, l := newLeasingWorld(t, s.apply(test.end))
				answer := laterApply(t, w, w.preview(t, "theme", "dark"))
				<-s.running
				l.lose(0)
				told := <-answer
				if told.Status != test.want && told.Code != test.want {
					t.Errorf("%s, want %s", told.raw, test.want)
				}
				wantSaid(t, told, "", "It was still running then")
			})
		})
	}
}

func TestUndoUnderALostHoldIsSettledAsItSays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end    func(write func() error) error
		status ledger.Status
		bodies int
	}{
		"it wrote after all":        {func(write func() error) error { return write() }, ledger.Undone, 2},
		"it proves that it did not": {func(func() error) error { return runtime.NotApplied(errStopped) }, ledger.Applied, 1},
		"it does not say":           {func(func() error) error { return errStopped }, ledger.Undoing, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStopped()
			w, l := newLeasingWorld(t, s.undo(test.end))
			a := w.applied(t, "theme", "dark")
			answer := later(t, w.connect(t), "undo_set_setting", map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken})
			<-s.running
			l.lose(0)
			s.wantCut(t)
			told := <-answer
			wantRefused(t, told, "in_doubt")
			wantSaid(t, told, "its server lost touch with the ledger while its undo ran", "hunter2")
			close(s.release)
			w.closes(t)
			if r := w.record(t, a.ChangeID); r.Status != test.status || w.writes(t) != test.bodies {
				t.Errorf("%+v, %d bodies wrote", r.Mutable, w.writes(t))
			}
		})
	}
}

// Between the claim and the body there is a look. When the hold is lost in that time, the body is not run any more.
func TestNoBodyBeginsUnderALostHold(t *testing.T) {
	t.Parallel()
	for name, undo := range map[string]bool{"apply": false, "undo": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l *leasing
			var id atomic.Value
			w, l := newLeasingWorld(t, func(w *world) {
				observe := w.operation.Observe
				w.operation.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
					if id, ok := id.Load().(string); ok && w.record(t, id).ClaimID != "" && (!undo || w.record(t, id).Status == ledger.Undoing) {
						l.lose(0)
						<-ctx.Done()
						ctx = context.WithoutCancel(ctx) // what the look sees does not count any more
					}
					return observe(ctx, p)
				}
			})
			p, want, code := w.preview(t, "theme", "dark"), ledger.ApplyFailed, "apply_failed"
			call := func() reply { return w.apply(t, p.ChangeID, p.ConfirmationToken) }
			if undo {
				a := call()
				want, code, call = ledger.Applied, "undo_failed", func() reply { return w.undo(t, a.ChangeID, a.UndoToken) }
			}
			bodies := w.writes(t)
			id.Store(p.ChangeID)
			told := call()
			wantRefused(t, told, code)
			wantSaid(t, told, "was not begun, because this server lost touch with the ledger", "")
			if r := w.record(t, p.ChangeID); r.Status != want || w.writes(t) != bodies || !undo && r.Outcome != "not_applied" {
				t.Errorf("%+v, %d bodies wrote", r.Mutable, w.writes(t))
			}
		})
	}
}

// After a loss the next claim is made with another hold, and the lost one is given up when nothing of it runs any more.
func TestClaimAfterALossIsMadeWithAnotherHold(t *testing.T) {
	t.Parallel()
	s := newStopped()
	w, l := newLeasingWorld(t, s.undo(func(write func() error) error { return write() }))
	a := w.applied(t, "theme", "dark")
	answer := later(t, w.connect(t), "undo_set_setting", map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken})
	<-s.running
	l.lose(0)
	<-answer
	b := w.applied(t, "language", "de")
	if r := w.record(t, b.ChangeID); r.Holder != l.hold(1).Name() {
		t.Errorf("it is held by %s", r.Holder)
	}
	if l.hold(0).isReleased() {
		t.Error("a hold was released whose body runs")
	}
	close(s.release)
	wait(t, l.hold(0).released, "the release of the lost hold")
	if l.hold(1).isReleased() {
		t.Error("the hold in use was released")
	}
	w.closes(t)
	if !l.hold(1).isReleased() || w.record(t, a.ChangeID).Status != ledger.Undone {
		t.Errorf("after the end: %s", w.record(t, a.ChangeID).Status)
	}
}

// Many claims at once take one hold together.
func TestClaimsAfterALossShareAHold(t *testing.T) {
	t.Parallel()
	w, l := newLeasingWorld(t)
	var previews []reply
	for n := range 8 {
		previews = append(previews, w.preview(t, "theme", fmt.Sprint("dark", n)))
	}
	l.lose(0)
	var answers []<-chan reply
	for _, p := range previews {
		answers = append(answers, laterApply(t, w, p))
	}
	for _, answer := range answers {
		if r := <-answer; r.Status != "applied" && r.Code != "state_changed" {
			t.Errorf("%s", r.raw)
		}
	}
	w.closes(t)
	if len(l.holds) != 2 || !l.hold(0).isReleased() || !l.hold(1).isReleased() {
		t.Errorf("%d holds were taken", len(l.holds))
	}
}

// The ledger may take a holder for gone before the holder knows. Then it refuses the claim, which is made once more with
// another hold, and what the first one has under way is told to end.
func TestClaimThatIsRefusedForItsHoldIsMadeWithAnother(t *testing.T) {
	t.Parallel()
	s := newStopped()
	w, l := newLeasingWorld(t, s.undo(func(write func() error) error { return write() }))
	a, p := w.applied(t, "theme", "dark"), w.preview(t, "language", "de")
	answer := later(t, w.connect(t), "undo_set_setting", map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken})
	<-s.running
	l.seen(0, ledger.Gone)
	b := w.apply(t, p.ChangeID, p.ConfirmationToken)
	if r := w.record(t, p.ChangeID); b.Status != "applied" || r.Holder != l.hold(1).Name() || w.writes(t) != 2 {
		t.Errorf("%s, held by %s, %d bodies wrote", b.raw, r.Holder, w.writes(t))
	}
	s.wantCut(t)
	wantRefused(t, <-answer, "in_doubt")
	close(s.release)
	w.closes(t)
	if w.record(t, a.ChangeID).Status != ledger.Undone || w.writes(t) != 3 {
		t.Errorf("the body that was cut off: %s", w.record(t, a.ChangeID).Status)
	}
}

// While no hold can be had, a claim is refused as the ledger says, and nothing is spent. What would be refused anyhow is
// refused as ever.
func TestClaimWithoutAHoldSpendsNothing(t *testing.T) {
	t.Parallel()
	w, l := newLeasingWorld(t)
	p := w.preview(t, "theme", "dark")
	l.refusing(fmt.Errorf("test: %w", ledger.ErrUnavailable))
	l.lose(0)
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "ledger_unavailable")
	wantRefused(t, w.apply(t, p.ChangeID, "confirm_x"), "invalid_token")
	if r := w.record(t, p.ChangeID); r.Status != ledger.Pending || w.writes(t) != 0 {
		t.Fatalf("%+v", r.Mutable)
	}
	l.refusing(nil)
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	if r := w.record(t, p.ChangeID); a.Status != "applied" || r.Holder != l.hold(1).Name() || w.writes(t) != 1 {
		t.Errorf("%s, held by %s", a.raw, r.Holder)
	}
}

// Whoever asks the ledger who is there finds a server that claims nothing, as it did before the loss.
func TestServerIsRegisteredAnewOnceTheLedgerAnswers(t *testing.T) {
	t.Parallel()
	w, l := newLeasingWorld(t)
	l.refusing(fmt.Errorf("test: %w", ledger.ErrUnavailable))
	l.lose(0)
	l.asking.wait(t, func() bool { return l.timesAsked() >= 3 }) // with the first one, which it had
	l.refusing(nil)
	wait(t, l.hold(0).released, "the release of the lost hold")
	w.closes(t)
	if len(l.holds) != 2 || !l.hold(1).isReleased() {
		t.Errorf("%d holds were taken", len(l.holds))
	}
	for _, once := range []string{"the ledger has not heard of this process for too long", "the ledger has heard of this process again"} {
		if n := strings.Count(w.log.String(), once); n != 1 {
			t.Errorf("the log says %d times that %s:\n%s", n, once, w.log)
		}
	}
}

// What others make of a claim is a matter of its holder: only one that is gone may be looked at and settled, and nobody
// runs anything.
func TestOthersLookAtTheClaimOfAHolderThatIsGoneAndRunNothing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s := newStopped()
		w, l := newLeasingWorld(t, s.apply(wroteAfterAll), func(w *world) { w.operation.DoneWhen = asAsked })
		p, other := w.preview(t, "theme", "dark"), l.beside(t, w)
		answer := laterApply(t, w, p)
		<-s.running
		w.edit(t, "theme", "dark") // so that a look finds it done
		again := map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}
		for _, test := range []struct {
			there  ledger.Liveness
			code   string
			status ledger.Status
		}{
			{ledger.Alive, "in_flight", ledger.Applying},
			{ledger.Unknown, "in_doubt", ledger.Applying},
			{ledger.Gone, "already_used", ledger.Applied},
		} {
			l.seen(0, test.there)
			wantRefused(t, other.call(t, "apply_set_setting", again), test.code)
			if r := w.record(t, p.ChangeID); r.Status != test.status {
				t.Errorf("while it is %v: %+v", test.there, r.Mutable)
			}
		}
		l.lose(0)
		s.wantCut(t)
		told := <-answer
		wantRefused(t, told, "already_used") // as it stands: what became of the body is not known
		wantSaid(t, told, "This call carried the apply out, and somebody else settled the change", "changed nothing")
		close(s.release)
		w.closes(t)
		if r := w.record(t, p.ChangeID); r.Status != ledger.Applied || r.ResultFlaw != "result_lost" {
			t.Errorf("what the others settled does not stand: %+v", r.Mutable)
		}
		if n := len(eventsWith(t, w, p.ChangeID, "it was settled before its body came back")); n != 1 {
			t.Errorf("the late end is %d times in the history: %+v", n, w.events(t, p.ChangeID))
		}
	})
}

// Others may have looked at a claim whose body still runs here, and written down that it is in doubt. Its own guard knows
// better, and does not look ahead of it.
func TestOwnGuardDoesNotLookAheadOfABodyThatOthersDoubt(t *testing.T) {
	t.Parallel()
	s := newStopped()
	w, l := newLeasingWorld(t, s.apply(wroteAfterAll), func(w *world) { w.operation.DoneWhen = asAsked })
	p, other := w.preview(t, "theme", "dark"), l.beside(t, w)
	answer := laterApply(t, w, p)
	<-s.running
	l.seen(0, ledger.Gone)
	if v, err := other.guard.Reconcile(t.Context(), p.ChangeID); v != runtime.NotDone || err != nil || w.record(t, p.ChangeID).DoubtAt.IsZero() {
		t.Fatalf("the look of the other: %v, %v", v, err)
	}
	w.edit(t, "theme", "dark")
	if v, err := w.guard.Reconcile(t.Context(), p.ChangeID); v != runtime.Done || err != nil || w.record(t, p.ChangeID).Status != ledger.Applying {
		t.Errorf("a look ahead of the body: %v, %v, %s", v, err, w.record(t, p.ChangeID).Status)
	}
	l.lose(0)
	wantRefused(t, <-answer, "in_doubt")
	close(s.release)
	w.closes(t)
}

// A body that was told to end may still write, as long as it has not: its own guard does not settle the change by a look.
func TestOwnBodyUnderALostHoldIsNotSettledByALook(t *testing.T) {
	t.Parallel()
	s := newStopped()
	w, l := newLeasingWorld(t, s.apply(wroteAfterAll), func(w *world) { w.operation.DoneWhen = asAsked })
	p := w.preview(t, "theme", "dark")
	answer := laterApply(t, w, p)
	<-s.running
	l.lose(0)
	wantRefused(t, <-answer, "in_doubt")
	l.seen(0, ledger.Gone)
	w.edit(t, "theme", "dark")
	if r := w.status(t, p.ChangeID); !r.InDoubt || r.Status != "applying" {
		t.Errorf("%s", r.raw)
	}
	close(s.release)
	w.closes(t)
}

// A server that is started again at once finds its claims held by one that seems to live until its lease is over. It waits
// for that, tells the operator, and looks.
func TestStartLooksAtWhatIsLeftOnceTheLeaseIsOver(t *testing.T) {
	t.Parallel()
	for name, doubted := range map[string]bool{"nothing is known of its end": false, "its body ran on after its time": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStopped()
			w, l := newLeasingWorld(t, s.apply(wroteAfterAll), func(w *world) {
				w.operation.DoneWhen = asAsked
				if doubted {
					w.operation.Timeout = shortTimeout
				}
			})
			p := w.preview(t, "theme", "dark")
			answer := laterApply(t, w, p)
			<-s.running
			if doubted {
				wantRefused(t, <-answer, "in_doubt")
			}
			again := l.beside(t, w, polling)
			w.edit(t, "theme", "dark") // so that a look finds it done
			if r := w.record(t, p.ChangeID); r.Status != ledger.Applying {
				t.Fatalf("while its holder lives: %s", r.Status)
			}
			l.seen(0, ledger.Gone)
			w.becomes(t, p.ChangeID, ledger.Applied)
			if told := strings.Count(again.log.String(), "change in doubt: it is not run again"); told != 1 {
				t.Errorf("the operator was told %d times:\n%s", told, again.log)
			}
			l.lose(0)
			close(s.release)
			if !doubted {
				wantRefused(t, <-answer, "already_used")
			}
			w.closes(t)
		})
	}
}

// A server that ends while the ledger does not answer ends in its time. Others will find out by themselves that it is gone.
func TestCloseDoesNotWaitForALedgerThatKeepsItsHold(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		answers := make(chan struct{})
		l := &leasing{there: map[string]ledger.Liveness{}, keep: answers}
		w := newWorld(t, func(w *world) {
			l.Store = w.store
			w.options.Store, w.options.ShutdownGrace = l, patience // which is for what else the ledger is asked
		})
		if err := w.guard.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "did not let this process go") {
			t.Errorf("%v", err)
		}
		close(answers)
		w.closes(t)
		if !l.hold(0).isReleased() {
			t.Error("it was not released in the end")
		}
	})
}
