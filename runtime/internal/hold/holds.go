// Package hold keeps the registration that a guard makes its claims with. The ledger may come to take a holder for gone
// although its process lives. Then what was claimed with that hold is told to end, and another is taken as soon as the ledger
// gives one: whoever asks it who is there, be it for an upgrade, is told of the process as long as that lives.
package hold

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// ErrLost is why a context of Bind ended.
var ErrLost = errors.New("the ledger has not heard of this process for too long, and others may take it for gone")

// Registry is where holds are taken: a ledger.Store.
type Registry interface {
	Hold(ctx context.Context) (ledger.Hold, error)
}

// News is told of holds by their names. Its functions are called in a goroutine of their own, or in that of a claim.
type News struct {
	Lost     func(name string) // of each that is lost
	Replaced func(name string) // of each that was taken in place of a lost one
}

// Holds are the latest hold of a guard, and earlier ones that were lost and are not released yet. They are safe for
// concurrent use.
type Holds struct {
	registry Registry
	news     News
	open     context.Context // ends when they are given up
	giveUp   context.CancelFunc
	taking   chan struct{} // has an element while somebody asks the ledger for another hold
	sweeping chan struct{} // has one while somebody gives back earlier ones

	mu      sync.Mutex // never held while the ledger is asked
	latest  *Hold
	earlier []*Hold
}

// New takes the first hold.
func New(ctx context.Context, registry Registry, news News) (*Holds, error) {
	all := &Holds{registry: registry, news: news, taking: make(chan struct{}, 1), sweeping: make(chan struct{}, 1)}
	all.open, all.giveUp = context.WithCancel(context.Background())
	first, err := all.take(ctx)
	if err != nil {
		all.giveUp()
		return nil, err
	}
	all.latest = first
	return all, nil
}

func (all *Holds) take(ctx context.Context) (*Hold, error) {
	registration, err := all.registry.Hold(ctx)
	if err != nil {
		return nil, err
	}
	h := &Hold{all: all, registration: registration}
	h.open, h.end = context.WithCancelCause(context.Background())
	if lost := registration.Lost(); lost != nil {
		go h.watch(lost)
	}
	return h, nil
}

// Use counts another claim that is made with the latest hold, which may be lost. The claim must end with Hold.End.
func (all *Holds) Use() *Hold {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.latest.claims++
	return all.latest
}

// Replace gives the claim that uses a lost hold one that is not lost in its place, and asks the ledger for that unless
// somebody did before. With an error the claim keeps the hold that it has.
func (all *Holds) Replace(ctx context.Context, lost *Hold) (*Hold, error) {
	if err := all.renew(ctx); err != nil {
		return nil, err
	}
	fresh := all.Use()
	lost.End()
	return fresh, nil
}

// renew takes another hold if the latest is lost, unless somebody else does, and releases lost ones that no claim uses.
func (all *Holds) renew(ctx context.Context) error {
	select {
	case all.taking <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-all.taking }()
	if all.open.Err() != nil {
		return errReleased
	}
	if !all.current().IsLost() {
		return nil
	}
	fresh, err := all.take(ctx)
	if err != nil {
		return err
	}
	all.mu.Lock()
	all.earlier = append(all.earlier, all.latest)
	all.latest = fresh
	all.mu.Unlock()
	all.news.Replaced(fresh.Name())
	all.sweepSoon()
	return nil
}

// Between two attempts to take another hold, when no claim needs one, goes more and more time.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 5 * time.Second
)

// replaceLost takes another hold as soon as the ledger gives one, unless they are given up before.
func (all *Holds) replaceLost() {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		if attempt.Contain(func() error { return all.renew(all.open) }) == nil {
			return
		}
		select {
		case <-time.After(pause):
		case <-all.open.Done():
			return
		}
	}
}

// current is the latest hold.
func (all *Holds) current() *Hold {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.latest
}

// Ours tells whether a holder is the latest hold, or an earlier one that is not released yet.
func (all *Holds) Ours(name string) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.latest.Name() == name {
		return true
	}
	for _, h := range all.earlier {
		if h.Name() == name {
			return true
		}
	}
	return false
}

// Leased tells whether the registry may take a holder for gone although its process lives.
func (all *Holds) Leased() bool { return all.current().registration.Lost() != nil }

// Release gives every hold up, one that is just being taken as well, and none is taken any more. No claim may use any. When it
// fails it may be called again.
func (all *Holds) Release() error {
	all.giveUp()
	all.taking <- struct{}{}
	defer func() { <-all.taking }()
	return errors.Join(all.current().release(), all.sweep())
}

// sweepSoon has earlier holds released behind whoever carries a change out: a ledger that was away may take its time for it. What
// fails is tried again when the guard closes, and is told then.
func (all *Holds) sweepSoon() {
	go func() { _ = attempt.Contain(all.sweep) }()
}

// sweep releases the earlier holds that no claim uses. What the ledger does not let go is tried again the next time.
func (all *Holds) sweep() error {
	all.sweeping <- struct{}{}
	defer func() { <-all.sweeping }()
	var failed []error
	for _, h := range all.idle() {
		if err := h.release(); err != nil {
			failed = append(failed, err)
			all.mu.Lock()
			all.earlier = append(all.earlier, h)
			all.mu.Unlock()
		}
	}
	return errors.Join(failed...)
}

// idle takes out the earlier holds that no claim uses.
func (all *Holds) idle() (idle []*Hold) {
	all.mu.Lock()
	defer all.mu.Unlock()
	var used []*Hold
	for _, h := range all.earlier {
		if h.claims > 0 {
			used = append(used, h)
		} else {
			idle = append(idle, h)
		}
	}
	all.earlier = used
	return idle
}
