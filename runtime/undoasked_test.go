package runtime_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// An agent that asks for an undo is told how things are when that is written down, and not how they were when it was decided on.
func TestWhoAsksForAnUndoIsToldWhatHasHappenedSince(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile func(t *testing.T, w *world, confirmation string, applied reply)
		want      string
	}{
		"another has asked with a newer token": {func(t *testing.T, w *world, confirmation string, applied reply) {
			again := w.apply(t, applied.ChangeID, confirmation)
			wantRefused(t, w.undo(t, applied.ChangeID, again.UndoToken), "awaiting_approval")
		}, "invalid_token"},
		"it was taken back": {func(t *testing.T, w *world, _ string, applied reply) {
			wantRefused(t, w.undo(t, applied.ChangeID, applied.UndoToken), "awaiting_approval")
			approve(t, w, applied.ChangeID, runtime.SubjectUndo)
			if u := w.undo(t, applied.ChangeID, applied.UndoToken); u.Status != "undone" {
				t.Errorf("%s", u.raw)
			}
		}, "already_used"},
		"another has asked with the same token": {func(t *testing.T, w *world, _ string, applied reply) {
			wantRefused(t, w.undo(t, applied.ChangeID, applied.UndoToken), "awaiting_approval")
		}, "awaiting_approval"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f *faults.Store
			w := newWorld(t, func(w *world) {
				w.operation.UndoApproval = runtime.ByOperator
				f = faults.New(w.store, nil)
				w.options.Store = f
			})
			p := w.preview(t, "theme", "dark")
			applied := w.apply(t, p.ChangeID, p.ConfirmationToken)
			decided, goOn, asked := make(chan struct{}), make(chan struct{}), false
			f.Set(func(c faults.Call) faults.Fault {
				if c.Method != faults.Swap || c.Event.Code != "undo_requested" || asked {
					return faults.Fault{}
				}
				asked = true
				return faults.Before("it is written", func() {
					close(decided)
					<-goOn
				})
			})
			told := make(chan reply, 1)
			asker := *w
			asker.client = w.connect(t) // calls of one client wait for each other
			go func() { told <- asker.undo(t, applied.ChangeID, applied.UndoToken) }()
			<-decided
			test.meanwhile(t, w, p.ConfirmationToken, applied)
			close(goOn)
			wantRefused(t, <-told, test.want)
		})
	}
}
