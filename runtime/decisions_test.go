package runtime

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/google/go-cmp/cmp"
)

var ana = person{name: "ana", channel: "changesetctl", reason: "looked at it"}

// declined is a short name of why a person's request was declined; "" if it was not.
func declined(err error) string {
	for cause, name := range map[error]string{
		ErrNotWaiting: "not_waiting", ErrDecided: "decided", ErrTooLate: "too_late", ErrNotUndoable: "not_undoable",
		ErrNotInDoubt: "not_in_doubt", ErrMoved: "moved", ErrInFlight: "in_flight", ErrNotDone: "not_done", ErrReason: "no_reason", ErrClockBehind: "clock_behind",
		ledger.ErrCorrupt: "corrupt",
	} {
		if errors.Is(err, cause) {
			return name
		}
	}
	return ""
}

func requestedByAgent() ledger.Request {
	return ledger.Request{At: noon, By: "agent", Channel: channelAgent}
}

// decided is a record after one decision after the other, each of which must be allowed.
func decided(t *testing.T, r ledger.Record, at moment, requests ...request) ledger.Record {
	t.Helper()
	for _, q := range requests {
		next, event, err := transition(r, q, at, writing)
		if err != nil {
			t.Fatalf("%T: %v", q, err)
		}
		if event.Actor != actorOperator || !strings.Contains(event.Reason, "ana") || !strings.Contains(event.Reason, ana.reason) {
			t.Errorf("%T: event %+v", q, event)
		}
		r = next
	}
	return r
}

func TestYesLastsForTheTimeOfTheApprovalFromTheDecision(t *testing.T) {
	t.Parallel()
	r := recordIn(ledger.Pending)
	r.Approval = "operator"
	later := noon.Add(30 * time.Second)
	r = decided(t, r, moment{now: later}, approve{ana, forApply})
	want := ledger.Decision{
		Verdict: ledger.Approved, At: later, By: "ana", Channel: "changesetctl", Reason: ana.reason,
		Digest: decisionDigest(forApply, r.ID, shownDigest(&r)),
	}
	if diff := cmp.Diff(want, r.Decision); diff != "" || !r.ExpiresAt.Equal(later.Add(r.TTL)) {
		t.Errorf("expires %v (-want +got):\n%s", r.ExpiresAt, diff)
	}
}

func TestYesIsGivenOnceAndANoMayFollow(t *testing.T) {
	t.Parallel()
	at := moment{now: noon}
	r := decided(t, recordIn(ledger.Pending), at, approve{ana, forApply})
	if _, _, err := transition(r, approve{ana, forApply}, at, writing); !errors.Is(err, ErrDecided) {
		t.Errorf("a second yes: %v", err)
	}
	r = decided(t, r, at, reject{ana, forApply})
	if r.Status != ledger.Rejected || r.Message != ana.reason || r.Decision.Verdict != ledger.Refused {
		t.Errorf("rejected after a yes: %+v", r.Mutable)
	}
}

func TestUndoThatAnAgentAskedForIsDecided(t *testing.T) {
	t.Parallel()
	at, r := moment{now: noon}, recordIn(ledger.Applied)
	r.UndoRequest = requestedByAgent()
	yes := decided(t, r, at, approve{ana, forUndo})
	if yes.UndoDecision.Verdict != ledger.Approved || yes.Decision.Verdict != "" || yes.UndoRequest != r.UndoRequest || yes.ExpiresAt != r.ExpiresAt {
		t.Errorf("approved: %+v", yes.Mutable)
	}
	for name, before := range map[string]ledger.Record{"asked for": r, "approved": yes} {
		no := decided(t, before, at, reject{ana, forUndo})
		if no.Status != ledger.Applied || asksForUndo(&no) || no.UndoDecision.Verdict != ledger.Refused || no.UndoDecision.Reason != ana.reason {
			t.Errorf("rejected after it was %s: %+v", name, no.Mutable)
		}
		if no.Message != r.Message || no.Code != r.Code {
			t.Errorf("the change itself is told as rejected: %+v", no.Mutable)
		}
	}
	late := moment{now: noon.Add(time.Hour)}
	for _, q := range []request{approve{ana, forUndo}, reject{ana, forUndo}} {
		if _, _, err := transition(r, q, late, writing); !errors.Is(err, ErrTooLate) {
			t.Errorf("%T at the end of the undo: %v", q, err)
		}
	}
}

func TestDecisionsOfOnePurposeAreNoneOfTheOther(t *testing.T) {
	t.Parallel()
	r := recordIn(ledger.Applied)
	r.UndoRequest = requestedByAgent()
	if _, _, err := transition(r, approve{ana, forApply}, moment{now: noon}, writing); !errors.Is(err, ErrNotWaiting) {
		t.Errorf("a yes to the apply of what waits for its undo: %v", err)
	}
	if decisionDigest(forApply, r.ID, "shown") == decisionDigest(forUndo, r.ID, "shown") {
		t.Error("both purposes have one digest")
	}
}

func TestRequestForAnUndoIsAYesToIt(t *testing.T) {
	t.Parallel()
	at := moment{now: noon}
	asked := recordIn(ledger.Applied)
	asked.UndoRequest = requestedByAgent()
	for name, r := range map[string]ledger.Record{
		"nobody": recordIn(ledger.Applied), "an agent": asked, "an agent, approved": decided(t, asked, at, approve{ana, forUndo}),
	} {
		got := decided(t, r, at, requestUndo{ana})
		want := ledger.Request{At: noon, By: "ana", Channel: "changesetctl", Reason: ana.reason}
		if diff := cmp.Diff(want, got.UndoRequest); diff != "" || got.UndoDecision.Verdict != ledger.Approved {
			t.Errorf("after %s asked: %+v (-want +got):\n%s", name, got.UndoDecision, diff)
		}
		if got.UndoDecision.Digest != decisionDigest(forUndo, r.ID, shownDigest(&r)) {
			t.Errorf("digest %s", got.UndoDecision.Digest)
		}
		if _, _, err := transition(got, requestUndo{ana}, at, writing); !errors.Is(err, ErrDecided) {
			t.Errorf("requested twice: %v", err)
		}
	}
}

func TestUndoIsRequestedOnlyWhereThereIsOne(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*ledger.Record){
		"no undo":   func(r *ledger.Record) { r.UndoToken, r.UndoTTL, r.UndoExpiresAt = nil, 0, noTime },
		"no result": func(r *ledger.Record) { r.UndoToken, r.UndoExpiresAt = nil, noTime },
	} {
		r := recordIn(ledger.Applied)
		change(&r)
		if _, _, err := transition(r, requestUndo{ana}, moment{now: noon}, writing); !errors.Is(err, ErrNotUndoable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := recordIn(ledger.Applied)
	r.UndoExpiresAt = noTime
	if r = decided(t, r, moment{now: noon.Add(1000 * time.Hour)}, requestUndo{ana}); !asksForUndo(&r) {
		t.Error("an undo that never expires was not requested")
	}
}

// A clock that was set back must not make a yes that lasts longer than it should; a no is always safe.
func TestClockThatIsBehindGivesNoYes(t *testing.T) {
	t.Parallel()
	at := moment{now: noon, behind: time.Hour}
	undoable := recordIn(ledger.Applied)
	undoable.UndoRequest = requestedByAgent()
	for _, test := range []struct {
		r    ledger.Record
		q    request
		want string
	}{
		{recordIn(ledger.Pending), approve{ana, forApply}, "clock_behind"},
		{undoable, approve{ana, forUndo}, "clock_behind"},
		{undoable, requestUndo{ana}, "clock_behind"},
		{recordIn(ledger.Pending), reject{ana, forApply}, "rejected"},
		{undoable, reject{ana, forUndo}, "applied"},
	} {
		next, _, err := transition(test.r, test.q, at, writing)
		if got := outcomeOf(next, err); got != test.want {
			t.Errorf("%T: %s, want %s", test.q, got, test.want)
		}
	}
}

func TestDamagedRecordIsNotDecided(t *testing.T) {
	t.Parallel()
	for _, q := range []request{approve{ana, forApply}, reject{ana, forApply}, requestUndo{ana}, word{person: ana, claim: oldClaim}} {
		for _, status := range allStatuses {
			r := recordIn(status)
			r.Shown = []byte("{")
			if _, _, err := transition(r, q, moment{now: noon}, writing); !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("%T of a damaged change that is %s: %v", q, status, err)
			}
		}
	}
}

func TestPersonDecidesOnlyOnWhatWasPreviewed(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*ledger.Record){
		"payload": func(r *ledger.Record) { r.Payload = []byte(`{"key":"theme","value":"pink"}`) },
		"state":   func(r *ledger.Record) { r.State = []byte(`{}`) },
		"shown":   func(r *ledger.Record) { r.Shown = []byte(`{"rows":[],"summary":"Nothing much"}`) },
	} {
		for _, test := range []struct {
			status ledger.Status
			q      request
		}{
			{ledger.Pending, approve{ana, forApply}}, {ledger.Pending, reject{ana, forApply}},
			{ledger.Applied, approve{ana, forUndo}}, {ledger.Applied, requestUndo{ana}},
		} {
			r := recordIn(test.status)
			r.ShownDigest = shownDigest(&r)
			r.UndoRequest = requestedByAgent()
			decided(t, r, moment{now: noon}, test.q)
			edit(&r)
			if _, _, err := transition(r, test.q, moment{now: noon}, writing); !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("%T with another %s: %v", test.q, name, err)
			}
		}
	}
}

func TestWordThatAnApplyWasDoneLeavesItsStateToALook(t *testing.T) {
	t.Parallel()
	hash := []byte("hash")
	r := recordIn(ledger.Applying)
	r.DoubtAt, r.DoubtReason, r.Error = noon, "late", "timeout"
	at := moment{now: noon.Add(time.Minute)}
	got := decided(t, r, at, word{person: ana, claim: oldClaim, done: true, undoToken: hash})
	want := r
	want.Status, want.AppliedAt, want.UndoExpiresAt = ledger.Applied, at.now, at.now.Add(r.UndoTTL)
	want.Before, want.UndoToken, want.DoubtAt, want.DoubtReason, want.Error = r.State, hash, noTime, "", ""
	want.Finding = ledger.Finding{Verdict: "done", At: at.now, By: ana.name, Channel: ana.channel, Saw: ana.reason}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, test := range map[string]struct {
		ttl      time.Duration
		shown    string
		undoable bool
	}{
		"no undo": {0, `{}`, false}, "without end": {Never, `{}`, true}, "needs the result": {time.Hour, `{"needs_result":true}`, false},
	} {
		r.UndoTTL = test.ttl
		r.Shown = []byte(test.shown)
		got := decided(t, r, at, word{person: ana, claim: oldClaim, done: true, undoToken: hash})
		if (got.UndoToken != nil) != test.undoable || !got.UndoExpiresAt.IsZero() {
			t.Errorf("%s: token %s, until %v", name, got.UndoToken, got.UndoExpiresAt)
		}
	}
}

func TestWordThatNothingWasDoneProvesNothing(t *testing.T) {
	t.Parallel()
	for _, status := range []ledger.Status{ledger.Applying, ledger.Undoing} {
		got := decided(t, recordIn(status), moment{now: noon}, word{person: ana, claim: oldClaim})
		if got.Outcome != outcomeUnknown || !strings.Contains(got.Message, ana.reason) {
			t.Errorf("%s: %+v", status, got.Mutable)
		}
	}
}

func TestRequestForAnUndoEndsWithItsTime(t *testing.T) {
	t.Parallel()
	r := recordIn(ledger.Applied)
	r.UndoRequest = requestedByAgent()
	if _, _, err := transition(r, expire{}, moment{now: noon}, writing); !errors.Is(err, errNoTransition) {
		t.Errorf("too early: %v", err)
	}
	r, _, err := transition(r, expire{}, moment{now: noon.Add(time.Hour)}, writing)
	if err != nil || asksForUndo(&r) || r.Status != ledger.Applied {
		t.Errorf("%v: %+v", err, r.Mutable)
	}
}
