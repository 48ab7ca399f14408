package postgres

import (
	"context"
	"errors"
	"sync"
)

// unsureWrites are the records of writes that nobody answered for. Such a write may be going on in the server still, or may
// be committed there and not yet at the standby that it waits for: what is read of its record is then not what will stay.
type unsureWrites struct{ ids sync.Map }

// after is what a write of these records failed with.
func (u *unsureWrites) after(err error, ids ...string) error {
	if errors.Is(err, errUndecided) {
		for _, id := range ids {
			u.ids.Store(id, struct{}{})
		}
	}
	return err
}

// settle makes sure that what is read of a record next is what will stay. It locks the row, and so waits for whoever writes
// it; and its own commit is in the log of the server after theirs, and is answered when it is durable, at every place where
// commits have to be.
func (u *unsureWrites) settle(ctx context.Context, s *Store, id string) error {
	if _, isUnsure := u.ids.Load(id); !isUnsure || s.looks {
		return nil
	}
	err := s.transact(ctx, "look for what became of "+id, func(ctx context.Context, tx transaction) error {
		_, err := tx.Exec(ctx, s.in("SELECT FROM changesetgen.changes WHERE id = $1 FOR UPDATE"), stored(id))
		return err
	})
	if err == nil {
		u.ids.Delete(id)
	}
	return err
}
