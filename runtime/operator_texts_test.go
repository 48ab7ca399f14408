package runtime_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Whoever prints a view as it is prints nothing that would not be seen, whoever wrote it.
func TestTextsOfAViewAreVisible(t *testing.T) {
	t.Parallel()
	const hidden = "\u202e\x1b[2J"
	w := newWorld(t, notAsked)
	o, err := runtime.NewOperator(w.store, runtime.Decider{Name: "ana" + hidden, Channel: "page" + hidden})
	if err != nil {
		t.Fatal(err)
	}
	id := insertWaiting(t, w, "chg_00000000000000000001", func(r *ledger.Record) {
		r.Shown = []byte(`{"loses":"l\u202e","rows":[{"after":1,"before":2,"field":"f\u202e"}],"summary":"s\u202e\nsecond line"}`)
		r.Server, r.Operation, r.Error = "server"+hidden, "operation"+hidden, "error"+hidden
		r.Status, r.ClaimID, r.UndoToken, r.UndoExpiresAt = ledger.Applied, "c"+hidden, []byte("hash"), r.ExpiresAt
		r.DoubtReason, r.Message, r.Code, r.RetryID = "doubt"+hidden, "message"+hidden, "code"+hidden, "retry"+hidden
	})
	if _, err := o.RequestUndo(t.Context(), view(t, o, id).Seen, "reason"+hidden); err != nil {
		t.Fatal(err)
	}
	v := view(t, o, id)
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range []string{`\u202e`, `\u001b`, "\u202e", "\x1b"} {
		if strings.Contains(strings.ReplaceAll(string(encoded), `\\`, ""), mark) {
			t.Errorf("%q is in %s", mark, encoded)
		}
	}
	if v.Summary != "s\\u202e\nsecond line" || v.Diff[0].Field != `f\u202e` || v.UndoRequest.By != `ana\u202e\u001b[2J` {
		t.Errorf("%q, %q, %q", v.Summary, v.Diff[0].Field, v.UndoRequest.By)
	}
}
