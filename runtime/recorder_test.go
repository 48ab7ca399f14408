package runtime

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// blocking is a sink that waits to be let on.
type blocking struct {
	begun, release chan struct{}
	had            []Event
}

func (b *blocking) Record(_ context.Context, e Event) {
	if len(b.had) == 0 {
		close(b.begun)
	}
	<-b.release
	b.had = append(b.had, e)
}

// A sink that is slow is waited for up to a bound. What comes beyond is counted and said, ever more rarely.
func TestEventsBeyondTheBoundAreDroppedAndCounted(t *testing.T) {
	t.Parallel()
	const beyond = 5
	said := make(chan string, beyond)
	sink := &blocking{begun: make(chan struct{}), release: make(chan struct{})}
	r := newRecorder(sink, func(_ string, attrs ...any) { said <- fmt.Sprint(attrs...) })
	record := func(reason int) { r.record(t.Context(), Event{Reason: fmt.Sprint(reason)}) }
	record(0)
	<-sink.begun
	for i := range maxWaiting + beyond {
		record(i + 1)
	}
	got := map[string]bool{<-said: true, <-said: true, <-said: true}
	if diff := cmp.Diff(map[string]bool{"dropped1": true, "dropped2": true, "dropped4": true}, got); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
	close(sink.release)
	r.flush(t.Context())
	if len(sink.had) != maxWaiting+1 {
		t.Fatalf("the sink had %d events", len(sink.had))
	}
	for i, e := range sink.had {
		if e.Reason != fmt.Sprint(i) {
			t.Fatalf("event %d is %s: out of order", i, e.Reason)
		}
	}
	record(-1) // there is room again
	r.flush(t.Context())
	if len(sink.had) != maxWaiting+2 || len(said) != 0 {
		t.Errorf("the sink had %d events, %d more were said to be lost", len(sink.had), len(said))
	}
}

func TestTallyStaysAtItsLargest(t *testing.T) {
	t.Parallel()
	counts := tally{counts: map[Code]int64{CodeExpired: math.MaxInt64 - 1}}
	for range 3 {
		counts.add(CodeExpired)
	}
	if got := counts.all()[CodeExpired]; got != math.MaxInt64 {
		t.Errorf("%d", got)
	}
}
