package hold_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/hold"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// office is where holds are taken, each under a number, and given back. The test changes it while nobody asks it.
type office struct {
	mu      sync.Mutex
	asked   int // how often a hold was asked for
	taken   []*paper
	stays   error         // why none is given back
	refuses error         // why none is taken
	closes  bool          // whoever gives one back is told that it is lost
	answers chan struct{} // closed when it answers whoever gives one back; nil: at once
}

type paper struct {
	office *office
	name   string
	lost   chan struct{}
	given  int // how often it was given back
}

func (o *office) Hold(context.Context) (ledger.Hold, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked++
	if o.refuses != nil {
		return nil, o.refuses
	}
	p := &paper{office: o, name: fmt.Sprint("hold ", len(o.taken)), lost: make(chan struct{})}
	o.taken = append(o.taken, p)
	return p, nil
}

func (p *paper) Name() string          { return p.name }
func (p *paper) Lost() <-chan struct{} { return p.lost }

func (p *paper) Release() error {
	if p.office.answers != nil {
		<-p.office.answers
	}
	p.office.mu.Lock()
	defer p.office.mu.Unlock()
	if p.office.stays == nil {
		p.given++
	}
	if p.office.closes {
		close(p.lost)
	}
	return p.office.stays
}

// quiet tells nobody of anything.
var quiet = hold.News{Lost: func(string) {}, Replaced: func(string) {}}

var errOffice = errors.New("the office is closed")

func newHolds(t *testing.T, o *office) *hold.Holds {
	t.Helper()
	holds, err := hold.New(t.Context(), o, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return holds
}

// replace loses the hold of a claim and gives the claim another.
func replace(t *testing.T, holds *hold.Holds, h *hold.Hold) *hold.Hold {
	t.Helper()
	h.Lose()
	fresh, err := holds.Replace(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	return fresh
}

func TestLostHoldIsReleasedWithItsLastClaim(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &office{}
		holds := newHolds(t, o)
		running, waiting := holds.Use(), holds.Use()
		fresh := replace(t, holds, waiting)
		synctest.Wait()
		if o.taken[0].given != 0 || !holds.Ours("hold 0") || !holds.Ours("hold 1") || holds.Ours("hold 2") {
			t.Errorf("while a claim uses it: %+v", o.taken[0])
		}
		running.End()
		fresh.End()
		synctest.Wait()
		if o.taken[0].given != 1 || holds.Ours("hold 0") || o.taken[1].given != 0 {
			t.Errorf("after the last one: %+v, %+v", o.taken[0], o.taken[1])
		}
		if err := holds.Release(); err != nil || o.taken[0].given != 1 || o.taken[1].given != 1 {
			t.Errorf("at the end: %v", err)
		}
	})
}

func TestHoldThatIsNotLetGoIsReleasedLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &office{stays: errOffice}
		holds := newHolds(t, o)
		h := replace(t, holds, holds.Use())
		h.End()
		if err := holds.Release(); !errors.Is(err, errOffice) || !holds.Ours("hold 0") {
			t.Errorf("while nothing is given back: %v", err)
		}
		synctest.Wait()
		o.stays = nil
		if err := holds.Release(); err != nil || o.taken[0].given != 1 || o.taken[1].given != 1 {
			t.Errorf("after that: %v", err)
		}
	})
}

// A ledger that was away may take its time for what is given back. Nobody's claim waits for that.
func TestNoClaimWaitsForTheReleaseOfAnEarlierHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &office{answers: make(chan struct{})}
		holds := newHolds(t, o)
		running, waiting := holds.Use(), holds.Use()
		fresh := replace(t, holds, waiting)
		running.End()
		fresh.End()
		holds.Use().End()
		synctest.Wait()
		if o.taken[0].given != 0 {
			t.Fatal("the office has answered")
		}
		close(o.answers)
		if err := holds.Release(); err != nil || o.taken[0].given != 1 || o.taken[1].given != 1 {
			t.Errorf("at the end: %v", err)
		}
	})
}

func TestHoldThatIsNotLostIsKept(t *testing.T) {
	t.Parallel()
	o := &office{}
	holds := newHolds(t, o)
	lost, late := holds.Use(), holds.Use()
	fresh := replace(t, holds, lost)
	if again := replace(t, holds, late); again != fresh || len(o.taken) != 2 {
		t.Errorf("%d holds were taken", len(o.taken))
	}
}

func TestClaimKeepsItsHoldWhileNoOtherIsToBeHad(t *testing.T) {
	t.Parallel()
	o := &office{}
	holds := newHolds(t, o)
	h := holds.Use()
	o.refuses = errOffice
	h.Lose()
	if _, err := holds.Replace(t.Context(), h); !errors.Is(err, errOffice) {
		t.Errorf("%v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := holds.Replace(over, h); err == nil {
		t.Error("one was to be had")
	}
	if _, err := hold.New(t.Context(), o, quiet); !errors.Is(err, errOffice) {
		t.Errorf("the first: %v", err)
	}
	o.admit()
	if replace(t, holds, h).Name() != "hold 1" {
		t.Error("it is not the next")
	}
}

func TestContextEndsWithItsHoldOrItself(t *testing.T) {
	t.Parallel()
	o := &office{}
	holds := newHolds(t, o)
	h := holds.Use()
	bound, done := h.Bind(t.Context())
	free, end := h.Bind(t.Context())
	end()
	if bound.Err() != nil || free.Err() == nil || h.IsLost() {
		t.Errorf("before: %v, %v", context.Cause(bound), context.Cause(free))
	}
	close(o.taken[0].lost)
	if !h.IsLost() {
		t.Error("it does not know yet")
	}
	<-bound.Done()
	if cause := context.Cause(bound); !errors.Is(cause, hold.ErrLost) {
		t.Errorf("%v", cause)
	}
	done()
}

// To a ledger a hold that is given up may look like one that is lost.
func TestReleaseIsNoLoss(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &office{closes: true}
		holds, err := hold.New(t.Context(), o, hold.News{
			Lost:     func(name string) { t.Errorf("%s is said to be lost", name) },
			Replaced: func(name string) { t.Errorf("%s was taken in place of another", name) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := holds.Release(); err != nil || !isClosed(o.taken[0].lost) {
			t.Errorf("%v", err)
		}
		synctest.Wait()
	})
}

// admit lets holds be taken again.
func (o *office) admit() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refuses = nil
}

// Whoever asks the ledger who is there is told of a process whether that claims anything or not.
func TestAnotherHoldIsTakenOnceOneIsToBeHad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const outage = time.Hour
		o := &office{}
		var told []string
		holds, err := hold.New(t.Context(), o, hold.News{
			Lost:     func(name string) { told = append(told, name+" lost") },
			Replaced: func(name string) { told = append(told, name+" taken") },
		})
		if err != nil {
			t.Fatal(err)
		}
		o.refuses = errOffice
		close(o.taken[0].lost)
		time.Sleep(outage)
		synctest.Wait()
		if len(o.taken) != 1 || o.asked < 10 || o.asked > int(outage/time.Second) {
			t.Errorf("%d were taken of %d that were asked for in %s", len(o.taken), o.asked, outage)
		}
		o.admit()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(o.taken) != 2 || o.taken[0].given != 1 || !holds.Ours("hold 1") {
			t.Errorf("%d were taken, the first is given back %d times", len(o.taken), o.taken[0].given)
		}
		if want := []string{"hold 0 lost", "hold 1 taken"}; !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		if err := holds.Release(); err != nil || o.taken[1].given != 1 {
			t.Errorf("at the end: %v", err)
		}
	})
}

func TestNoHoldIsTakenAfterTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &office{}
		holds := newHolds(t, o)
		o.refuses = errOffice
		close(o.taken[0].lost)
		synctest.Wait()
		if err := holds.Release(); err != nil {
			t.Fatal(err)
		}
		o.admit()
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(o.taken) != 1 {
			t.Errorf("%d were taken", len(o.taken))
		}
	})
}

// Who hears late of a loss finds the latest hold released, and is not to take that for a loss too.
func TestReleasedHoldIsNotReplaced(t *testing.T) {
	t.Parallel()
	o := &office{}
	holds := newHolds(t, o)
	h := holds.Use()
	h.End()
	if err := holds.Release(); err != nil {
		t.Fatal(err)
	}
	if fresh, err := holds.Replace(t.Context(), h); err == nil || len(o.taken) != 1 || o.taken[0].given != 1 {
		t.Errorf("it was replaced by %v, %v: %d were taken, the first is given back %d times", fresh, err, len(o.taken), o.taken[0].given)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
