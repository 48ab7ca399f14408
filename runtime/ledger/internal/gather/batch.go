package gather

import (
	"context"
	"slices"
)

// batch is what one leader runs.
type batch[T any] struct {
	calls []*call[T] // that of the leader first
	each  []error
	all   error
}

// lead runs the batch of the caller of own, which has a slot, and hands the slot on. The others of the batch are answered
// and the slot is handed on even when Run panics.
func (q *Queue[T]) lead(ctx context.Context, own *call[T]) error {
	b := &batch[T]{calls: []*call[T]{own}, all: ErrAbandoned}
	defer func() {
		for i, c := range b.calls[1:] {
			c.told <- word{verdict: b.verdict(i + 1)}
		}
		q.handOn()
	}()
	var items []T
	b.each, b.all = q.Run(ctx, func() []T {
		if items == nil {
			items = q.take(b)
		}
		return items
	})
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

// take moves those who wait into the batch, up to the most that it takes, and gives all its items. A call that shares a key
// with an earlier one stays, and so do those that share one with it: they come after it.
func (q *Queue[T]) take(b *batch[T]) []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	used := map[string]bool{}
	use(used, b.calls[0].keys)
	q.waiting = slices.DeleteFunc(q.waiting, func(c *call[T]) bool {
		if c.alone || len(b.calls) == q.Most || !use(used, c.keys) {
			return false
		}
		b.calls = append(b.calls, c)
		return true
	})
	items := make([]T, len(b.calls))
	for i, c := range b.calls {
		items[i] = c.item
	}
	return items
}

// use adds keys to the used ones, and tells whether none of them was.
func use(used map[string]bool, keys []string) bool {
	isNew := !slices.ContainsFunc(keys, func(key string) bool { return used[key] })
	for _, key := range keys {
		used[key] = true
	}
	return isNew
}
