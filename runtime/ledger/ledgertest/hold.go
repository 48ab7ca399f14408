package ledgertest

import (
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var holdTests = []conformance{
	{"AHoldIsAliveUntilReleased", aHoldIsAliveUntilReleased},
	{"AReleasedHoldThatLeftClaimsIsGone", aReleasedHoldThatLeftClaimsIsGone},
	{"AReleasedHoldWithoutClaimsIsNotAlive", aReleasedHoldWithoutClaimsIsNotAlive},
	{"AHoldOutlivesItsStore", aHoldOutlivesItsStore},
	{"AskingDoesNotDisturbAHold", askingDoesNotDisturbAHold},
	{"AHolderNobodyKnowsIsUnknown", aHolderNobodyKnowsIsUnknown},
	{"HoldsHaveNamesOfTheirOwn", holdsHaveNamesOfTheirOwn},
}

func aHoldIsAliveUntilReleased(t *testing.T, open Opener) {
	s := open(newClock().read)
	h := hold(t, s)
	liveness(t, s, h.Name(), ledger.Alive)
	liveness(t, open(newClock().read), h.Name(), ledger.Alive)
}

func aReleasedHoldThatLeftClaimsIsGone(t *testing.T, open Opener) {
	s := open(newClock().read)
	h := hold(t, s)
	swap(t, s, claim(insert(t, s, pending(1)), "claim", h.Name()), claimed)
	release(t, h)
	liveness(t, s, h.Name(), ledger.Gone)
	liveness(t, open(newClock().read), h.Name(), ledger.Gone)
	release(t, h)
	liveness(t, s, h.Name(), ledger.Gone)
}

func aReleasedHoldWithoutClaimsIsNotAlive(t *testing.T, open Opener) {
	s := open(newClock().read)
	h := hold(t, s)
	release(t, h)
	if got := holder(t, s, h.Name()); got == ledger.Alive {
		t.Errorf("a holder that released is alive")
	}
}

func aHoldOutlivesItsStore(t *testing.T, open Opener) {
	first := open(newClock().read)
	h := hold(t, first)
	swap(t, first, claim(insert(t, first, pending(1)), "claim", h.Name()), claimed)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := open(newClock().read)
	liveness(t, second, h.Name(), ledger.Alive)
	release(t, h)
	liveness(t, second, h.Name(), ledger.Gone)
}

func askingDoesNotDisturbAHold(t *testing.T, open Opener) {
	first, second := open(newClock().read), open(newClock().read)
	live, dead := hold(t, first), hold(t, first)
	swap(t, first, claim(insert(t, first, pending(1)), "claim", dead.Name()), claimed)
	release(t, dead)
	const askers, questions = 8, 50
	wrong := make(chan string, askers)
	for range askers {
		go func() {
			for range questions {
				a, errA := second.Holder(t.Context(), live.Name())
				b, errB := first.Holder(t.Context(), dead.Name())
				if a != ledger.Alive || b != ledger.Gone || errA != nil || errB != nil {
					wrong <- "one that asked got a wrong answer"
					return
				}
			}
			wrong <- ""
		}()
	}
	for range askers {
		if complaint := <-wrong; complaint != "" {
			t.Error(complaint)
		}
	}
	liveness(t, second, live.Name(), ledger.Alive)
}

func aHolderNobodyKnowsIsUnknown(t *testing.T, open Opener) {
	s := open(newClock().read)
	name := hold(t, s).Name()
	for _, other := range []string{
		"", "nobody", "../" + name, name + "/", name + "\x00", strings.ToUpper(name), strings.Repeat("0", len(name)),
	} {
		liveness(t, s, other, ledger.Unknown)
	}
}

func holdsHaveNamesOfTheirOwn(t *testing.T, open Opener) {
	s := open(newClock().read)
	names := map[string]bool{}
	for range 4 {
		h := hold(t, s)
		names[h.Name()] = true
		release(t, h)
	}
	equal(t, "number of names", len(names), 4)
}

func hold(t *testing.T, s ledger.Store) ledger.Hold {
	t.Helper()
	h, err := s.Hold(t.Context())
	if err != nil {
		t.Fatalf("hold: %v", err)
	}
	t.Cleanup(func() { _ = h.Release() })
	return h
}

func release(t *testing.T, h ledger.Hold) {
	t.Helper()
	if err := h.Release(); err != nil {
		t.Fatalf("release: %v", err)
	}
}

func holder(t *testing.T, s ledger.Store, name string) ledger.Liveness {
	t.Helper()
	got, err := s.Holder(t.Context(), name)
	if err != nil {
		t.Fatalf("holder %q: %v", name, err)
	}
	return got
}

func liveness(t *testing.T, s ledger.Store, name string, want ledger.Liveness) {
	t.Helper()
	if got := holder(t, s, name); got != want {
		t.Errorf("holder %q is %d, want %d", name, got, want)
	}
}
