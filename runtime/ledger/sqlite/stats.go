package sqlite

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// Stats is how much a ledger holds and takes.
type Stats struct {
	Groups []ledger.Group `json:"groups"` // by server, operation and status, in that order; none in an empty ledger
	Writes int64          `json:"writes"` // that the ledger has taken since it was made

	FileBytes int64 `json:"file_bytes"` // size of the file, with what is only in the log yet
	FreeBytes int64 `json:"free_bytes"` // of it, what was pruned and will be used again
	LogBytes  int64 `json:"log_bytes"`  // size of the write-ahead log
}

// Stats counts what the ledger holds. It reads all changes, but not what is in them, each as it is when its turn comes. A
// pending change whose time is over counts as expired.
func (s *Store) Stats(ctx context.Context) (stats Stats, err error) {
	if stats.LogBytes, _, err = sizeOf(s.path + logEnding); err != nil {
		return Stats{}, unavailable(s.path, "measure the log", err)
	}
	clock, err := s.Now(ctx)
	if err != nil {
		return Stats{}, err
	}
	at := clock.Now
	if clock.Newest.After(at) { // a clock that went back brings nothing back
		at = clock.Newest
	}
	err = s.query(ctx, "count and measure", func(db querier) error {
		var page, pages, free int64
		if err := db.QueryRowContext(ctx, sizesSQL).Scan(&page, &pages, &free, &stats.Writes); err != nil {
			return err
		}
		stats.FileBytes, stats.FreeBytes = page*pages, page*free
		stats.Groups, err = groups(ctx, db, s.stretch, at)
		return err
	})
	return stats, err
}

// groups counts changes by what they are at a time.
func groups(ctx context.Context, db querier, stretch int64, at time.Time) ([]ledger.Group, error) {
	type key struct {
		server, operation string
		status            ledger.Status
	}
	found := map[key]ledger.Group{}
	err := eachStretch(ctx, db, stretch, nextChangeSQL, func(first, last int64) error {
		of, err := collect(ctx, db, groupFields, groupsSQL, at.UnixMilli(), first, last)
		for _, g := range of {
			k := key{g.Server, g.Operation, g.Status}
			found[k] = together(found[k], g)
		}
		return err
	})
	return slices.SortedFunc(maps.Values(found), func(a, b ledger.Group) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Operation, b.Operation), strings.Compare(string(a.Status), string(b.Status)))
	}), err
}

// together is what two groups of the same kind are as one; an empty one is none.
func together(a, b ledger.Group) ledger.Group {
	if a.Changes == 0 {
		return b
	}
	b.Changes += a.Changes
	if a.Oldest.Before(b.Oldest) {
		b.Oldest = a.Oldest
	}
	b.Newest = later(a.Newest, b.Newest)
	return b
}

func groupFields(g *ledger.Group) []any {
	return []any{&g.Server, &g.Operation, &g.Status, &g.Changes, columns.Time(&g.Oldest), columns.Time(&g.Newest)}
}
