package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// caller is one of those who use a ledger at once. Nobody else uses it.
type caller struct {
	store   ledger.Store
	holder  string
	name    string          // the hash of whom it is known as: what waits is limited for each
	cycles  []time.Duration // how long each took
	commits []time.Duration
	busy    int // answers of ErrBusy
}

func newCaller(store ledger.Store, holder string, number int) caller {
	return caller{store: store, holder: holder, name: hash(fmt.Sprint("caller ", number))}
}

// cycle takes a change from preview to undo.
func (c *caller) cycle(ctx context.Context) error {
	begin := time.Now()
	r := preview(begin, c.name)
	if err := c.insert(ctx, r); err != nil {
		return err
	}
	r.Revision = 1
	for _, next := range []func(ledger.Record) ledger.Record{
		func(r ledger.Record) ledger.Record { return claimed(r, c.holder) }, applied,
		func(r ledger.Record) ledger.Record { return undoing(r, c.holder) }, undone,
	} {
		from := r.Status
		r = next(r)
		if err := c.swap(ctx, r, transition(from, r.Status)); err != nil {
			return err
		}
		r.Revision++
	}
	c.cycles = append(c.cycles, time.Since(begin))
	return nil
}

func (c *caller) insert(ctx context.Context, r ledger.Record) error {
	return c.commit(func() error {
		return c.store.Insert(ctx, r, transition("", ledger.Pending), pendingCaps(&r)...)
	})
}

// swap has the time limit that the guard gives to a claim.
func (c *caller) swap(ctx context.Context, r ledger.Record, e ledger.Event) error {
	var limit time.Time
	switch r.Status {
	case ledger.Applying:
		limit = r.ExpiresAt
	case ledger.Undoing:
		limit = r.UndoExpiresAt
	}
	return c.commit(func() error { return c.store.Swap(ctx, r, limit, e) })
}

// commit times a write. One that found the ledger busy wrote nothing and is made again, as an agent would.
func (c *caller) commit(write func() error) error {
	begin := time.Now()
	err := write()
	for errors.Is(err, ledger.ErrBusy) {
		c.busy++
		err = write()
	}
	c.commits = append(c.commits, time.Since(begin))
	return err
}
