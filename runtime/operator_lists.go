package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// List shows the changes that match q, in its order, without their events.
func (o *Operator) List(ctx context.Context, q ledger.Query) ([]View, error) {
	records, err := o.store.List(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	return o.views(ctx, records)
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
	return slices.DeleteFunc(views, func(v View) bool { return v.Awaits == AwaitsNothing }), err
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
	views, at := make([]View, 0, len(records)), o.clock.read(clock)
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
