package cli

import (
	"context"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// databaseBook is a ledger in a PostgreSQL database.
type databaseBook struct{ *postgres.Store }

func (b databaseBook) role(ctx context.Context) (string, error) { return b.Role(ctx) }

func (b databaseBook) census(ctx context.Context) (census, error) {
	s, err := b.Stats(ctx)
	s.Groups = append([]ledger.Group{}, s.Groups...) // for programs: none is a list too
	return census{
		groups: s.Groups, whole: s,
		takes: fmt.Sprintf("%s of tables and indexes, with what is free to be used again", kilobytes(s.Bytes)),
	}, err
}
