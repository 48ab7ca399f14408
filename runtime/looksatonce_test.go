package runtime_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// meeting is where looks wait until all that are expected are under way.
type meeting struct {
	mu     sync.Mutex
	looked map[string]bool // at which changes
	absent sync.WaitGroup
}

func (m *meeting) arrive(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.looked[id] {
		m.looked[id] = true
		m.absent.Done()
	}
}

// A start looks at four changes at once. It leaves alone what a server that lives has in doubt: that one may still learn
// how it ended, and looks itself.
func TestStartLooksAtFourAtOnceAndAtNothingOfALivingServer(t *testing.T) {
	t.Parallel()
	const atOnce = 4
	w := cutOff(t, false)
	gone := make([]string, atOnce)
	for n := range gone {
		gone[n] = w.doubted(t, "theme", fmt.Sprint("dark ", n)).ChangeID
	}
	living := w.beside(t).doubted(t, "language", "de").ChangeID
	m := &meeting{looked: map[string]bool{}}
	m.absent.Add(atOnce)
	together := make(chan struct{})
	go func() {
		m.absent.Wait()
		close(together)
	}()
	w.operation.DoneWhen, w.operation.Reconcile = nil, func(_ context.Context, c *setDoubtful) (runtime.Verdict, error) {
		if c.ChangeID == living {
			t.Error("looked at what a living server has in doubt")
			return runtime.Unsure, nil
		}
		m.arrive(c.ChangeID)
		select {
		case <-together:
		case <-time.After(patience):
			t.Error("the looks did not come together")
		}
		return runtime.NotDone, nil
	}
	w.options.Timeout = 2 * patience
	w.restart(t)
	wait(t, together, "looks that run side by side")
	w.closes(t)
	for _, id := range append(gone, living) {
		if r := w.record(t, id); r.Status != ledger.Applying {
			t.Errorf("%s is %s", id, r.Status)
		}
	}
}
