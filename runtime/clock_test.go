package runtime

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func TestClockNeverGoesBack(t *testing.T) {
	t.Parallel()
	var c clock
	first := c.read(ledger.Clock{Now: noon})
	if !first.now.Equal(noon) || first.behind != 0 {
		t.Fatalf("first reading: %+v", first)
	}
	back := c.read(ledger.Clock{Now: noon.Add(-time.Hour)})
	if back.now.Before(noon) || back.behind < time.Hour {
		t.Errorf("after the ledger's clock went back an hour: %+v", back)
	}
	ahead := c.read(ledger.Clock{Now: noon.Add(time.Hour)})
	if !ahead.now.Equal(noon.Add(time.Hour)) || ahead.behind != 0 {
		t.Errorf("after it went on: %+v", ahead)
	}
}

func TestClockFollowsTheNewestEvent(t *testing.T) {
	t.Parallel()
	var c clock
	at := c.read(ledger.Clock{Now: noon, Newest: noon.Add(10 * time.Minute)})
	if !at.now.Equal(noon.Add(10*time.Minute)) || at.behind != 10*time.Minute {
		t.Errorf("with an event from the future: %+v", at)
	}
}
