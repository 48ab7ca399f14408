package runtime_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Those who ask about the same change at once share one look, which goes on when one of them leaves.
func TestLooksAtOneChangeAreShared(t *testing.T) {
	t.Parallel()
	var looks atomic.Int32
	looking, release := make(chan struct{}), make(chan struct{})
	w := cutOff(t, false, func(w *world) {
		w.options.Store = undisturbed{w.store}
		w.operation.DoneWhen, w.operation.Reconcile = nil, func(ctx context.Context, _ *setDoubtful) (runtime.Verdict, error) {
			if looks.Add(1) == 1 {
				close(looking)
			}
			<-release
			return runtime.NotDone, ctx.Err()
		}
	})
	p := w.doubted(t, "theme", "dark")
	ask := func(ctx context.Context) <-chan error {
		answer := make(chan error, 1)
		go func() {
			_, err := w.guard.Reconcile(ctx, p.ChangeID)
			answer <- err
		}()
		return answer
	}
	first, leave := context.WithCancel(t.Context())
	left := ask(first)
	wait(t, looking, "the look")
	second := &watched{Context: t.Context(), awaited: make(chan struct{})}
	stayed := ask(second)
	wait(t, second.awaited, "the second question")
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who does not wait: %v", err)
	}
	close(release)
	if err := <-stayed; err != nil {
		t.Errorf("who waits: %v", err)
	}
	if n := looks.Load(); n != 1 { // a second one would be over too
		t.Errorf("%d looks", n)
	}
}

// watched is a context that tells when somebody first waits for its end.
type watched struct {
	context.Context
	once    sync.Once
	awaited chan struct{}
}

func (c *watched) Done() <-chan struct{} {
	c.once.Do(func() { close(c.awaited) })
	return c.Context.Done()
}

// undisturbed is a ledger that reads to the end, whoever leaves, so that it waits for the end of no context.
type undisturbed struct{ ledger.Store }

func (s undisturbed) Get(ctx context.Context, id string) (ledger.Record, ledger.Clock, error) {
	return s.Store.Get(context.WithoutCancel(ctx), id)
}
