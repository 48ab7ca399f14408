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

// An event from the future, written when the clock was wrong, must not hold a clock that is right now for ever.
func TestClockCatchesUpWithAnEventFromTheFuture(t *testing.T) {
	t.Parallel()
	var c clock
	future := noon.Add(10 * time.Minute)
	for _, step := range []struct {
		now         time.Time
		want        time.Time
		behindAtMax time.Duration
	}{
		{noon, future, 10 * time.Minute},
		{noon.Add(5 * time.Minute), future, 5 * time.Minute},
		{future.Add(time.Minute), future.Add(time.Minute), 0},
	} {
		at := c.read(ledger.Clock{Now: step.now, Newest: future})
		if !at.now.Equal(step.want) || at.behind > step.behindAtMax {
			t.Errorf("at %s: %+v", step.now, at)
		}
	}
	if gone := c.read(ledger.Clock{Now: noon.Add(10 * time.Minute)}); gone.now.Before(future.Add(time.Minute)) {
		t.Errorf("without that event the clock fell back: %+v", gone)
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
