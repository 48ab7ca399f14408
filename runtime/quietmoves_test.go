package runtime_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What moves no change is told as what it is: nobody reads of a change that was applied again.
func TestEventsThatMoveNothingSayWhatHappened(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.operation.UndoApproval = runtime.ByOperator })
	p := w.preview(t, "theme", "dark")
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantSaid(t, a, "The undo then waits for a person's yes", "")
	again := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, w.undo(t, a.ChangeID, again.UndoToken), "awaiting_approval")
	events, err := w.store.Events(t.Context(), a.ChangeID)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, e := range events {
		if e.From != e.To {
			continue
		}
		codes = append(codes, e.Code)
		if e.Code == "" || e.Reason == "" {
			t.Errorf("an event does not say what happened: %+v", e)
		}
	}
	if got := strings.Join(codes, " "); got != "token_renewed undo_requested" {
		t.Errorf("%s", got)
	}
}

func TestLogOfWhatMovesNothingIsInformation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   ledger.Status
		code runtime.Code
		want string
	}{
		{ledger.Applied, "undo_requested", "INFO undo requested"},
		{ledger.Applied, "approved", "INFO undo approved"},
		{ledger.Applied, "rejected", "INFO undo rejected"},
		{ledger.Pending, "approved", "INFO change approved"},
		{ledger.Pending, "awaiting_approval", "INFO change waits for approval"},
		{ledger.Pending, "token_renewed", "INFO token renewed"},
		{ledger.Applied, "looked", "INFO state after apply read"},
		{ledger.Applied, "expired", "INFO request for an undo expired"},
		{ledger.Applying, "in_doubt", "WARN change in doubt"},
		{ledger.Undoing, "in_doubt", "WARN undo in doubt"},
		{ledger.ApplyFailed, "late_outcome", "WARN outcome came late"},
		{ledger.Applied, "state_changed", "WARN change still applied"},
	} {
		var log syncBuffer
		logger := slog.New(slog.NewJSONHandler(&log, nil))
		runtime.SlogSink(logger).Record(t.Context(), runtime.Event{From: test.in, To: test.in, Code: test.code})
		level, message, _ := strings.Cut(test.want, " ")
		if want := fmt.Sprintf(`"level":%q,"msg":%q`, level, message); !strings.Contains(log.String(), want) {
			t.Errorf("%s of what is %s: %s", test.code, test.in, log.String())
		}
	}
}
