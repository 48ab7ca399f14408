package sqlite

import (
	"context"

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

// Stats counts what the ledger holds. It reads all changes, but not what is in them. A pending change whose time is over
// counts as expired.
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
		stats.Groups, err = collect(ctx, db, groupFields, groupsSQL, at.UnixMilli())
		return err
	})
	return stats, err
}

func groupFields(g *ledger.Group) []any {
	return []any{&g.Server, &g.Operation, &g.Status, &g.Changes, columns.Time(&g.Oldest), columns.Time(&g.Newest)}
}
