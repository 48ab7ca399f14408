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
// the expired one that it is shown as. Of a record that cannot be read, a View says so, and the list goes on behind it.
func (o *Operator) List(ctx context.Context, q ledger.Query) ([]View, error) {
	at, err := o.now(ctx)
	if err != nil {
		return nil, err
	}
	asked, limit := q.Statuses, cmp.Or(q.Limit, defaultListed)
	if slices.Contains(asked, ledger.Expired) && !slices.Contains(asked, ledger.Pending) {
		q.Statuses = append(slices.Clone(asked), ledger.Pending) // the ledger only knows what was written down
	}
	q.Limit = min(limit, pageSize)
	var views []View
	err = o.each(ctx, q, func(r *ledger.Record, damaged error) error {
		if damaged == nil && len(asked) > 0 && !slices.Contains(asked, statusAt(r, at.now)) {
			return nil
		}
		var err error
		if views, err = o.appendView(ctx, views, r, damaged, at); err == nil && len(views) == limit {
			err = errListed
		}
		return err
	})
	if err != nil && !errors.Is(err, errListed) {
		return nil, err
	}
	return views, nil
}

// defaultListed is how many changes a list without a limit has.
const defaultListed = 1000

// errListed ends a walk over records: there are as many as were asked for.
var errListed = errors.New("the list is full")

// PendingQuery selects among what waits for a person. Zero fields select everything.
type PendingQuery struct{ Server, Operation string }

// Pending shows what waits for a person, oldest first: changes whose apply needs their yes and has none, and undos that
// were asked for and are not decided. A record that cannot be read is among them, because it may be one of those.
//
// A change that was previewed for the token alone is among them once an apply of it was refused for want of a yes.
func (o *Operator) Pending(ctx context.Context, q PendingQuery) ([]View, error) {
	at, err := o.now(ctx)
	if err != nil {
		return nil, err
	}
	var views []View
	applies := ledger.Query{Statuses: []ledger.Status{ledger.Pending}, Unexpired: true}
	undos := ledger.Query{Statuses: []ledger.Status{ledger.Applied}, UndoRequested: true}
	for _, of := range []ledger.Query{applies, undos} {
		of.Server, of.Operation, of.Limit = q.Server, q.Operation, pageSize
		err := o.each(ctx, of, func(r *ledger.Record, damaged error) error {
			if damaged == nil && (!waitsForAPerson(r) || subjectOf(r, at.now) == SubjectNone) {
				return nil
			}
			var err error
			views, err = o.appendView(ctx, views, r, damaged, at)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(views, func(a, b View) int { return strings.Compare(a.ID, b.ID) })
	return views, nil
}

// waitsForAPerson does not look at the time.
func waitsForAPerson(r *ledger.Record) bool {
	if r.Status == ledger.Pending {
		return approvalAsked(r) == ByOperator && r.Decision.Verdict == ""
	}
	return asksForUndo(r) && r.UndoDecision.Verdict != ledger.Approved
}

// appendView looks at the holder of a claim in force. What it knows of that may be of a moment later than the record.
func (o *Operator) appendView(ctx context.Context, views []View, r *ledger.Record, damaged error, at moment) ([]View, error) {
	if damaged != nil {
		return append(views, unreadableView(r.ID, damaged, at)), nil
	}
	s := sight{record: *r, at: at}
	if open(r) {
		var err error
		switch s, err = o.look(ctx, r.ID); {
		case errors.Is(err, ErrNoSuchChange): // it ended and was pruned meanwhile
			return views, nil
		case errors.Is(err, ledger.ErrCorrupt):
			return append(views, unreadableView(r.ID, err, at)), nil
		case err != nil:
			return nil, err
		}
	} else {
		s.unsealed = verifySeal(ctx, o.store, &s.record)
	}
	v, err := o.show(ctx, s)
	return append(views, v), err
}

// now is the moment by the clock of the ledger.
func (o *Operator) now(ctx context.Context) (moment, error) {
	clock, err := o.store.Now(ctx)
	if err != nil {
		return moment{}, fmt.Errorf("read the clock of the ledger: %w", err)
	}
	return o.clock.read(clock), nil
}

// pageSize is how many records are read at once: each may hold what was shown, and the states.
const pageSize = 200

// each calls visit for every record that matches q, page by page of q.Limit, and with the error for one that cannot be
// read, of which there is only the id.
func (o *Operator) each(ctx context.Context, q ledger.Query, visit func(r *ledger.Record, damaged error) error) error {
	for {
		page, err := o.store.List(ctx, q)
		for i := range page {
			q.After = page[i].ID
			if err := visit(&page[i], nil); err != nil {
				return err
			}
		}
		var damaged *ledger.DamagedError
		switch {
		case errors.As(err, &damaged) && follows(q, damaged.ID):
			q.After = damaged.ID
			if err := visit(&ledger.Record{Fixed: ledger.Fixed{ID: damaged.ID}}, damaged); err != nil {
				return err
			}
		case err != nil:
			return fmt.Errorf("list changes: %w", err)
		case len(page) < q.Limit:
			return nil
		}
	}
}

// follows tells that an id comes next in the order of q. The id of a damaged record may be what is damaged, and to go on
// behind it would then leave records out, or never end.
func follows(q ledger.Query, id string) bool {
	return changeID.MatchString(id) && (q.After == "" || strings.Compare(q.After, id) < 0 != q.Newest)
}
