package ledger

import (
	"context"
	"iter"
)

// allPage is how many records All reads at once: each may hold what was shown, and the states.
const allPage = 200

// All gives every record that matches q, in its order, beginning behind q.After: each as it is when its page is read,
// q.Limit of them at once, or 200. An error comes last, without a record.
func All(ctx context.Context, store Store, q Query) iter.Seq2[Record, error] {
	if q.Limit == 0 {
		q.Limit = allPage
	}
	return func(yield func(Record, error) bool) {
		for q := q; ; {
			page, err := store.List(ctx, q)
			if err != nil {
				yield(Record{}, err)
				return
			}
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
			}
			if len(page) < q.Limit {
				return
			}
			q.After = page[len(page)-1].ID
		}
	}
}
