package hold

import (
	"context"
	"errors"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Hold is one registration, and what is known of it here.
type Hold struct {
	all          *Holds
	registration ledger.Hold
	claims       int             // of all.mu: those that use it
	open         context.Context // ends when it is lost, or released
	end          context.CancelCauseFunc
}

var errReleased = errors.New("the hold was released")

// watch waits until the hold is lost, and has another taken then, or until nobody needs it any more.
func (h *Hold) watch(lost <-chan struct{}) {
	select {
	case <-lost:
		h.Lose()
	case <-h.open.Done():
	}
	if errors.Is(context.Cause(h.open), ErrLost) {
		h.all.replaceLost()
	}
}

// Name is what the ledger calls it.
func (h *Hold) Name() string { return h.registration.Name() }

// Lose says that others may take the holder for gone, as the ledger does that refuses a claim for it.
func (h *Hold) Lose() {
	h.all.mu.Lock()
	news := h.open.Err() == nil
	h.end(ErrLost)
	h.all.mu.Unlock()
	if news {
		h.all.news.Lost(h.Name())
	}
}

// IsLost tells whether nothing may be begun with it any more.
func (h *Hold) IsLost() bool {
	select {
	case <-h.registration.Lost(): // before whoever watches has heard of it
		h.Lose()
	default:
	}
	return h.open.Err() != nil
}

// Bind gives a context that ends with ErrLost as its cause when the hold is lost. The function must be called when the
// context is not needed any more.
func (h *Hold) Bind(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	loose := context.AfterFunc(h.open, func() { cancel(context.Cause(h.open)) })
	return ctx, func() {
		loose()
		cancel(nil)
	}
}

// End says that a claim which used the hold is over. The last one of a hold that was replaced releases it.
func (h *Hold) End() {
	h.all.mu.Lock()
	h.claims--
	isIdle := h != h.all.latest && h.claims == 0
	h.all.mu.Unlock()
	if isIdle {
		h.all.sweepSoon()
	}
}

// release gives the registration up. That is no loss, whatever the ledger says of it from then on.
func (h *Hold) release() error {
	h.end(errReleased)
	return h.registration.Release()
}
