package cli

import (
	"context"
	"fmt"

	"github.com/changesetgen/changesetgen/internal/plural"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// fileBook is a ledger in a SQLite file.
type fileBook struct{ *sqlite.Store }

func (b fileBook) role(context.Context) (string, error) { return "", nil }

func (b fileBook) census(ctx context.Context) (census, error) {
	s, err := b.Stats(ctx)
	s.Groups = append([]ledger.Group{}, s.Groups...) // for programs: none is a list too
	return census{
		groups: s.Groups, whole: s,
		takes: fmt.Sprintf("%s since the ledger was made; %s of file (%s free to be used again), %s of log",
			plural.Of(int(s.Writes), "write"), kilobytes(s.FileBytes), kilobytes(s.FreeBytes), kilobytes(s.LogBytes)),
	}, err
}

func kilobytes(n int64) string { return fmt.Sprintf("%d KiB", n/1024) }
