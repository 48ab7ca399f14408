package runtime_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// A request id stands for the change that it made, and its status leads to the one that tries that again. So a failure
// under one is tried again as any other is, and repeating the request makes no third change.
func TestRequestIDLeadsToTheRetryOfItsChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, failsFirst(runtime.NotApplied(errRefusedConnection)))
	p := w.request(t, "r1", "theme", "dark")
	failed := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, failed, "apply_failed")
	if failed.Retry.ChangeID == "" || failed.Retry.ConfirmationToken == "" {
		t.Fatalf("no retry of a request: %s", failed.raw)
	}
	if r := w.record(t, failed.Retry.ChangeID); r.RequestID != "" || r.RequestHash != "" || r.RetryOf != p.ChangeID {
		t.Errorf("the retry is the request as well: %+v", r.Fixed)
	}
	again := w.request(t, "r1", "theme", "dark")
	if again.Status != "apply_failed" || again.ChangeID != p.ChangeID || again.RetryID != failed.Retry.ChangeID || again.ConfirmationToken != "" {
		t.Errorf("the request, repeated: %s", again.raw)
	}
	if a := w.apply(t, failed.Retry.ChangeID, failed.Retry.ConfirmationToken); a.Status != "applied" {
		t.Errorf("%s", a.raw)
	}
	again = w.request(t, "r1", "theme", "dark")
	if s := w.status(t, again.RetryID); again.RetryID != failed.Retry.ChangeID || s.Status != string(ledger.Applied) {
		t.Errorf("the request, repeated after the retry: %s\n%s", again.raw, s.raw)
	}
	if len(w.changes(t)) != 2 || w.writes(t) != 1 {
		t.Errorf("%d changes, %d bodies ran", len(w.changes(t)), w.writes(t))
	}
}
