package runtime

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What no guard can have written decides nothing, whatever is asked.
func TestDamagedRecordIsNeverMovedOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status ledger.Status
		damage func(*ledger.Record)
	}{
		"unknown status":           {ledger.Pending, func(r *ledger.Record) { r.Status = "foo" }},
		"no status":                {ledger.Pending, func(r *ledger.Record) { r.Status = "" }},
		"pending after a claim":    {ledger.Applied, func(r *ledger.Record) { r.Status = ledger.Pending }},
		"expired after a claim":    {ledger.Applied, func(r *ledger.Record) { r.Status = ledger.Expired }},
		"no expiry":                {ledger.Pending, func(r *ledger.Record) { r.ExpiresAt = noTime }},
		"applied without expiry":   {ledger.Applied, func(r *ledger.Record) { r.ExpiresAt = noTime }},
		"nothing shown":            {ledger.Pending, func(r *ledger.Record) { r.Shown = nil }},
		"shown is no JSON":         {ledger.Pending, func(r *ledger.Record) { r.Shown = []byte(`{"rows":`) }},
		"shown is of another type": {ledger.Applied, func(r *ledger.Record) { r.Shown = []byte(`"Set theme"`) }},
	} {
		damaged := recordIn(test.status)
		damaged.After = nil
		damaged.UndoRequest = ledger.Request{At: noon, By: ana.name, Channel: ana.channel}
		test.damage(&damaged)
		for asked, q := range map[string]request{
			"apply":  applyBy(askedBy(rightToken, false)),
			"undo":   undoBy(askedBy(rightUndo, false)),
			"reject": reject{ana, forApply},
			"expire": expire{},
			"end":    endRequest{request: damaged.UndoRequest, code: CodeStateChanged},
			"look":   recordAfter{after: []byte(`{}`)},
		} {
			for _, after := range []time.Duration{0, time.Minute} {
				next, _, err := transition(damaged, q, moment{now: noon.Add(after)}, writing)
				if got := outcomeOf(next, err); got != "ledger_corrupt" && got != "corrupt" && got != noChange {
					t.Errorf("%s, %s: %s", name, asked, got)
				}
				if diff := cmp.Diff(damaged, next); diff != "" {
					t.Errorf("%s, %s changed the record:\n%s", name, asked, diff)
				}
			}
		}
	}
}

func TestDamagedRecordOfAnotherIsUnknown(t *testing.T) {
	t.Parallel()
	r := recordIn(ledger.Pending)
	r.Status = "foo"
	_, _, err := transition(r, applyBy(asker{serves: true, scope: "other"}), moment{now: noon}, writing)
	var no *refusal
	if !errors.As(err, &no) || no.code != CodeUnknownChange || no.changeID != "" {
		t.Errorf("%+v", err)
	}
}
