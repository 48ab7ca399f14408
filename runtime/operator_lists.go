package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// List shows the changes that match q, in its order, without their events. A pending change whose time is over counts as
// the expired one that it is shown as.
func (o *Operator) List(ctx context.Context, q ledger.Query) ([]View, error) {
	pending, expired := slices.Contains(q.Statuses, ledger.Pending), slices.Contains(q.Statuses, ledger.Expired)
	if pending != expired {
		return o.listByTime(ctx, q)
	}
	records, err := o.store.List(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	return o.views(ctx, records)
}

// defaultListed is how many changes a list without a limit has.
const defaultListed = 1000

// errListed ends a walk over records: there are as many as were asked for.
var errListed = errors.New("the list is full")

// listByTime is List for what the ledger cannot select by status: it only has those that were written down.
func (o *Operator) listByTime(ctx context.Context, q ledger.Query) ([]View, error) {
	clock, err := o.store.Now(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the clock of the ledger: %w", err)
	}
	at, limit, asked := o.clock.read(clock), cmp.Or(q.Limit, defaultListed), q.Statuses
	if !slices.Contains(asked, ledger.Pending) {
		q.Statuses = append(slices.Clone(asked), ledger.Pending)
	}
	var records []ledger.Record
	err = o.each(ctx, q, func(r *ledger.Record) error {
		if slices.Contains(asked, statusAt(r, at.now)) {
			records = append(records, *r)
		}
		if len(records) == limit {
			return errListed
		}
		return nil
	})
	if err != nil && !errors.Is(err, errListed) {
		return nil, err
	}
	return o.viewsAt(ctx, records, at)
}

// Pending shows what waits for a person, oldest first: changes whose apply needs their yes and has none, and undos that
// were asked for and are not decided. Of q, Server, Operation and By count.
//
// A change that was previewed for the token alone is among them once an apply of it was refused for want of a yes.
func (o *Operator) Pending(ctx context.Context, q ledger.Query) ([]View, error) {
	var waiting []ledger.Record
	applies := ledger.Query{Statuses: []ledger.Status{ledger.Pending}, Unexpired: true}
	undos := ledger.Query{Statuses: []ledger.Status{ledger.Applied}, UndoRequested: true}
	for _, of := range []ledger.Query{applies, undos} {
		of.Server, of.Operation, of.By = q.Server, q.Operation, q.By
		err := o.each(ctx, of, func(r *ledger.Record) error {
			if waitsForAPerson(r) {
				waiting = append(waiting, *r)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(waiting, func(a, b ledger.Record) int { return strings.Compare(a.ID, b.ID) })
	views, err := o.views(ctx, waiting)
	return slices.DeleteFunc(views, func(v View) bool { return v.Seen.Subject == SubjectNone }), err
}

// waitsForAPerson does not look at the time.
func waitsForAPerson(r *ledger.Record) bool {
	if r.Status == ledger.Pending {
		return approvalAsked(r) == ByOperator && r.Decision.Verdict == ""
	}
	return asksForUndo(r) && r.UndoDecision.Verdict != ledger.Approved
}

// views looks at the holder of each claim in force. What it knows of one may be of a moment later than the record.
func (o *Operator) views(ctx context.Context, records []ledger.Record) ([]View, error) {
	if len(records) == 0 {
		return nil, nil
	}
	clock, err := o.store.Now(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the clock of the ledger: %w", err)
	}
	return o.viewsAt(ctx, records, o.clock.read(clock))
}

func (o *Operator) viewsAt(ctx context.Context, records []ledger.Record, at moment) (views []View, err error) {
	for _, r := range records {
		s := sight{record: r, at: at}
		if open(&r) {
			if s, err = o.look(ctx, r.ID); err != nil {
				return nil, err
			}
		}
		views = append(views, newView(s))
	}
	return views, nil
}

// pageSize is how many records are read at once: each may hold what was shown, and the states.
const pageSize = 200

// each calls visit for every record that matches q, page by page.
func (o *Operator) each(ctx context.Context, q ledger.Query, visit func(*ledger.Record) error) error {
	q.Limit = pageSize
	for {
		page, err := o.store.List(ctx, q)
		if err != nil {
			return fmt.Errorf("list changes: %w", err)
		}
		for i := range page {
			if err := visit(&page[i]); err != nil {
				return err
			}
		}
		if len(page) < pageSize {
			return nil
		}
		q.After = page[len(page)-1].ID
	}
}
