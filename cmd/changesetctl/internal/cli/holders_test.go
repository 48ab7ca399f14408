package cli_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Whoever is to wait for a server, or to look for it, is told where it is, and until when a lease has others wait.
func TestWhoCarriesAChangeOutIsNamed(t *testing.T) {
	t.Parallel()
	onEachLedger(t, testWhoCarriesOut)
}

func testWhoCarriesOut(t *testing.T, s *shop) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	process := fmt.Sprintf("process %d on %s", os.Getpid(), host)
	leased := strings.HasPrefix(s.address, "postgres://")
	id, hold := heldChange(t, s, false)
	inUse := []string{process + " (alive)"}
	if leased {
		inUse = []string{process + " (alive), last heard of ", "unless it is heard of again, it counts as gone from "}
	}
	says(t, s, 1, inUse, "reconcile", id, "--verdict", "not_done", "--note", "looked", "--yes")
	says(t, s, 0, inUse, "show", id)
	says(t, s, 0, []string{hold.Name(), process}, "check")
	over := "gone"
	if leased {
		execute(t, s.address, []string{"UPDATE changesetgen.holders SET until = until - 7200000 WHERE name = '" + hold.Name() + "'"})
		over = "gone, not written down yet"
	} else if err := hold.Release(); err != nil {
		t.Fatal(err)
	}
	says(t, s, 0, []string{"Claimed by " + process + " (" + over + ")"}, "show", id)
	says(t, s, 1, []string{over + "  "}, "check")
	says(t, s, 0, []string{"is apply_failed"}, "reconcile", id, "--verdict", "not_done", "--note", "looked", "--yes")
}

// What a joined claim leaves is never in question: nobody is called, or sent to look at the target.
func TestCheckTellsWhatIsKnownNotToBeWrittenApart(t *testing.T) {
	t.Parallel()
	onEachLedger(t, func(t *testing.T, s *shop) {
		id, hold := heldChange(t, s, true)
		if err := errors.Join(s.guard.Close(t.Context()), hold.Release()); err != nil { // so that no server is left to settle it
			t.Fatal(err)
		}
		says(t, s, 0, []string{"Not recorded, and so not written: 1 change of joined operations.", "--verdict not_done", id}, "check")
		says(t, s, 0, []string{`"in_doubt": true`, `"waits_for": "server"`, id}, "check", "--json")
		says(t, s, 0, []string{"Nothing waits for a person."}, "pending")
		if r := run(s, "check"); strings.Contains(r.stdout, "Look at the target") {
			t.Errorf("somebody is sent to look: %s", r.stdout)
		}
		says(t, s, 0, []string{"There is nothing to look at"}, "show", id)
		says(t, s, 1, []string{"it was not done; settle it as that"}, "reconcile", id, "--verdict", "done", "--note", "looked", "--yes")
		says(t, s, 0, []string{"is apply_failed"}, "reconcile", id, "--verdict", "not_done", "--note", "looked", "--yes")
	})
}

// heldChange is a change that is being applied under a hold of its own.
func heldChange(t *testing.T, s *shop, joined bool) (id string, _ ledger.Hold) {
	t.Helper()
	id = proposed(t, s, "set_price", "tea", "3")
	hold, err := s.store.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hold.Release() })
	r, clock, err := s.store.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	r.Status, r.WriteID, r.ClaimID, r.Holder, r.Joined, r.ClaimedAt = ledger.Applying, "claim", "claim", hold.Name(), joined, clock.Now
	e := ledger.Event{Actor: "agent", From: ledger.Pending, To: ledger.Applying}
	if err := s.store.Swap(t.Context(), r, r.ExpiresAt, e); err != nil {
		t.Fatal(err)
	}
	return id, hold
}

// says runs a command, which has to end with that exit code and to say all that is wanted.
func says(t *testing.T, s *shop, code int, want []string, command ...string) {
	t.Helper()
	r := run(s, command...)
	for _, text := range want {
		if r.code != code || !strings.Contains(r.stdout+r.stderr, text) {
			t.Errorf("%q: exit code %d, want %d and %q: %s%s", command, r.code, code, text, r.stdout, r.stderr)
		}
	}
}
