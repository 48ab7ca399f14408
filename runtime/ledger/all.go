package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// allPage is how many records All reads at once: each may hold what was shown, and the states.
const allPage = 200

// ErrStopped says that a list ended before its end: what comes behind a damaged record cannot be found where its own id is
// damaged. It is ErrCorrupt.
var ErrStopped = fmt.Errorf("%w: the list stops at a record whose own id is damaged, and what comes behind it is missing here", ErrCorrupt)

// All gives every record that matches q, in its order, beginning behind q.After: each as it is when its page is read,
// q.Limit of them at once, or 200. One that cannot be read comes with a *DamagedError, and has its id alone; those behind
// it follow, and ErrStopped if by that id none can. That, and any other error, comes last, without a record.
func All(ctx context.Context, store Store, q Query) iter.Seq2[Record, error] {
	if q.Limit <= 0 {
		q.Limit = allPage
	}
	return func(yield func(Record, error) bool) {
		for q := q; ; {
			page, err := store.List(ctx, q)
			for _, r := range page {
				if q.After = r.ID; !yield(r, nil) {
					return
				}
			}
			var damaged *DamagedError
			switch {
			case errors.As(err, &damaged) && damaged.ID == "":
				yield(Record{}, ErrStopped)
				return
			case errors.As(err, &damaged):
				if !yield(Record{Fixed: Fixed{ID: damaged.ID}}, err) {
					return
				}
				if !q.comesNext(damaged.ID) {
					yield(Record{}, ErrStopped)
					return
				}
				q.After = damaged.ID
			case err != nil:
				yield(Record{}, err)
				return
			case len(page) < q.Limit:
				return
			}
		}
	}
}

// comesNext tells whether an id is behind q.After in the order of q.
func (q Query) comesNext(id string) bool {
	return q.After == "" || strings.Compare(q.After, id) < 0 != q.Newest
}
