package runtime

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

const (
	rightToken = "confirm_right"
	rightUndo  = "undo_right"
	oldClaim   = "old claim"
	noChange   = "-" // no transition, for a request that no agent makes
)

var (
	noon    = time.Date(2026, time.March, 29, 12, 0, 0, 0, time.UTC)
	running = behaviour{digest: "digest", undoDigest: "undo digest", undoes: true, observes: true, needsResult: true}
	writing = policy{writes: true, writesEnv: "WRITES", maxSkew: time.Minute}
)

// recordIn is a change in a status, as it comes there.
func recordIn(status ledger.Status) ledger.Record {
	payload := []byte(`{"key":"theme","value":"dark"}`)
	hash := exact.Hash(payload)
	r := ledger.Record{Revision: 3}
	r.Fixed = ledger.Fixed{
		ID: "chg_0123456789ab01234567", Server: "settings", Operation: "set_setting", Scope: "scope", Caller: "caller",
		Digest: running.digest, UndoDigest: running.undoDigest, PayloadHash: hash, Payload: payload,
		State: []byte(`{"value":"light"}`), Shown: []byte(`{"rows":[],"summary":"Set theme"}`),
		CreatedAt: noon.Add(-time.Minute), TTL: 2 * time.Minute, UndoTTL: time.Hour,
	}
	r.ExpiresAt = noon.Add(time.Minute)
	r.Status, r.ApplyToken = status, tokenHash(forApply, r.ID, hash, rightToken)
	if status != ledger.Pending && status != ledger.Rejected && status != ledger.Expired {
		r.ClaimID, r.Holder = oldClaim, "holder"
	}
	switch status {
	case ledger.Applied, ledger.Undoing, ledger.Undone, ledger.UndoFailed:
		r.Before, r.After, r.Result = r.State, []byte(`{"value":"dark"}`), []byte(`{"version":2}`)
		r.AppliedAt, r.UndoExpiresAt = noon, noon.Add(time.Hour)
		r.UndoToken = tokenHash(forUndo, r.ID, hash, rightUndo)
	}
	return r
}

func askedBy(token string, live bool) asker {
	return asker{serves: true, scope: "scope", caller: "caller", token: token, claimState: claimState{live: live}, operation: &running, resultFits: true}
}

func applyBy(a asker) claimApply { return claimApply{asker: a, claimant: claimant{"c", "h"}} }

func undoBy(a asker) claimUndo { return claimUndo{asker: a, claimant: claimant{"c", "h"}} }

// allStatuses in the order of the columns of the table.
var allStatuses = []ledger.Status{
	ledger.Pending, ledger.Rejected, ledger.Expired, ledger.Applying, ledger.Applied,
	ledger.ApplyFailed, ledger.Undoing, ledger.Undone, ledger.UndoFailed,
}

// row is one request with what it makes of a change in each status: the next status, the code of a refusal, or -.
type row struct {
	name    string
	request request
	after   time.Duration // of noon
	want    string
}

// The whole machine, with right tokens, writes on and in time, where the row does not say otherwise. The columns are
// pending, rejected, expired, applying, applied, apply_failed, undoing, undone, undo_failed.
var machine = []row{
	{"apply", applyBy(askedBy(rightToken, false)), 0, `applying rejected expired in_doubt already_used already_used already_used already_used already_used`},
	{"apply, live", applyBy(askedBy(rightToken, true)), 0, `applying rejected expired in_flight already_used already_used already_used already_used already_used`},
	{"apply, wrong token", applyBy(askedBy("wrong", false)), 0, `invalid_token rejected expired in_doubt already_used already_used already_used already_used already_used`},
	{"apply, at expiry", applyBy(askedBy(rightToken, false)), time.Minute, `expired rejected expired in_doubt already_used already_used already_used already_used already_used`},
	{"apply, of another payload", claimApply{asker: askedBy(rightToken, false), claimant: claimant{"c", "h"}, expects: "sha256:other"}, 0, `payload_mismatch rejected expired in_doubt already_used already_used already_used already_used already_used`},
	{"apply, rejected before", claimApply{asker: askedBy(rightToken, false), claimant: claimant{"c", "h"}, rejected: &ledger.Record{}}, 0, `awaiting_approval rejected expired in_doubt already_used already_used already_used already_used already_used`},
	{"undo", undoBy(askedBy(rightUndo, false)), 0, `not_undoable not_undoable not_undoable in_doubt undoing not_undoable in_doubt already_used already_used`},
	{"undo, live", undoBy(askedBy(rightUndo, true)), 0, `not_undoable not_undoable not_undoable in_flight undoing not_undoable in_flight already_used already_used`},
	{"undo, wrong token", undoBy(askedBy("wrong", false)), 0, `not_undoable not_undoable not_undoable in_doubt invalid_token not_undoable in_doubt already_used already_used`},
	{"undo, at its end", undoBy(askedBy(rightUndo, false)), time.Hour, `not_undoable not_undoable not_undoable in_doubt expired not_undoable in_doubt already_used already_used`},
	{"undo, of an operator without a yes", claimUndo{asker: askedBy("", false), claimant: claimant{"c", "h"}, operator: true}, 0, `not_undoable not_undoable not_undoable in_doubt awaiting_approval not_undoable in_doubt already_used already_used`},
	{"new confirmation token", renewToken{operation: &running}, 0, `pending - - - - - - - -`},
	{"new confirmation token, at expiry", renewToken{operation: &running}, time.Minute, `- - - - - - - - -`},
	{"new undo token", renewUndo{asker: askedBy(rightToken, false)}, 0, `- - - - applied - - - -`},
	{"new undo token, wrong token", renewUndo{asker: askedBy(rightUndo, false)}, 0, `- - - - - - - - -`},
	{"new undo token, at its end", renewUndo{asker: askedBy(rightToken, false)}, time.Hour, `- - - - - - - - -`},
	{"ask for a yes", askForYes{}, 0, `pending - - - - - - - -`},
	{"ask for a yes, too late", askForYes{}, time.Hour, `- - - - - - - - -`},
	{"ask for an undo", askForUndo{token: rightUndo}, 0, `- - - - applied - - - -`},
	{"ask for an undo, wrong token", askForUndo{token: rightToken}, 0, `- - - - invalid_token - - - -`},
	{"ask for an undo, at its end", askForUndo{token: rightUndo}, time.Hour, `- - - - - - - - -`},
	{"end a request, not requested", endRequest{}, 0, `- - - - - - - - -`},
	{"applied", settleApplied{claim: oldClaim}, 0, `- - - applied - - - - -`},
	{"applied, other claim", settleApplied{claim: "c"}, 0, `- - - - - - - - -`},
	{"undone", settleUndone{claim: oldClaim}, 0, `- - - - - - undone - -`},
	{"undone, other claim", settleUndone{claim: "c"}, 0, `- - - - - - - - -`},
	{"failed, proved", settleFailed{claim: oldClaim, failure: failure{outcome: outcomeNotApplied}}, 0, `- - - apply_failed - - applied - -`},
	{"failed, proved, to be tried again", settleFailed{claim: oldClaim, failure: failure{outcome: outcomeNotApplied}, retry: retry{of: &ledger.Record{}, id: "chg_1"}}, 0, `- - - apply_failed - - applied - -`},
	{"failed, unknown", settleFailed{claim: oldClaim, failure: failure{outcome: outcomeUnknown}}, 0, `- - - apply_failed - - undo_failed - -`},
	{"failed, other claim", settleFailed{claim: "c"}, 0, `- - - - - - - - -`},
	{"doubt", doubt{claim: oldClaim}, 0, `- - - applying - - undoing - -`},
	{"doubt, other claim", doubt{claim: "c"}, 0, `- - - - - - - - -`},
	{"late outcome", lateOutcome{claim: oldClaim}, 0, `- - - - applied apply_failed - undone undo_failed`},
	{"late outcome, other claim", lateOutcome{claim: "c"}, 0, `- - - applying applied apply_failed undoing undone undo_failed`},
	{"look after, known already", recordAfter{after: []byte("{}")}, 0, `- - - - - - - - -`},
	{"approve", approve{ana, forApply}, 0, `pending decided too_late not_waiting not_waiting not_waiting not_waiting not_waiting not_waiting`},
	{"approve, too late", approve{ana, forApply}, time.Minute, `too_late decided too_late not_waiting not_waiting not_waiting not_waiting not_waiting not_waiting`},
	{"approve the undo, which nobody asked for", approve{ana, forUndo}, 0, `not_waiting not_waiting not_waiting not_waiting not_waiting not_waiting not_waiting not_waiting not_waiting`},
	{"reject", reject{ana, forApply}, 0, `rejected - too_late not_waiting not_waiting not_waiting not_waiting not_waiting not_waiting`},
	{"reject, too late", reject{ana, forApply}, time.Minute, `too_late - too_late not_waiting not_waiting not_waiting not_waiting not_waiting not_waiting`},
	{"reject without a reason", reject{person{name: "ana"}, forApply}, 0, `no_reason - too_late not_waiting not_waiting not_waiting not_waiting not_waiting not_waiting`},
	{"request the undo", requestUndo{ana}, 0, `not_undoable not_undoable not_undoable not_undoable applied not_undoable not_undoable not_undoable not_undoable`},
	{"request the undo, too late", requestUndo{ana}, time.Hour, `not_undoable not_undoable not_undoable not_undoable too_late not_undoable not_undoable not_undoable not_undoable`},
	{"word done", word{person: ana, claim: oldClaim, done: true}, 0, `not_in_doubt not_in_doubt not_in_doubt applied not_in_doubt not_in_doubt undone not_in_doubt not_in_doubt`},
	{"word not done", word{person: ana, claim: oldClaim}, 0, `not_in_doubt not_in_doubt not_in_doubt apply_failed not_in_doubt not_in_doubt undo_failed not_in_doubt not_in_doubt`},
	{"word, live", word{person: ana, claim: oldClaim, done: true, live: true}, 0, `not_in_doubt not_in_doubt not_in_doubt in_flight not_in_doubt not_in_doubt in_flight not_in_doubt not_in_doubt`},
	{"word, other claim", word{person: ana, claim: "c"}, 0, `not_in_doubt not_in_doubt not_in_doubt moved not_in_doubt not_in_doubt moved not_in_doubt not_in_doubt`},
	{"word without a note", word{claim: oldClaim, done: true}, 0, `not_in_doubt not_in_doubt not_in_doubt no_reason not_in_doubt not_in_doubt no_reason not_in_doubt not_in_doubt`},
	{"expire", expire{}, time.Minute, `expired - - - - - - - -`},
	{"expire, too early", expire{}, 0, `- - - - - - - - -`},
	{"found done", found{claim: oldClaim, settles: true, verdict: Done}, 0, `- - - applied - - undone - -`},
	{"found done, may run", found{claim: oldClaim, verdict: Done}, 0, `- - - applying - - undoing - -`},
	{"found not done", found{claim: oldClaim, settles: true, verdict: NotDone}, 0, `- - - applying - - undoing - -`},
	{"found, other claim", found{claim: "c", settles: true, verdict: Done}, 0, `- - - - - - - - -`},
	{"lapsed", lapsed{claim: oldClaim}, 0, `- - - - - - - - -`},
	{"lapsed, other claim", lapsed{claim: "c"}, 0, `- - - - - - - - -`},
}

// ofJoined are the rows of the machine that are others where the latest claim is joined.
var ofJoined = map[string]string{
	"doubt":               `- - - - - - - - -`,
	"found done":          `- - - - - - - - -`,
	"found done, may run": `- - - - - - - - -`,
	"found not done":      `- - - - - - - - -`,
	"word done":           `not_in_doubt not_in_doubt not_in_doubt not_done not_in_doubt not_in_doubt not_done not_in_doubt not_in_doubt`,
	"word not done":       `not_in_doubt not_in_doubt not_in_doubt apply_failed not_in_doubt not_in_doubt applied not_in_doubt not_in_doubt`,
	"word without a note": `not_in_doubt not_in_doubt not_in_doubt not_done not_in_doubt not_in_doubt not_done not_in_doubt not_in_doubt`,
	"lapsed":              `- - - apply_failed - - applied - -`,
}

func TestTransitionOverTheWholeMachine(t *testing.T) {
	t.Parallel()
	for _, row := range machine {
		checkRow(t, row, recordIn)
	}
}

// A joined claim is in no doubt, whatever anybody finds or says: what is not recorded was not written.
func TestTransitionOfJoinedClaimsOverTheWholeMachine(t *testing.T) {
	t.Parallel()
	joined := func(status ledger.Status) ledger.Record {
		r := recordIn(status)
		r.Joined = r.ClaimID != ""
		return r
	}
	others := 0
	for _, row := range machine {
		if want, ok := ofJoined[row.name]; ok {
			row.want = want
			others++
		}
		checkRow(t, row, joined)
	}
	if others != len(ofJoined) {
		t.Errorf("%d of %d rows are in the machine", others, len(ofJoined))
	}
}

// checkRow makes a request of a change in each status.
func checkRow(t *testing.T, row row, recordIn func(ledger.Status) ledger.Record) {
	t.Helper()
	want := strings.Fields(row.want)
	if len(want) != len(allStatuses) {
		t.Errorf("%s: %d outcomes for %d statuses", row.name, len(want), len(allStatuses))
		return
	}
	for i, status := range allStatuses {
		before := recordIn(status)
		next, event, err := transition(recordIn(status), row.request, moment{now: noon.Add(row.after)}, writing)
		if got := outcomeOf(next, err); got != want[i] {
			t.Errorf("%s of a change that is %s: %s, want %s", row.name, status, got, want[i])
		}
		if err != nil {
			if diff := cmp.Diff(before, next); diff != "" {
				t.Errorf("%s of a change that is %s was refused and changed it:\n%s", row.name, status, diff)
			}
			continue
		}
		if event.From == event.To && (event.Code == "" || event.Reason == "" && event.Code != string(CodeInDoubt)) {
			t.Errorf("%s of a change that is %s does not say what happened: event %+v", row.name, status, event)
		}
		if event.From != status || event.To != next.Status || event.Actor == "" {
			t.Errorf("%s of a change that is %s: event %+v", row.name, status, event)
		}
		if diff := cmp.Diff(before.Fixed, next.Fixed); diff != "" || next.Revision != before.Revision {
			t.Errorf("%s of a change that is %s changed what is fixed:\n%s", row.name, status, diff)
		}
		if next.Status == ledger.Pending && status != ledger.Pending {
			t.Errorf("%s of a change that is %s made it pending", row.name, status)
		}
	}
}

func outcomeOf(next ledger.Record, err error) string {
	var no *refusal
	switch {
	case errors.As(err, &no):
		return string(no.code)
	case errors.Is(err, errNoTransition):
		return noChange
	case declined(err) != "":
		return declined(err)
	case err != nil:
		return err.Error()
	}
	return string(next.Status)
}

// The table has a row for every request there is, and a column for every status.
func TestTransitionTableIsComplete(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(changeStatuses(), statusNames()); diff != "" {
		t.Errorf("statuses of the tools and columns of the table:\n%s", diff)
	}
	asked := map[string]bool{}
	for _, row := range machine {
		asked[typeName(row.request)] = true
	}
	if diff := cmp.Diff(deciders(t), slices.Sorted(maps.Keys(asked))); diff != "" {
		t.Errorf("requests with a decide method and rows of the table:\n%s", diff)
	}
	if diff := cmp.Diff(declaredStatuses(t), statusNames()); diff != "" {
		t.Errorf("statuses of the ledger and columns of the table:\n%s", diff)
	}
}

func statusNames() []string {
	names := make([]string, len(allStatuses))
	for i, s := range allStatuses {
		names[i] = string(s)
	}
	return names
}

func typeName(q request) string {
	switch q.(type) {
	case claimApply:
		return "claimApply"
	case claimUndo:
		return "claimUndo"
	case renewToken:
		return "renewToken"
	case renewUndo:
		return "renewUndo"
	case endRequest:
		return "endRequest"
	case askForYes:
		return "askForYes"
	case askForUndo:
		return "askForUndo"
	case settleApplied:
		return "settleApplied"
	case settleUndone:
		return "settleUndone"
	case settleFailed:
		return "settleFailed"
	case doubt:
		return "doubt"
	case lateOutcome:
		return "lateOutcome"
	case recordAfter:
		return "recordAfter"
	case approve:
		return "approve"
	case reject:
		return "reject"
	case requestUndo:
		return "requestUndo"
	case word:
		return "word"
	case expire:
		return "expire"
	case found:
		return "found"
	case lapsed:
		return "lapsed"
	}
	return "a request that the test does not know"
}

// deciders are the types of this package with a method decide.
func deciders(t *testing.T) []string {
	t.Helper()
	var names []string
	eachDeclaration(t, ".", func(d ast.Decl) {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "decide" || f.Recv == nil {
			return
		}
		if receiver, ok := f.Recv.List[0].Type.(*ast.Ident); ok { // a value; Guard.decide has a pointer
			names = append(names, receiver.Name)
		}
	})
	slices.Sort(names)
	return names
}

// declaredStatuses are the values of the constants of type ledger.Status.
func declaredStatuses(t *testing.T) []string {
	t.Helper()
	var values []string
	eachDeclaration(t, "ledger", func(d ast.Decl) {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			return
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if typ, ok := v.Type.(*ast.Ident); ok && typ.Name == "Status" {
				values = append(values, strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`))
			}
		}
	})
	return values
}

func eachDeclaration(t *testing.T, directory string, visit func(ast.Decl)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no source in %s: %v", directory, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			visit(d)
		}
	}
}

// A right token is spent by the claim, whatever follows.
func TestClaimSpendsTheToken(t *testing.T) {
	t.Parallel()
	at := moment{now: noon}
	for name, end := range map[string]request{
		"applied": settleApplied{claim: "c"},
		"proved":  settleFailed{claim: "c", failure: failure{outcome: outcomeNotApplied}},
		"unknown": settleFailed{claim: "c", failure: failure{outcome: outcomeUnknown}},
		"doubt":   doubt{claim: "c"},
	} {
		claim := applyBy(askedBy(rightToken, false))
		claimed, _, err := transition(recordIn(ledger.Pending), claim, at, writing)
		if err != nil {
			t.Fatal(err)
		}
		ended, _, err := transition(claimed, end, at, writing)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, _, err := transition(ended, claim, at, writing); err == nil {
			t.Errorf("after %s the token claimed again", name)
		}
	}
}

func TestUndoThatWroteNothingKeepsItsToken(t *testing.T) {
	t.Parallel()
	at := moment{now: noon}
	claim := undoBy(askedBy(rightUndo, false))
	r := recordIn(ledger.Applied)
	for range 2 {
		claimed, _, err := transition(r, claim, at, writing)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err = transition(claimed, settleFailed{claim: "c", failure: failure{outcome: outcomeNotApplied, code: CodeStateChanged}}, at, writing)
		if err != nil || r.Status != ledger.Applied {
			t.Fatalf("back to %s: %v", r.Status, err)
		}
	}
}

func TestLateOutcomeSettlesItsOwnDoubt(t *testing.T) {
	t.Parallel()
	at := moment{now: noon}
	doubted, _, err := transition(recordIn(ledger.Applying), doubt{claim: oldClaim, failure: failure{message: "late"}}, at, writing)
	if err != nil || doubted.DoubtAt != noon || doubted.DoubtReason != "late" {
		t.Fatalf("doubt: %+v, %v", doubted.Mutable, err)
	}
	if _, _, err := transition(doubted, doubt{claim: oldClaim}, at, writing); !errors.Is(err, errNoTransition) {
		t.Errorf("doubted twice: %v", err)
	}
	settled, _, err := transition(doubted, settleApplied{claim: oldClaim}, at, writing)
	if err != nil || settled.Status != ledger.Applied || !settled.DoubtAt.IsZero() || settled.DoubtReason != "" {
		t.Errorf("late outcome: %+v, %v", settled.Mutable, err)
	}
}

func TestUndoNeedsWhatApplyLeft(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*ledger.Record)
		want   string
	}{
		"no undo":        {func(r *ledger.Record) { r.UndoToken, r.UndoExpiresAt = nil, noTime }, "not_undoable"},
		"written down":   {func(r *ledger.Record) { r.UndoToken = nil }, "expired"}, // that the time was over
		"no result":      {func(r *ledger.Record) { r.Result = nil }, "not_undoable"},
		"no look":        {func(r *ledger.Record) { r.After = nil }, "not_undoable"},
		"never expires":  {func(r *ledger.Record) { r.UndoExpiresAt = noTime }, "undoing"},
		"other undo":     {func(r *ledger.Record) { r.UndoDigest = "other" }, "operation_changed"},
		"other apply":    {func(r *ledger.Record) { r.Digest = "other" }, "undoing"},
		"edited payload": {func(r *ledger.Record) { r.Payload = []byte(`{}`) }, "invalid_token"},
	} {
		r := recordIn(ledger.Applied)
		test.change(&r)
		next, _, err := transition(r, undoBy(askedBy(rightUndo, false)), moment{now: noon}, writing)
		if got := outcomeOf(next, err); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// Only an apply that is proved to have written nothing, and whose time is not over, is tried again.
func TestFailureIsTriedAgainOnProofAndInTimeOnly(t *testing.T) {
	t.Parallel()
	again := retry{of: &ledger.Record{}, id: "chg_1", token: "t"}
	for name, test := range map[string]struct {
		status ledger.Status
		end    settleFailed
		at     moment
		want   string
	}{
		"proved":          {ledger.Applying, settleFailed{claim: oldClaim, failure: failure{outcome: outcomeNotApplied}, retry: again}, moment{now: noon}, "chg_1"},
		"not wanted":      {ledger.Applying, settleFailed{claim: oldClaim, failure: failure{outcome: outcomeNotApplied}}, moment{now: noon}, ""},
		"unknown":         {ledger.Applying, settleFailed{claim: oldClaim, failure: failure{outcome: outcomeUnknown}, retry: again}, moment{now: noon}, ""},
		"undo":            {ledger.Undoing, settleFailed{claim: oldClaim, failure: failure{outcome: outcomeNotApplied}, retry: again}, moment{now: noon}, ""},
		"at expiry":       {ledger.Applying, settleFailed{claim: oldClaim, failure: failure{outcome: outcomeNotApplied}, retry: again}, moment{now: noon.Add(time.Minute)}, ""},
		"clock set back":  {ledger.Applying, settleFailed{claim: oldClaim, failure: failure{outcome: outcomeNotApplied}, retry: again}, moment{now: noon, behind: 2 * time.Minute}, ""},
		"before expiring": {ledger.Applying, settleFailed{claim: oldClaim, failure: failure{outcome: outcomeNotApplied}, retry: again}, moment{now: noon.Add(time.Minute - time.Millisecond)}, "chg_1"},
	} {
		next, _, err := transition(recordIn(test.status), test.end, test.at, writing)
		if err != nil || next.RetryID != test.want {
			t.Errorf("%s: %q, %v", name, next.RetryID, err)
		}
	}
}

func TestLateLookIsKeptOnce(t *testing.T) {
	t.Parallel()
	r := recordIn(ledger.Applied)
	r.After = nil
	r, _, err := transition(r, recordAfter{after: []byte(`{"value":"dark"}`)}, moment{now: noon}, writing)
	if err != nil || string(r.After) != `{"value":"dark"}` {
		t.Fatalf("%s, %v", r.After, err)
	}
	if _, _, err := transition(r, recordAfter{after: []byte(`{}`)}, moment{now: noon}, writing); !errors.Is(err, errNoTransition) {
		t.Errorf("a second look replaced the first: %v", err)
	}
}

// check is one check with how to make it fail.
type check struct {
	code   string
	status bool // the fault is the status, of which there is one at a time
	fail   func(*situation)
}

// situation is everything a claim is decided over.
type situation struct {
	record  ledger.Record
	asker   asker
	at      moment
	policy  policy
	expects string
}

func toStatus(s ledger.Status) func(*situation) {
	return func(at *situation) { at.record.Status, at.record.ClaimID = s, recordIn(s).ClaimID }
}

// checksOf are the checks of a claim, in their order.
func checksOf(p purpose) []check {
	statuses, times, last := checksOfApply()
	if p == forUndo {
		statuses, times, last = checksOfUndo()
	}
	return slices.Concat([]check{
		{"writes_disabled", false, func(s *situation) { s.policy.writes = false }},
		{"unknown_change", false, func(s *situation) { s.asker.scope = "other" }},
		{"ledger_corrupt", false, func(s *situation) { s.record.Shown = []byte("{") }},
	}, statuses, times, []check{
		{"clock_skew", false, func(s *situation) { s.at.behind = time.Hour }},
		{"invalid_token", false, func(s *situation) { s.asker.token = "wrong" }},
		{"operation_unknown", false, func(s *situation) { s.asker.operation = nil }},
		{"operation_changed", false, func(s *situation) {
			if s.asker.operation != nil {
				s.asker.operation = &behaviour{digest: "other", undoDigest: "other"}
			}
		}},
	}, last)
}

func checksOfApply() (statuses, times, last []check) {
	return []check{
			{"rejected", true, toStatus(ledger.Rejected)},
			{"already_used", true, toStatus(ledger.Undone)},
			{"in_flight", true, func(s *situation) { s.record.Status, s.asker.live = ledger.Applying, true }},
			{"in_doubt", true, toStatus(ledger.Applying)},
		}, []check{
			{"expired", false, func(s *situation) { s.at.now = noon.Add(2 * time.Hour) }},
		}, []check{
			{"payload_mismatch", false, func(s *situation) { s.expects = "sha256:other" }},
			{"awaiting_approval", false, func(s *situation) { s.record.Approval = approvalOperator }},
			{"limit_exceeded", false, func(s *situation) { s.record.Items, s.asker.operation = 2, withMaxItems(s.asker.operation, 1) }},
		}
}

func checksOfUndo() (statuses, times, last []check) {
	return []check{
			{"rejected", true, func(s *situation) { s.record.UndoDecision.Verdict = ledger.Refused }},
			{"already_used", true, toStatus(ledger.Undone)},
			{"in_flight", true, func(s *situation) { s.record.Status, s.asker.live = ledger.Undoing, true }},
			{"in_doubt", true, toStatus(ledger.Undoing)},
			{"not_undoable", true, toStatus(ledger.Pending)},
		}, []check{
			{"expired", false, func(s *situation) { s.record.UndoExpiresAt = noon }},
			{"not_undoable", false, func(s *situation) { s.record.UndoToken, s.record.UndoExpiresAt = nil, noTime }},
		}, []check{
			{"not_undoable", false, func(s *situation) { s.record.Result = nil }},
			{"not_undoable", false, func(s *situation) { s.record.After = nil }},
			{"awaiting_approval", false, func(s *situation) { s.record.UndoApproval = approvalOperator }},
		}
}

func withMaxItems(b *behaviour, limit int) *behaviour {
	limited := *b
	limited.maxItems = limit
	return &limited
}

func (s *situation) claim(p purpose) request {
	if p == forUndo {
		return undoBy(s.asker)
	}
	return claimApply{asker: s.asker, claimant: claimant{"c", "h"}, expects: s.expects}
}

func calm(p purpose) situation {
	if p == forUndo {
		return situation{record: recordIn(ledger.Applied), asker: askedBy(rightUndo, false), at: moment{now: noon}, policy: writing}
	}
	return situation{record: recordIn(ledger.Pending), asker: askedBy(rightToken, false), at: moment{now: noon}, policy: writing}
}

// Of every two checks that fail, the earlier one is the answer; and so of all of them.
func TestFirstFailingCheckIsTheAnswer(t *testing.T) {
	t.Parallel()
	for _, p := range []purpose{forApply, forUndo} {
		checks := checksOf(p)
		for i, first := range checks {
			all := calm(p)
			for j := len(checks) - 1; j >= i; j-- {
				later := checks[j]
				if j > i && first.status && later.status {
					continue
				}
				pair := calm(p)
				later.fail(&pair)
				first.fail(&pair)
				if !later.status || j == i {
					later.fail(&all)
				}
				next, _, err := transition(pair.record, pair.claim(p), pair.at, pair.policy)
				if got := outcomeOf(next, err); got != first.code {
					t.Errorf("%s with %s and %s: %s", p.verb(), first.code, later.code, got)
				}
			}
			next, _, err := transition(all.record, all.claim(p), all.at, all.policy)
			if got := outcomeOf(next, err); got != first.code {
				t.Errorf("%s with %s and all that follows: %s", p.verb(), first.code, got)
			}
		}
	}
}

func TestUnknownChangeIsAnyChangeOfAnother(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]func(*asker){
		"scope":          func(a *asker) { a.scope = "" },
		"caller":         func(a *asker) { a.caller = "" },
		"server or tool": func(a *asker) { a.serves = false },
	} {
		s := calm(forApply)
		other(&s.asker)
		next, _, err := transition(s.record, s.claim(forApply), s.at, s.policy)
		if got := outcomeOf(next, err); got != "unknown_change" {
			t.Errorf("another %s: %s", name, got)
		}
		var no *refusal
		if errors.As(err, &no) && (no.changeID != "" || no.status != "") {
			t.Errorf("another %s is told of the change: %+v", name, no)
		}
	}
}

func TestOperationThatIsGone(t *testing.T) {
	t.Parallel()
	for _, p := range []purpose{forApply, forUndo} {
		s := calm(p)
		s.asker.operation = nil
		next, _, err := transition(s.record, s.claim(p), s.at, s.policy)
		if got := outcomeOf(next, err); got != "operation_unknown" {
			t.Errorf("%s: %s", p.verb(), got)
		}
		s.asker.token = "wrong"
		next, _, err = transition(s.record, s.claim(p), s.at, s.policy)
		if got := outcomeOf(next, err); got != "invalid_token" {
			t.Errorf("%s with a wrong token: %s", p.verb(), got)
		}
	}
}

func TestExpiryIsInclusive(t *testing.T) {
	t.Parallel()
	for _, p := range []purpose{forApply, forUndo} {
		s := calm(p)
		end := s.record.ExpiresAt
		if p == forUndo {
			end = s.record.UndoExpiresAt
		}
		s.at.now = end.Add(-time.Millisecond)
		if _, _, err := transition(s.record, s.claim(p), s.at, s.policy); err != nil {
			t.Errorf("%s a millisecond before the end: %v", p.verb(), err)
		}
		s.at.now, s.asker.token = end, "wrong"
		next, _, err := transition(s.record, s.claim(p), s.at, s.policy)
		if got := outcomeOf(next, err); got != "expired" {
			t.Errorf("%s at the end, with a wrong token: %s", p.verb(), got)
		}
	}
}

func TestRepeatedApplyShowsTheResultOnlyToTheTokenHolder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		asker asker
		want  string
	}{
		"right token":     {askedBy(rightToken, false), `{"version":2}`},
		"wrong token":     {askedBy("wrong", false), ""},
		"operation moved": {asker{serves: true, scope: "scope", caller: "caller", token: rightToken, operation: &behaviour{}}, ""},
	} {
		_, _, err := transition(recordIn(ledger.Applied), applyBy(test.asker), moment{now: noon}, writing)
		var no *refusal
		if !errors.As(err, &no) || no.code != CodeAlreadyUsed || string(no.result) != test.want {
			t.Errorf("%s: %+v", name, err)
		}
	}
}
