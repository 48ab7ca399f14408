package runtime_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
)

// All that a look calls shares one time: a look is over when Options.Timeout is, however many calls it makes.
func TestCallsOfALookShareItsTime(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	ends := map[string]time.Time{} // by which call
	note := func(ctx context.Context, call string) {
		mu.Lock()
		defer mu.Unlock()
		ends[call], _ = ctx.Deadline()
	}
	w := cutOff(t, true)
	p := w.doubted(t, "theme", "dark")
	observe := w.operation.Observe
	w.operation.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
		note(ctx, "the look")
		return observe(ctx, p)
	}
	w.operation.ObserveAfter = func(ctx context.Context, c *setApplied) (*settingState, error) {
		note(ctx, "the look at what it left")
		return observe(ctx, c.Payload)
	}
	w.operation.DoneWhen, w.operation.Reconcile = nil, func(ctx context.Context, _ *setDoubtful) (runtime.Verdict, error) {
		note(ctx, "the verdict")
		return runtime.Done, nil
	}
	w.closes(t)
	w.start(t)
	w.becomes(t, p.ChangeID, "applied")
	mu.Lock()
	defer mu.Unlock()
	if len(ends) != 3 {
		t.Fatalf("called: %v", ends)
	}
	for call, end := range ends {
		if end.IsZero() || !end.Equal(ends["the look"]) {
			t.Errorf("%s may last until %s, the look until %s", call, end, ends["the look"])
		}
	}
}
