package ledgertest

import (
	"strings"
	"testing"
	"time"

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
	{"AHoldIsNotLostWhileItIsRenewed", aHoldIsNotLostWhileItIsRenewed},
	{"AHolderThatIsGoneStaysGone", aHolderThatIsGoneStaysGone},
	{"AHolderThatIsOverClaimsNothing", aHolderThatIsOverClaimsNothing},
	{"AHolderThatIsOverCanBeSettled", aHolderThatIsOverCanBeSettled},
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

func aHoldIsNotLostWhileItIsRenewed(t *testing.T, open Opener) {
	now := newClock()
	s := open(now.read)
	h := hold(t, s)
	swap(t, s, claim(insert(t, s, pending(1)), "claim", h.Name()), claimed)
	now.set(noon.AddDate(1, 0, 0)) // a clock that is set is no sign that a process died
	liveness(t, s, h.Name(), ledger.Alive)
	liveness(t, open(now.read), h.Name(), ledger.Alive)
	select {
	case <-h.Lost(): // nil, where a registration lasts as long as the process
		t.Error("a hold of a process that lives, and reaches the ledger, is lost")
	default:
	}
}

// aHolderThatIsGoneStaysGone asks stores whose clocks show an earlier and a later time, and some that open the ledger anew.
func aHolderThatIsGoneStaysGone(t *testing.T, open Opener) {
	now := newClock()
	first := open(now.read)
	h := hold(t, first)
	swap(t, first, claim(insert(t, first, pending(1)), "claim", h.Name()), claimed)
	release(t, h)
	liveness(t, first, h.Name(), ledger.Gone)
	for _, at := range []time.Time{noon.AddDate(-1, 0, 0), noon, noon.AddDate(1, 0, 0)} {
		now.set(at)
		for _, s := range []ledger.Store{first, open(now.read)} {
			liveness(t, s, h.Name(), ledger.Gone)
			release(t, hold(t, s))
			liveness(t, s, h.Name(), ledger.Gone)
		}
	}
}

// aHolderThatIsOverClaimsNothing is about stores of which a living process may lose its registration. Where it lasts as long
// as the process, nobody else can take its holder for gone before.
func aHolderThatIsOverClaimsNothing(t *testing.T, open Opener) {
	s := open(newClock().read)
	h := hold(t, s)
	if h.Lost() == nil {
		t.Skip("a holder of this store is there for as long as its process")
	}
	swap(t, s, claim(insert(t, s, pending(1)), "claim", h.Name()), claimed)
	waiting, applied := insert(t, s, pending(2)), pending(3)
	applied.Status = ledger.Applied
	applied = insert(t, s, applied)
	release(t, h)
	liveness(t, s, h.Name(), ledger.Gone)
	for _, s := range []ledger.Store{s, open(newClock().read)} {
		failsWith(t, "a claim", s.Swap(t.Context(), claim(waiting, "late", h.Name()), time.Time{}, claimed), ledger.ErrHoldOver)
		undo := claim(applied, "late", h.Name())
		undo.Status = ledger.Undoing
		failsWith(t, "a claim of an undo", s.Swap(t.Context(), undo, time.Time{}, ledger.Event{From: ledger.Applied, To: ledger.Undoing}), ledger.ErrHoldOver)
	}
	equal(t, "the change that waits", get(t, s, waiting.ID), waiting)
	equal(t, "the change that is applied", get(t, s, applied.ID), applied)
	equal(t, "number of events", len(events(t, s, waiting.ID))+len(events(t, s, applied.ID)), 2)
	next := hold(t, s)
	swap(t, s, claim(waiting, "claim", next.Name()), claimed)
}

// aHolderThatIsOverCanBeSettled moves on what it has left: by others, who note first what they found, and by itself.
func aHolderThatIsOverCanBeSettled(t *testing.T, open Opener) {
	s, other := open(newClock().read), open(newClock().read)
	h := hold(t, s)
	doubted := swap(t, s, claim(insert(t, s, pending(1)), "claim", h.Name()), claimed)
	own := swap(t, s, claim(insert(t, s, pending(2)), "claim", h.Name()), claimed)
	release(t, h)
	liveness(t, other, h.Name(), ledger.Gone)
	doubted.Finding = ledger.Finding{Verdict: "unknown", At: noon, Saw: "nothing"}
	doubted = swap(t, other, doubted, ledger.Event{From: ledger.Applying, To: ledger.Applying})
	doubted.Status = ledger.ApplyFailed
	swap(t, other, doubted, failed)
	own.Status = ledger.Applied
	swap(t, s, own, ledger.Event{From: ledger.Applying, To: ledger.Applied})
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
		t.Errorf("holder %q is %v, want %v", name, got, want)
	}
}
