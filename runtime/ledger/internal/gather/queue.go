package gather

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// What Do and Alone answer besides what Config.Run does. Except with ErrAbandoned, nothing of the item was run.
var (
	// ErrLeft wraps the error of the context of a caller that left before its item was taken.
	ErrLeft = errors.New("left while waiting for its turn")
	// ErrClosed says that the queue was closed before the item was taken.
	ErrClosed = errors.New("the queue is closed")
	// ErrAbandoned says that Run took the item and gave no answer, because it panicked: nobody knows what it did.
	ErrAbandoned = errors.New("it was taken, and whoever ran it did not get as far as an answer")
)

// Config is how a Queue runs what it is given.
type Config[T any] struct {
	Slots int // batches that run at once, at least 1
	Most  int // items in a batch, at least 1; 1 is no gathering
	Worth int // callers that have to wait for a batch of theirs to run beside another; with 0 or 1 any does

	// Late is how long a batch has to be under way for Worth to disregard it: it may not end for long, and whoever waits is not
	// to wait for that while a slot is free. With 0 no batch ever is.
	Late time.Duration

	// Run runs one batch in the goroutine of the caller that leads it. It calls take once it has waited for all that has to
	// be waited for. Take gives the items of the batch, that of the leader first and the others in the order they came; who
	// joined or left until then is counted. It may be called again, for those who came since; there are none once the batch
	// is full. ctx is that of the leader and matters only until take: then everybody awaits the verdict. Run answers each
	// item, in the order it was given them, or all of them with one error. An error without take is for the leader
	// alone; the others go on waiting, and the first of them leads. A panic goes to the leader; the others get ErrAbandoned.
	Run func(ctx context.Context, take func() []T) (each []error, all error)

	// Keys are what no two items of a batch may share. Items that do are in batches one after the other, in the order they came;
	// with several slots these may run at once. Nil is no keys.
	Keys func(item T) []string
}

// Queue brings together the items of callers that wait. It is safe for concurrent use.
type Queue[T any] struct {
	Config[T]

	mu      sync.Mutex
	began   []time.Time // for each slot that is not free; none is while anybody waits, unless they are too few for another batch
	waiting []*call[T]
	closed  bool
	freed   sync.Cond // a slot became free
}

// call is a caller that waits, or leads.
type call[T any] struct {
	item  T
	keys  []string
	alone bool
	told  chan word // has room for the one word that it is told
}

// word is what ends a wait: the slot, or a verdict.
type word struct {
	leads   bool
	began   time.Time // of a slot, when it was given
	verdict error
}

// New is an open queue. It panics if the config has no slot, no room for an item, or no Run.
func New[T any](config Config[T]) *Queue[T] {
	if config.Slots < 1 || config.Most < 1 || config.Run == nil {
		panic(fmt.Sprintf("gather.New: %d slots of %d items, Run given: %t", config.Slots, config.Most, config.Run != nil))
	}
	q := &Queue[T]{Config: config}
	q.freed.L = &q.mu
	return q
}

// Do has the item run, by this caller or by another, and gives the verdict on it. Who comes first is served first. A caller
// whose ctx is over before its item was taken gets ErrLeft; once it was taken, ctx is ignored.
func (q *Queue[T]) Do(ctx context.Context, item T) error {
	c := &call[T]{item: item, told: make(chan word, 1)}
	if q.Keys != nil {
		c.keys = q.Keys(item)
	}
	w := q.enter(ctx, c)
	if !w.leads {
		return w.verdict
	}
	return q.lead(ctx, c, w.began)
}

// Alone waits for a slot as Do does and keeps it, with no item run in it, until done is called.
func (q *Queue[T]) Alone(ctx context.Context) (done func(), err error) {
	c := &call[T]{alone: true, told: make(chan word, 1)}
	w := q.enter(ctx, c)
	if !w.leads {
		return nil, w.verdict
	}
	return func() { q.handOn(w.began) }, nil
}

// Close refuses all that was not taken yet, and what comes later, and returns when all that was has its verdict and nobody
// is Alone. It may be called more than once.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, c := range q.waiting {
		c.told <- word{verdict: ErrClosed}
	}
	q.waiting = nil
	for len(q.began) > 0 {
		q.freed.Wait()
	}
}

// enter waits until the call is told what became of it, which is at once where a slot is free.
func (q *Queue[T]) enter(ctx context.Context, c *call[T]) word {
	if ctx.Err() != nil {
		return left(ctx)
	}
	if !q.join(c) {
		return word{verdict: ErrClosed}
	}
	if w, isTold := q.await(ctx, c); isTold {
		return q.heed(ctx, w)
	}
	if q.remove(c) {
		return left(ctx)
	}
	return q.heed(ctx, <-c.told)
}

// await waits until the call is told something, or its caller leaves.
func (q *Queue[T]) await(ctx context.Context, c *call[T]) (w word, isTold bool) {
	select {
	case w = <-c.told:
		return w, true
	default:
	}
	for late := q.look(); ; late = q.look() {
		select {
		case w = <-c.told:
			return w, true
		case <-ctx.Done():
			return word{}, false
		case <-late:
		}
	}
}

// join has a call wait, behind those that do; false if the queue is closed.
func (q *Queue[T]) join(c *call[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, c)
	q.give()
	return true
}

// remove takes a call out of the queue; false if it was told something already, or is about to be.
func (q *Queue[T]) remove(c *call[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.waiting, c)
	if at < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, at, at+1)
	return true
}

// heed passes the slot on if it came to a caller that has left.
func (q *Queue[T]) heed(ctx context.Context, w word) word {
	if w.leads && ctx.Err() != nil {
		q.handOn(w.began)
		return left(ctx)
	}
	return w
}

func left(ctx context.Context) word {
	return word{verdict: fmt.Errorf("%w: %w", ErrLeft, ctx.Err())}
}
