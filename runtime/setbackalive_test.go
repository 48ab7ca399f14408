package runtime

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// A process that lives on counts the time that passes in it, whatever becomes of the ledger's clock: what was half a second
// short of its expiry has expired when that has passed.
func TestClockThatIsSetBackDoesNotStopTheTimeOfALivingProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const left, back = 500 * time.Millisecond, 50 * time.Second
		var c clock
		expiry := noon.Add(DefaultTTL)
		if at := c.read(ledger.Clock{Now: expiry.Add(-left)}); !at.now.Before(expiry) {
			t.Fatalf("it has expired too early: %+v", at)
		}
		time.Sleep(left) // of the bubble, whose clock runs ahead of nobody
		set := ledger.Clock{Now: expiry.Add(-back)}
		if known := c.now(); known.Before(expiry) {
			t.Errorf("without asking it is %s, before the expiry", known)
		}
		for range 2 {
			if at := c.read(set); at.now.Before(expiry) || at.behind < back {
				t.Errorf("at its expiry, with the ledger's clock set back: %+v", at)
			}
		}
		time.Sleep(back / 2)
		if at := c.read(set); at.now.Before(expiry.Add(back / 2)) {
			t.Errorf("later, with the ledger's clock still behind: %+v", at)
		}
	})
}

// What the newest event said stays said when it is pruned.
func TestClockKeepsToWhatAPrunedEventSaid(t *testing.T) {
	t.Parallel()
	var c clock
	future := noon.Add(10 * time.Minute)
	c.read(ledger.Clock{Now: noon, Newest: future})
	if at := c.read(ledger.Clock{Now: noon.Add(time.Minute)}); at.now.Before(future) || at.behind < 9*time.Minute {
		t.Errorf("without that event: %+v", at)
	}
	if known := c.now(); known.Before(future) {
		t.Errorf("without asking: %s", known)
	}
}
