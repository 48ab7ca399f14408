package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/program"
	"github.com/changesetgen/changesetgen/bench/internal/stat"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// filled is a ledger that holds many changes.
type filled struct {
	*file
	dir string
}

// openRows compares ledgers that differ in how many changes they hold.
func openRows(ctx context.Context, s settings, progress io.Writer) (*opened, error) {
	o := &opened{close: func() error { return nil }}
	begun := preview(time.Now(), "").ID
	var all []*filled
	var names []string
	for _, rows := range s.rows {
		f, err := o.addFilled(ctx, filepath.Join(s.dir, fmt.Sprintf("rows-%d", rows)), rows, progress)
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		before := o.close
		o.close = func() error { return errors.Join(f.forget(ctx, begun), before()) }
		all = append(all, f)
		names = append(names, claimAmong(rows), listAmong(rows))
	}
	o.subjects = []subject{{names: names, measure: func(ctx context.Context, length time.Duration) ([]figures, error) {
		return measureRows(ctx, all, length)
	}}}
	return o, nil
}

// claimAmong and listAmong are the names of what is measured of a ledger with many changes.
func claimAmong(rows int) string { return fmt.Sprintf("SQLite, claim among %d", rows) }
func listAmong(rows int) string  { return fmt.Sprintf("SQLite, list of open changes among %d", rows) }

// addFilled opens the ledger in a directory. It makes it if it is not there, or not one that this version could have made.
func (o *opened) addFilled(ctx context.Context, dir string, rows int, progress io.Writer) (*filled, error) {
	_, err := os.Stat(dir)
	var f *file
	if err == nil {
		f, err = o.add(ctx, dir)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ledger.ErrCorrupt) || errors.Is(err, ledger.ErrUnsupported) {
		if err := errors.Join(os.RemoveAll(dir), fill(ctx, dir, rows, progress)); err != nil {
			return nil, err
		}
		f, err = o.add(ctx, dir)
	}
	return &filled{file: f, dir: dir}, err
}

// measureRows claims a change in each ledger in turn, and lists the open ones, until the time of all is over.
func measureRows(ctx context.Context, all []*filled, length time.Duration) ([]figures, error) {
	claims, lists := make([]caller, len(all)), make([][]time.Duration, len(all))
	for i, f := range all {
		claims[i] = newCaller(f.store, f.hold.Name(), 0)
	}
	for range program.Turns(time.Now(), length*time.Duration(len(all))) {
		for i, f := range all {
			if err := claims[i].claimOne(ctx); err != nil {
				return nil, err
			}
			took, err := f.list(ctx)
			if err != nil {
				return nil, err
			}
			lists[i] = append(lists[i], took)
		}
	}
	var measured []figures
	for i := range all {
		claim, list := figures{}, figures{}
		claim.time(commitP50, commitP99, stat.QuantilesOf(claims[i].commits))
		list.time(listP50, listP99, stat.QuantilesOf(lists[i]))
		measured = append(measured, claim, list)
	}
	return measured, nil
}

// claimOne claims a change that was made for it, and leaves it failed. Only the claim is timed.
func (c *caller) claimOne(ctx context.Context) error {
	r := preview(time.Now(), c.name)
	if err := c.store.Insert(ctx, r, transition("", ledger.Pending), pendingCaps(&r)...); err != nil {
		return err
	}
	r.Revision = 1
	if err := c.swap(ctx, claimed(r, c.holder), transition(ledger.Pending, ledger.Applying)); err != nil {
		return err
	}
	r.Revision, r.Status = 2, ledger.ApplyFailed
	return c.store.Swap(ctx, r, time.Time{}, transition(ledger.Applying, ledger.ApplyFailed))
}

// list lists the open changes, as a guard does when it starts.
func (f *filled) list(ctx context.Context) (time.Duration, error) {
	begin := time.Now()
	found, err := f.store.List(ctx, ledger.Query{Statuses: []ledger.Status{ledger.Applying, ledger.Undoing}})
	took := time.Since(begin)
	if err == nil && len(found) != openChanges {
		return 0, fmt.Errorf("%d changes are open in %s, and %d should be: a measurement was cut short there; remove it", len(found), f.dir, openChanges)
	}
	return took, err
}

// forget removes the changes that were claimed here, so that the ledger is as large as before.
func (f *filled) forget(ctx context.Context, after string) error {
	ours := ledger.Query{Statuses: []ledger.Status{ledger.ApplyFailed}, After: after}
	for {
		n, err := f.store.Prune(ctx, ours, pruned)
		if err != nil || n < pruned {
			return err
		}
	}
}
