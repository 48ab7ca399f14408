package runtime

import (
	"errors"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// yesTo is a person's yes as a channel of people writes it.
func yesTo(r *ledger.Record, p purpose) ledger.Decision {
	return ledger.Decision{Verdict: ledger.Approved, At: noon, By: "ana", Channel: "changesetctl", Digest: decisionDigest(p, r.ID, shownDigest(r))}
}

// asking is the running behaviour with the approvals it asks for.
func asking(apply, undo Approval) *behaviour {
	b := running
	b.approval, b.undoApproval = apply, undo
	return &b
}

// The stricter of what a change was previewed under and what its operation asks now counts, and a yes satisfies both.
func TestStricterApprovalCounts(t *testing.T) {
	t.Parallel()
	for _, stored := range []string{"", approvalToken, approvalOperator, "a kind that is not known"} {
		for _, now := range []Approval{ByToken, ByOperator} {
			for _, yes := range []bool{false, true} {
				want := map[purpose]string{forApply: "applying", forUndo: "undoing"}
				if !yes && (now == ByOperator || stored != "" && stored != approvalToken) {
					want = map[purpose]string{forApply: "awaiting_approval", forUndo: "awaiting_approval"}
				}
				for _, p := range []purpose{forApply, forUndo} {
					s := calm(p)
					s.record.Approval, s.record.UndoApproval, s.asker.operation = stored, stored, asking(now, now)
					if yes {
						*decisionOn(&s.record, p) = yesTo(&s.record, p)
					}
					next, _, err := transition(s.record, s.claim(p), s.at, s.policy)
					if got := outcomeOf(next, err); got != want[p] {
						t.Errorf("%s: stored %q, now %s, yes %v: %s, want %s", p.verb(), stored, now, yes, got, want[p])
					}
				}
			}
		}
	}
}

// A yes names its purpose and its change, and is about what the ledger holds now.
func TestYesIsBoundToWhatWasShown(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(r *ledger.Record){
		"none":               func(r *ledger.Record) { r.Decision = ledger.Decision{} },
		"a no":               func(r *ledger.Record) { r.Decision.Verdict = ledger.Refused },
		"an unknown verdict": func(r *ledger.Record) { r.Decision.Verdict = "yes" },
		"without a digest":   func(r *ledger.Record) { r.Decision.Digest = "" },
		"to its undo":        func(r *ledger.Record) { r.Decision = yesTo(r, forUndo) },
		"to another change":  func(r *ledger.Record) { r.Decision.Digest = decisionDigest(forApply, "chg_1", shownDigest(r)) },
		"to another state":   func(r *ledger.Record) { r.State = []byte(`{"value":"blue"}`); r.ShownDigest = shownDigest(r) },
		"to other words": func(r *ledger.Record) {
			r.Shown = []byte(`{"rows":[],"summary":"Set nothing"}`)
			r.ShownDigest = shownDigest(r)
		},
	} {
		s := calm(forApply)
		s.record.Approval = approvalOperator
		s.record.ShownDigest = shownDigest(&s.record)
		s.record.Decision = yesTo(&s.record, forApply)
		forge(&s.record)
		next, _, err := transition(s.record, s.claim(forApply), s.at, s.policy)
		if got := outcomeOf(next, err); got != "awaiting_approval" {
			t.Errorf("a yes %s: %s", name, got)
		}
	}
	s := calm(forApply)
	s.record.Approval, s.record.Payload = approvalOperator, []byte(`{"key":"theme","value":"pink"}`)
	s.record.Decision = yesTo(&s.record, forApply)
	next, _, err := transition(s.record, s.claim(forApply), s.at, s.policy)
	if got := outcomeOf(next, err); got != "invalid_token" {
		t.Errorf("a yes to an edited payload: %s", got)
	}
}

func TestUndoThatAPersonRejectedIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	s := calm(forUndo)
	s.record.UndoApproval = approvalOperator
	s.record.UndoDecision = ledger.Decision{Verdict: ledger.Refused, Reason: "it is fine as it is"}
	_, _, err := transition(s.record, s.claim(forUndo), s.at, s.policy)
	var no *refusal
	if !errors.As(err, &no) || no.code != CodeRejected || no.asksUndo {
		t.Errorf("%v", err)
	}
}

// A request is recorded once: who asks again changes nothing.
func TestUndoIsAskedForOnce(t *testing.T) {
	t.Parallel()
	r, event, err := transition(recordIn(ledger.Applied), askForUndo{token: rightUndo}, moment{now: noon}, writing)
	if err != nil || r.UndoRequest.Channel != channelAgent || event.Actor != actorAgent || !approvedNever(&r) {
		t.Fatalf("%+v, %+v, %v", r.UndoRequest, event, err)
	}
	if _, _, err := transition(r, askForUndo{token: rightUndo}, moment{now: noon.Add(time.Minute)}, writing); !errors.Is(err, errNoTransition) {
		t.Errorf("asked twice: %v", err)
	}
}

func approvedNever(r *ledger.Record) bool { return !approved(r, forApply) && !approved(r, forUndo) }

// What an operator requested runs on the operator's yes, and on nothing else; it needs no token.
func TestOperatorsUndoRestsOnItsYes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*ledger.Record)
		want   string
	}{
		"as requested":     {func(*ledger.Record) {}, "undoing"},
		"yes edited":       {func(r *ledger.Record) { r.UndoDecision.Digest = "sha256:other" }, "awaiting_approval"},
		"withdrawn":        {func(r *ledger.Record) { r.UndoDecision = ledger.Decision{} }, "awaiting_approval"},
		"rejected since":   {func(r *ledger.Record) { r.UndoDecision.Verdict = ledger.Refused }, "rejected"},
		"window over":      {func(r *ledger.Record) { r.UndoExpiresAt = noon }, "expired"},
		"payload edited":   {func(r *ledger.Record) { r.Payload = []byte(`{}`) }, "awaiting_approval"},
		"other undo":       {func(r *ledger.Record) { r.UndoDigest = "other" }, "operation_changed"},
		"undone meanwhile": {func(r *ledger.Record) { r.Status = ledger.Undone }, "already_used"},
	} {
		r := recordIn(ledger.Applied)
		r.UndoRequest = ledger.Request{At: noon, By: "ana", Channel: "changesetctl"}
		r.UndoDecision = yesTo(&r, forUndo)
		test.change(&r)
		asked := claimUndo{asker: askedBy("", false), claimant: claimant{"c", "h"}, operator: true}
		next, event, err := transition(r, asked, moment{now: noon}, writing)
		if got := outcomeOf(next, err); got != test.want || err == nil && event.Actor != actorOperator {
			t.Errorf("%s: %s by %q, want %s", name, got, event.Actor, test.want)
		}
	}
}

func TestRequestThatEndedIsClearedOnce(t *testing.T) {
	t.Parallel()
	r := recordIn(ledger.Applied)
	r.UndoRequest = ledger.Request{At: noon, By: "ana", Channel: "changesetctl"}
	r.UndoDecision = yesTo(&r, forUndo)
	end := endRequest{request: r.UndoRequest, code: CodeStateChanged, why: "somebody changed it"}
	ended, event, err := transition(r, end, moment{now: noon}, writing)
	if err != nil || asksForUndo(&ended) || approved(&ended, forUndo) || event.Code != string(CodeStateChanged) {
		t.Fatalf("%+v, %+v, %v", ended.Mutable, event, err)
	}
	if _, _, err := transition(ended, end, moment{now: noon}, writing); !errors.Is(err, errNoTransition) {
		t.Errorf("cleared twice: %v", err)
	}
	r.UndoRequest.At = noon.Add(time.Second) // a new one
	if _, _, err := transition(r, end, moment{now: noon}, writing); !errors.Is(err, errNoTransition) {
		t.Errorf("cleared another request: %v", err)
	}
}

// Of two new undo tokens the one that is stored last works, and no other.
func TestNewUndoTokenReplacesTheOldAndDiesWithIt(t *testing.T) {
	t.Parallel()
	r := recordIn(ledger.Applied)
	expires := r.UndoExpiresAt
	for _, token := range []string{"undo_first", "undo_second"} {
		var err error
		r, _, err = transition(r, renewUndo{asker: askedBy(rightToken, false), token: tokenHash(forUndo, r.ID, r.PayloadHash, token)}, moment{now: noon}, writing)
		if err != nil {
			t.Fatal(err)
		}
	}
	for token, want := range map[string]string{rightUndo: "invalid_token", "undo_first": "invalid_token", "undo_second": "undoing"} {
		next, _, err := transition(r, undoBy(askedBy(token, false)), moment{now: noon}, writing)
		if got := outcomeOf(next, err); got != want {
			t.Errorf("%s: %s, want %s", token, got, want)
		}
	}
	if r.UndoExpiresAt != expires {
		t.Errorf("it expires at %s, and the old one at %s", r.UndoExpiresAt, expires)
	}
}

func TestNewUndoTokenIsOnlyForWhoMayUndo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*ledger.Record, *asker)
	}{
		"no undo":         {func(r *ledger.Record, _ *asker) { r.UndoToken = nil }},
		"other scope":     {func(_ *ledger.Record, a *asker) { a.scope = "other" }},
		"operation moved": {func(r *ledger.Record, _ *asker) { r.UndoDigest = "other" }},
		"operation gone":  {func(_ *ledger.Record, a *asker) { a.operation = nil }},
		"edited payload":  {func(r *ledger.Record, _ *asker) { r.Payload = []byte(`{}`) }},
	} {
		r, a := recordIn(ledger.Applied), askedBy(rightToken, false)
		test.change(&r, &a)
		if _, _, err := transition(r, renewUndo{asker: a}, moment{now: noon}, writing); !errors.Is(err, errNoTransition) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
