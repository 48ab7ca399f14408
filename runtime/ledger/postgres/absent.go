package postgres

import (
	"context"
	"fmt"
	"io/fs"
)

// absentError says that there is no ledger: it is fs.ErrNotExist, without its text, since no file is meant.
type absentError struct {
	ledger   fmt.Stringer
	database string
}

// Error implements error.
func (e *absentError) Error() string {
	return fmt.Sprintf("%s: there is no ledger in this schema of the database %q, and none is made here; give the address and the schema that its servers use",
		e.ledger, e.database)
}

// Is makes it fs.ErrNotExist.
func (e *absentError) Is(target error) bool { return target == fs.ErrNotExist }

// absent is the error for who opens a ledger that has to be there, and is not. The database need not stand in the address.
func (s *Store) absent(ctx context.Context) error {
	e := &absentError{ledger: s}
	err := s.read(ctx, "look for the name of the database", func(ctx context.Context, db reader) error {
		return db.QueryRow(ctx, "SELECT current_database()::text").Scan(&e.database)
	})
	if err != nil {
		return err
	}
	return e
}
