package flight_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/changesetgen/changesetgen/runtime/internal/flight"
)

const claim = "c"

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestWhatIsKnownOfAClaim(t *testing.T) {
	t.Parallel()
	forgotten := flight.State{Forgotten: true}
	for name, test := range map[string]struct {
		happens func(*flight.Flights)
		want    flight.State
	}{
		"it never began":     {func(*flight.Flights) {}, forgotten},
		"another began":      {func(f *flight.Flights) { f.Begin("other") }, forgotten},
		"it began":           {func(f *flight.Flights) { f.Begin(claim) }, flight.State{Live: true}},
		"its time is up":     {func(f *flight.Flights) { f.Begin(claim); f.Doubted(claim) }, flight.State{}},
		"it is not recorded": {func(f *flight.Flights) { f.Begin(claim); f.Owe(claim, "it failed") }, flight.State{Known: "it failed"}},
		"it was recorded":    {func(f *flight.Flights) { f.Begin(claim); f.Owe(claim, "it failed"); f.Doubted(claim) }, flight.State{}},
		"it ended":           {func(f *flight.Flights) { f.Begin(claim); f.End(claim) }, forgotten},
		"it ended before":    {func(f *flight.Flights) { f.Begin(claim); f.End(claim); f.Owe(claim, "it failed") }, forgotten},
	} {
		f := flight.New()
		test.happens(f)
		if got := f.State(claim); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestDrainTakesNoNewClaims(t *testing.T) {
	t.Parallel()
	f := flight.New()
	if f.IsClosing() || isClosed(f.Closing()) || isClosed(f.Spent()) {
		t.Error("it was closed before it was used")
	}
	for range 2 {
		if left := f.Drain(t.Context()); left != 0 {
			t.Errorf("%d are left of none", left)
		}
	}
	if f.Begin(claim) || !f.State(claim).Forgotten {
		t.Error("a claim began after the end")
	}
	if !f.IsClosing() || !isClosed(f.Closing()) || !isClosed(f.Spent()) {
		t.Error("it is not closed")
	}
}

func TestDrainWaitsForTheLastFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := flight.New()
		f.Begin("a")
		f.Begin("b")
		left := make(chan int, 1)
		go func() { left <- f.Drain(t.Context()) }()
		<-f.Closing()
		f.End("a")
		synctest.Wait()
		if len(left) > 0 || isClosed(f.Spent()) {
			t.Fatal("it did not wait for b")
		}
		f.Owe("b", "it failed") // an outcome that is not recorded is waited for too
		f.End("b")
		if n := <-left; n != 0 || !isClosed(f.Spent()) {
			t.Errorf("%d are left", n)
		}
	})
}

func TestDrainCountsWhatIsLeft(t *testing.T) {
	t.Parallel()
	f := flight.New()
	f.Begin("a")
	f.Begin("b")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if left := f.Drain(over); left != 2 || !isClosed(f.Spent()) {
		t.Errorf("%d are left of 2", left)
	}
	if !f.State("a").Live {
		t.Error("what is left is forgotten")
	}
	f.End("a")
	f.End("b")
	if left := f.Drain(over); left != 0 {
		t.Errorf("%d are left after the last ended", left)
	}
}
