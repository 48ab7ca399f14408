package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// List shows the changes that match q, in its order, without their events. A pending change whose time is over counts as
// the expired one that it is shown as. Of a record that cannot be read, a View says so, and the list goes on behind it.
// Where it cannot, as where the id is damaged too, it returns what came before with ledger.ErrStopped.
//
// Of q.After only its place in the order counts: the change may be damaged, or pruned by now. What is no id is ErrNoSuchChange.
func (o *Operator) List(ctx context.Context, q ledger.Query) ([]View, error) {
	if q.After != "" && !changeID.MatchString(q.After) {
		return nil, declineUnknown(q.After)
	}
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
	for r, err := range ledger.All(ctx, o.store, q) {
		if err == nil && len(asked) > 0 && !slices.Contains(asked, statusAt(&r, at.now)) {
			continue
		}
		v, there, err := o.listed(ctx, &r, err, at)
		if err != nil {
			return views, err
		}
		if there {
			views = append(views, v)
		}
		if len(views) == limit {
			break
		}
	}
	return views, nil
}

// defaultListed is how many changes a list without a limit has.
const defaultListed = 1000

// pageSize is how many records are read at once: each may hold what was shown, and the states.
const pageSize = 200

// PendingQuery selects among what waits for a person. Zero fields select everything.
type PendingQuery struct{ Server, Operation string }

// Pending shows what waits for a person, oldest first: changes whose apply needs their yes and has none, undos that were
// asked for and are not decided, and changes in doubt, but for those of joined operations, which a server settles. A record that
// cannot be read is among them, because it may be one of those. With ledger.ErrStopped it returns what it found, and there may
// be more.
//
// A change that was previewed for the token alone is among them once an apply of it was refused for want of a yes.
func (o *Operator) Pending(ctx context.Context, q PendingQuery) ([]View, error) {
	at, err := o.now(ctx)
	if err != nil {
		return nil, err
	}
	var stopped error
	waiting := map[string]View{} // a change may move on from one query to the next: the latest look counts
	for _, of := range []ledger.Query{
		{Statuses: []ledger.Status{ledger.Pending}, Unexpired: true},
		{Statuses: []ledger.Status{ledger.Applied}, UndoRequested: true},
		{Statuses: []ledger.Status{ledger.Applying, ledger.Undoing}},
	} {
		if of.Server = q.Server; q.Operation != "" {
			of.Operations = []string{q.Operation}
		}
		for r, err := range ledger.All(ctx, o.store, of) {
			if err == nil && !mayWaitForAPerson(&r, at.now) {
				continue
			}
			v, there, err := o.listed(ctx, &r, err, at)
			switch {
			case errors.Is(err, ledger.ErrStopped):
				stopped = err
			case err != nil:
				return nil, err
			case there && (v.WaitsFor.forAPerson() || v.Damaged):
				waiting[v.ID] = v
			default:
				delete(waiting, r.ID)
			}
		}
	}
	return slices.SortedFunc(maps.Values(waiting), func(a, b View) int { return strings.Compare(a.ID, b.ID) }), stopped
}

// mayWaitForAPerson does not look at whether a claim in force is carried out.
func mayWaitForAPerson(r *ledger.Record, now time.Time) bool {
	return open(r) || waitsForAPerson(r) && subjectOf(r, now) != SubjectNone
}

// waitsForAPerson does not look at the time.
func waitsForAPerson(r *ledger.Record) bool {
	if r.Status == ledger.Pending {
		return approvalAsked(r) == ByOperator && r.Decision.Verdict == ""
	}
	return asksForUndo(r) && r.UndoDecision.Verdict != ledger.Approved
}

// listed is what is to be seen of a record that was read, or of one that could not be, with the error. It looks at the
// holder of a claim in force: what it knows of that may be of a moment later than the record.
func (o *Operator) listed(ctx context.Context, r *ledger.Record, unread error, at moment) (v View, there bool, err error) {
	s, err := sight{record: *r, at: at}, unread
	switch {
	case err != nil:
	case open(r):
		s, err = o.look(ctx, r.ID)
	default:
		s.unsealed = verifySeal(ctx, o.store, &s.record)
	}
	switch {
	case errors.Is(err, ErrNoSuchChange): // it ended and was pruned meanwhile
		return View{}, false, nil
	case errors.Is(err, ledger.ErrCorrupt) && r.ID != "":
		return unreadableView(r.ID, err, at), true, nil
	case err != nil:
		return View{}, false, fmt.Errorf("list changes: %w", err)
	}
	v, err = o.show(ctx, s)
	return v, err == nil, err
}

// now is the moment by the clock of the ledger.
func (o *Operator) now(ctx context.Context) (moment, error) {
	clock, err := o.store.Now(ctx)
	if err != nil {
		return moment{}, fmt.Errorf("read the clock of the ledger: %w", err)
	}
	return o.clock.read(clock), nil
}
