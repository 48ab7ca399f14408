package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// smallestDatabase is the length of the smallest page of SQLite. It takes anything shorter for a new database.
const smallestDatabase = 512

// createOrProbe makes the ledger if it is missing and otherwise makes sure, without changing it, that it is one.
func (s *Store) createOrProbe(ctx context.Context) error {
	size, exists, err := sizeOf(s.path)
	switch {
	case err != nil:
		return unavailable(s.path, "look at the ledger", err)
	case !exists:
		return s.create(ctx)
	case size < smallestDatabase:
		return corrupt(s.path, "it has %d bytes, fewer than any ledger; restore a backup, or remove it if there never was a ledger here", size)
	}
	return s.probe(ctx, size)
}

// create makes an empty ledger under another name and gives it its own once it is whole and on disk.
func (s *Store) create(ctx context.Context) error {
	if err := s.checkRemains(); err != nil {
		return err
	}
	draft := s.path + ".new"
	if err := removeDraft(draft); err != nil {
		return unavailable(s.path, "remove what an interrupted start left", err)
	}
	if err := s.writeDraft(ctx, draft); err != nil {
		return unavailable(s.path, "make the ledger", errors.Join(err, removeDraft(draft)))
	}
	if err := errors.Join(os.Rename(draft, s.path), syncDirectory(filepath.Dir(s.path))); err != nil {
		return unavailable(s.path, "make the ledger", err)
	}
	return nil
}

// checkRemains refuses to make a ledger where one has been: SQLite would mix the old write-ahead log into the new file.
func (s *Store) checkRemains() error {
	for _, ending := range []string{"-wal", "-journal"} {
		_, exists, err := sizeOf(s.path + ending)
		if err != nil {
			return unavailable(s.path, "look for remains of a ledger", err)
		}
		if exists {
			return corrupt(s.path, "the file is missing, but its %s is there; restore a backup, or remove that too if the ledger is not wanted", ending)
		}
	}
	m, err := readMark(s.path)
	switch {
	case err != nil:
		return unavailable(s.path, "look for remains of a ledger", err)
	case m.writes > 0:
		return corrupt(s.path, "the file is missing, and with it the %d writes that it had taken; restore a backup, or remove %s too if the ledger is not wanted",
			m.writes, s.path+markEnding)
	}
	return nil
}

// writeDraft writes an empty ledger to draft. SQLite would make the file readable to all, so it is made here.
func (s *Store) writeDraft(ctx context.Context, draft string) error {
	f, err := os.OpenFile(draft, os.O_CREATE|os.O_EXCL|os.O_RDWR, fileMode)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	db, err := openPool(draft, 1, s.busyTimeout, nil, durable...)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, createSQL())
	return errors.Join(err, db.Close())
}

func removeDraft(draft string) error {
	var failures []error
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(draft + ending); !errors.Is(err, fs.ErrNotExist) {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}
