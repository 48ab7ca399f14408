package runtime

import (
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Somebody edits what would run, its hash with it, or what was shown of it. Nobody carries that out, and nobody is given
// a token for it, because what was shown is no longer what would run.
func TestNothingIsDoneAboutAChangeThatIsNotAsShown(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*ledger.Record){
		"payload": func(r *ledger.Record) {
			r.Payload = []byte(`{"key":"theme","value":"pink"}`)
			r.PayloadHash = exact.Hash(r.Payload)
			r.ApplyToken = tokenHash(forApply, r.ID, r.PayloadHash, rightToken)
			r.UndoToken = tokenHash(forUndo, r.ID, r.PayloadHash, rightUndo)
		},
		"state": func(r *ledger.Record) { r.State = []byte(`{}`) },
		"shown": func(r *ledger.Record) { r.Shown = []byte(`{"rows":[],"summary":"Nothing much"}`) },
	} {
		for _, test := range []struct {
			status ledger.Status
			q      request
		}{
			{ledger.Pending, applyBy(askedBy(rightToken, false))},
			{ledger.Pending, renewToken{operation: &running}},
			{ledger.Applied, undoBy(askedBy(rightUndo, false))},
			{ledger.Applied, renewUndo{asker: askedBy(rightToken, false)}},
			{ledger.Applied, askForUndo{token: rightUndo}},
			{ledger.Pending, askForYes{}},
		} {
			r := recordIn(test.status)
			r.ShownDigest = shownDigest(&r)
			if next, _, err := transition(r, test.q, moment{now: noon}, writing); err != nil {
				t.Fatalf("%T before: %s", test.q, outcomeOf(next, err))
			}
			edit(&r)
			next, _, err := transition(r, test.q, moment{now: noon}, writing)
			if got := outcomeOf(next, err); got != "ledger_corrupt" && !errors.Is(err, errNoTransition) {
				t.Errorf("%T with another %s: %s", test.q, name, got)
			}
		}
	}
}
