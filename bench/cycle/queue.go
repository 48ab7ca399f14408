package main

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/program"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

const (
	// expectedRate is how many claims a second are made ready for before any were counted.
	expectedRate = 5000
	// surplus is how many times as many are made ready as were claimed in the round before.
	surplus = 1.5
)

// queue is a ledger with changes that wait to be claimed.
type queue struct {
	store  ledger.Store
	holder string
	ready  []ledger.Record
	rate   float64 // of claims a second, in the last round
}

// subject measures claims alone: the changes are made before, and none is settled.
func (q *queue) subject(name string, callers int) subject {
	return subject{names: []string{name}, measure: func(ctx context.Context, length time.Duration) ([]figures, error) {
		if err := q.prepare(ctx, max(callers, int(q.rate*surplus*length.Seconds()))); err != nil {
			return nil, err
		}
		l, err := q.claim(ctx, callers, length)
		if err != nil {
			return nil, err
		}
		q.rate = l.rate(l.Commits)
		return []figures{l.figures()}, nil
	}}
}

// prepare has at least so many changes wait.
func (q *queue) prepare(ctx context.Context, count int) error {
	made := make([]ledger.Record, max(0, count-len(q.ready)))
	failures := make([]error, many)
	var next atomic.Int64
	var group sync.WaitGroup
	for i := range failures {
		c := newCaller(q.store, q.holder, i)
		group.Go(func() {
			for n := next.Add(1) - 1; n < int64(len(made)) && failures[i] == nil; n = next.Add(1) - 1 {
				r := preview(time.Now(), c.name)
				failures[i] = q.store.Insert(ctx, r, transition("", ledger.Pending))
				r.Revision = 1
				made[n] = r
			}
		})
	}
	group.Wait()
	q.ready = append(q.ready, made...)
	return cmp.Or(failures...)
}

// claim claims the changes that wait, until the time is over or none is left.
func (q *queue) claim(ctx context.Context, callers int, length time.Duration) (load, error) {
	var next atomic.Int64
	l, err := driveEach(q.store, q.holder, callers, func(c *caller, begin time.Time) error {
		for range program.Turns(begin, length) {
			n := next.Add(1) - 1
			if n >= int64(len(q.ready)) {
				return nil
			}
			if err := c.swap(ctx, claimed(q.ready[n], c.holder), transition(ledger.Pending, ledger.Applying)); err != nil {
				return err
			}
		}
		return nil
	})
	q.ready = q.ready[l.Commits:]
	return l, err
}
