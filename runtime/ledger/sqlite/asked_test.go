package sqlite_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// More shapes of queries are asked in than any store keeps prepared, each by several at once and then again.
func TestListsOfManyShapesAreRight(t *testing.T) {
	t.Parallel()
	const shapes, askers = 80, 4
	store := open(t, newPath(t))
	r := record(1)
	if err := store.Insert(t.Context(), r, ledger.Event{To: r.Status}); err != nil {
		t.Fatal(err)
	}
	for n := range shapes {
		q := ledger.Query{Statuses: slices.Repeat([]ledger.Status{ledger.Applied}, n+1)}
		q.Statuses = append(q.Statuses, r.Status)
		var asking sync.WaitGroup
		for range askers {
			asking.Go(func() {
				found, err := store.List(t.Context(), q)
				if err != nil || len(found) != 1 || found[0].ID != r.ID {
					t.Errorf("a list by %d statuses: %d changes, %v", len(q.Statuses), len(found), err)
				}
				if many, err := store.Count(t.Context(), q); err != nil || many != 1 {
					t.Errorf("a count by %d statuses: %d, %v", len(q.Statuses), many, err)
				}
			})
		}
		asking.Wait()
	}
}
