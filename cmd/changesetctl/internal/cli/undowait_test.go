package cli_test

import (
	"strings"
	"testing"
)

// Somebody has the ledger open, and carries nothing out, as a server with writes off.
func TestUndoThatNobodyBeginsSaysWhereToLook(t *testing.T) {
	t.Parallel()
	onEachLedger(t, testUndoThatNobodyBegins)
}

func testUndoThatNobodyBegins(t *testing.T, s *shop) {
	id := proposed(t, s, "set_price", "tea", "3")
	if r, err := s.apply(t.Context(), "set_price", id); err != nil || r.Status != "applied" {
		t.Fatalf("%v, %+v", err, r)
	}
	if err := s.guard.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	hold, err := s.store.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := run(s, "undo", id, "--yes", "--wait", "1s")
	for _, want := range []string{"not over yet", "no server has begun it", "the log of the server shop says why"} {
		if r.code != 1 || !strings.Contains(r.stderr, want) {
			t.Errorf("exit code %d, want %q: %s", r.code, want, r.stderr)
		}
	}
	if err := hold.Release(); err != nil {
		t.Error(err)
	}
}
