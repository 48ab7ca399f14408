package runtime_test

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
)

// overdue are the calls about what has expired, each with what has to be there before it does.
var overdue = map[string]func(*testing.T, *world) (call func() reply){
	"a preview": func(t *testing.T, w *world) func() reply {
		p := w.preview(t, "theme", "dark")
		return func() reply { return w.apply(t, p.ChangeID, p.ConfirmationToken) }
	},
	"a person's yes": func(t *testing.T, w *world) func() reply {
		w.operation.Approval = runtime.ByOperator
		w.restart(t)
		ana, err := runtime.NewOperator(w.store, runtime.Decider{Name: "ana", Channel: "test"})
		if err != nil {
			t.Fatal(err)
		}
		p := w.preview(t, "theme", "dark")
		if _, err := ana.Approve(t.Context(), shownTo(t, ana, p.ChangeID, runtime.SubjectApply), ""); err != nil {
			t.Fatal(err)
		}
		return func() reply { return w.apply(t, p.ChangeID, p.ConfirmationToken) }
	},
	"a retry": func(t *testing.T, w *world) func() reply {
		failsFirst(runtime.NotApplied(errRefusedConnection))(w)
		w.restart(t)
		_, r := w.failed(t)
		return func() reply { return w.apply(t, r.Retry.ChangeID, r.Retry.ConfirmationToken) }
	},
	"an undo": func(t *testing.T, w *world) func() reply {
		w.operation.UndoTTL = runtime.DefaultTTL
		w.restart(t)
		a := w.applied(t, "theme", "dark")
		return func() reply { return w.undo(t, a.ChangeID, a.UndoToken) }
	},
}

// What has expired stays so when the clock is set back, if anything was committed since, or the process still lives.
func TestNothingExpiredRevivesWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	for name, prepare := range overdue {
		for witness, know := range map[string]func(*testing.T, *world){
			"with something committed since": func(t *testing.T, w *world) {
				w.preview(t, "language", "de")
				w.clock.move(-2 * time.Hour)
				w.restart(t)
			},
			"with the process alive": func(t *testing.T, w *world) {
				w.status(t, "chg_00000000000000000000") // it sees the clock
				w.clock.move(-2 * time.Hour)
			},
		} {
			t.Run(name+" "+witness, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				call := prepare(t, w)
				bodies := w.writes(t)
				w.clock.move(runtime.DefaultTTL)
				know(t, w)
				for range 2 {
					if r := call(); r.Code != "expired" && r.Code != "clock_skew" {
						t.Errorf("%s", r.raw)
					}
				}
				w.clock.move(2 * time.Hour) // set right
				wantRefused(t, call(), "expired")
				if w.writes(t) != bodies {
					t.Errorf("%d bodies ran", w.writes(t)-bodies)
				}
			})
		}
	}
}
