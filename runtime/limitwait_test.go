package runtime_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// tolerated is how much later than there is room it may be told: it is counted to a second, and told in whole ones, while the
// clock of the test runs on.
const tolerated = 2*time.Second + time.Minute

// retryAt is when an answer says that there is room again.
func retryAt(t *testing.T, r reply) time.Time {
	t.Helper()
	var said struct {
		RetryAt time.Time `json:"retry_at"`
	}
	if err := json.Unmarshal(r.raw, &said); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.text, said.RetryAt.Format("2006-01-02T15:04:05.000Z07:00")) {
		t.Errorf("the text does not say when: %s", r.text)
	}
	return said.RetryAt
}

// Whoever finds no room is told when there is some, and whether their change is still good then.
func TestFullWindowSaysWhenThereIsRoomAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		ttl, per time.Duration
		hint     string
	}{
		{"the change expires before", 20 * time.Minute, time.Hour, "This change expires before that"},
		{"the change is still good then", time.Hour, 30 * time.Minute, "wait until then, and make the same call again"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) {
				w.operation.Limits, w.operation.TTL = runtime.Limits{Changes: 2, Per: test.per}, test.ttl
			})
			waiting := w.preview(t, "language", "fr")
			first := w.applied(t, "theme", "dark")
			w.clock.move(5 * time.Minute)
			second := w.applied(t, "language", "de")
			if u := w.undo(t, second.ChangeID, second.UndoToken); u.Status != "undone" {
				t.Fatalf("%s", u.raw)
			}
			room := w.record(t, first.ChangeID).ClaimedAt.Add(test.per)
			no := w.apply(t, waiting.ChangeID, waiting.ConfirmationToken)
			wantRefused(t, no, "limit_exceeded")
			wantSaid(t, no, test.hint, "")
			status := w.status(t, waiting.ChangeID)
			if status.Status != "pending" || !strings.Contains(status.text, test.hint) {
				t.Errorf("%s", status.text)
			}
			preview := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "red"})
			wantRefused(t, preview, "limit_exceeded")
			for _, r := range []reply{no, status, preview} {
				if at := retryAt(t, r); at.Before(room) || at.Sub(room) > tolerated {
					t.Errorf("there is room at %s, and told is %s: %s", room, at, r.text)
				} else if !at.Equal(at.Truncate(time.Second)) {
					t.Errorf("what is told says more than is known: %s", at)
				}
			}
			w.clock.move(test.per - 5*time.Minute)
			if r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "red"}); r.Status != "preview" {
				t.Errorf("when it was told that there is room: %s", r.text)
			}
			if status := w.status(t, waiting.ChangeID); strings.Contains(string(status.raw), "retry_at") {
				t.Errorf("of a change for which there is room: %s", status.raw)
			}
		})
	}
}

// When there is room again is left out where the ledger does not tell its time.
func TestFullWindowSaysNothingOfATimeThatIsNotKnown(t *testing.T) {
	t.Parallel()
	var f *faults.Store
	w := newWorld(t, func(w *world) {
		w.operation.Limits = runtime.Limits{Changes: 1, Per: time.Hour}
		f = faults.New(w.store, nil)
		w.options.Store = f
	})
	waiting := w.preview(t, "language", "fr")
	w.applied(t, "theme", "dark")
	f.Set(func(c faults.Call) faults.Fault {
		if c.Method == faults.Now {
			return faults.Refuse(errors.New("it does not tell its time"))
		}
		return faults.Fault{}
	})
	no := w.apply(t, waiting.ChangeID, waiting.ConfirmationToken)
	wantRefused(t, no, "limit_exceeded")
	for _, r := range []reply{no, w.status(t, waiting.ChangeID)} {
		if strings.Contains(string(r.raw), "retry_at") {
			t.Errorf("it says when there is room: %s", r.raw)
		}
	}
}
