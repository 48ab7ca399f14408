package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// In a ledger that lets others write while a body runs, they may be quicker: the body fails, and its caller is told what a later
// look would have told. A body that has words of its own for that is heard.
func TestJoinedBodyThatOthersAreQuickerThanIsAConflict(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		own  error
		code string
		says string
	}{
		"as the database says":    {nil, "state_changed", "somebody else changed the same at the same time"},
		"as the body says itself": {runtime.Refuse("it is taken"), "refused", "it is taken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, joinedIn(t, inPostgres), func(w *world) {
				write := w.operation.Apply
				w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
					if _, err := w.target.ExecContext(ctx, `UPDATE settings SET value = 'blue', version = 7 WHERE key = 'theme'`); err != nil {
						return nil, err
					}
					result, err := write(ctx, c)
					if test.own != nil && err != nil {
						err = runtime.Refuse("%w (%w)", test.own, err)
					}
					return result, err
				}
			})
			p := w.preview(t, "theme", "dark")
			r := w.apply(t, p.ChangeID, p.ConfirmationToken)
			wantRefused(t, r, test.code)
			wantSaid(t, r, test.says, "")
			if r.ChangeStatus != string(ledger.ApplyFailed) || (len(r.Changed) > 0) != (test.own == nil) {
				t.Errorf("%s", r.raw)
			}
			if kept := w.record(t, p.ChangeID); kept.Outcome != "not_applied" || !strings.Contains(kept.Error, "40001") {
				t.Errorf("kept: %s, %s", kept.Outcome, kept.Error)
			}
			wantTheme(t, w, "blue")
		})
	}
}
