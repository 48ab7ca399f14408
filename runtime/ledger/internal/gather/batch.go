package gather

import (
	"context"
	"slices"
	"time"
)

// batch is what one leader runs.
type batch[T any] struct {
	calls []*call[T] // that of the leader first
	given int        // of calls, those whose items Run was given
	each  []error
	all   error
}

// lead runs the batch of the caller of own, which has a slot since began, and hands the slot on. The others of the batch are
// answered and the slot is handed on even when Run panics.
func (q *Queue[T]) lead(ctx context.Context, own *call[T], began time.Time) error {
	b := &batch[T]{calls: []*call[T]{own}, all: ErrAbandoned}
	defer func() {
		for i, c := range b.calls[1:] {
			c.told <- word{verdict: b.verdict(i + 1)}
		}
		q.handOn(began)
	}()
	b.each, b.all = q.Run(ctx, func() []T { return q.take(b) })
	return b.verdict(0)
}

// verdict on the item at that place.
func (b *batch[T]) verdict(at int) error {
	switch {
	case b.all != nil:
		return b.all
	case at < len(b.each):
		return b.each[at]
	}
	return ErrAbandoned
}

// take moves those who wait into the batch, up to the most that it takes, and gives the items that were not given before.
// A call that shares a key with an earlier one stays, and so do those that share one with it: they come after it.
func (q *Queue[T]) take(b *batch[T]) []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	used := b.keys()
	q.waiting = slices.DeleteFunc(q.waiting, func(c *call[T]) bool {
		if c.alone || len(b.calls) == q.Most || !use(used, c.keys) {
			return false
		}
		b.calls = append(b.calls, c)
		return true
	})
	items := make([]T, 0, len(b.calls)-b.given)
	for _, c := range b.calls[b.given:] {
		items = append(items, c.item)
	}
	b.given = len(b.calls)
	return items
}

// keys are those of the batch.
func (b *batch[T]) keys() map[string]bool {
	used := map[string]bool{}
	for _, c := range b.calls {
		use(used, c.keys)
	}
	return used
}

// use adds keys to the used ones, and tells whether none of them was.
func use(used map[string]bool, keys []string) bool {
	isNew := !slices.ContainsFunc(keys, func(key string) bool { return used[key] })
	for _, key := range keys {
		used[key] = true
	}
	return isNew
}
