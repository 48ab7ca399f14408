package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// statement is a query and where its prepared form goes.
type statement struct {
	prepared **sql.Stmt
	query    string
}

// preparer is a connection, or a pool of them.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// prepare prepares statements up to the first that fails.
func prepare(ctx context.Context, on preparer, statements ...statement) error {
	for _, s := range statements {
		var err error
		if *s.prepared, err = on.PrepareContext(ctx, s.query); err != nil {
			return err
		}
	}
	return nil
}

// closeStatements closes those that were prepared. It goes before their connection: SQLite keeps a connection with open
// statements, and its write-ahead log, until they are gone.
func closeStatements(statements ...*sql.Stmt) error {
	var failures []error
	for _, s := range statements {
		if s != nil {
			failures = append(failures, s.Close())
		}
	}
	return errors.Join(failures...)
}
