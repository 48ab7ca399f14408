package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// smallestDatabase is the length of the smallest page of SQLite. It takes anything shorter for a new database.
const smallestDatabase = 512

// draftEnding is that of a file that is to take the place of another one when it is whole.
const draftEnding = ".new"

// createOrProbe makes the ledger if it is missing and otherwise makes sure, without changing it, that it is one.
func (s *Store) createOrProbe(ctx context.Context) error {
	size, exists, err := sizeOf(s.path)
	switch {
	case err != nil:
		return unavailable(s.path, "look at the ledger", err)
	case !exists:
		return s.create(ctx)
	case size < smallestDatabase:
		return tooShort(s.path, size)
	}
	return s.probe(ctx, size)
}

func tooShort(path string, size int64) error {
	return corrupt(path, "it has %d bytes, fewer than any ledger; restore a backup, or remove it if there never was a ledger here", size)
}

// expectLength fails where a ledger must exist and a file is that can be none, before a lock is made beside it.
func (s *Store) expectLength() error {
	size, exists, err := sizeOf(s.path)
	if err == nil && s.mustExist && exists && size < smallestDatabase {
		return tooShort(s.path, size)
	}
	return nil // what cannot be looked at is told when it is opened
}

// create makes an empty ledger under another name and gives it its own once it is whole and on disk.
func (s *Store) create(ctx context.Context) error {
	if err := s.expectLedger(); err != nil {
		return err
	}
	if err := s.checkRemains(); err != nil {
		return err
	}
	draft := s.path + draftEnding
	if err := removeDraft(draft); err != nil {
		return unavailable(s.path, "remove what an interrupted start left", err)
	}
	if err := s.writeDraft(ctx, draft); err != nil {
		return unavailable(s.path, "make the ledger", errors.Join(err, removeDraft(draft)))
	}
	if err := errors.Join(os.Rename(draft, s.path), syncDirectory(filepath.Dir(s.path))); err != nil {
		return unavailable(s.path, "make the ledger", err)
	}
	s.logger.Info("made a new ledger; if there was one before, stop and look for it", "ledger", s.path)
	return nil
}

// expectLedger fails where a ledger must exist and is missing. It changes nothing.
func (s *Store) expectLedger() error {
	if !s.mustExist {
		return nil
	}
	_, exists, err := sizeOf(s.path)
	if err != nil {
		return unavailable(s.path, "look for the ledger", err)
	}
	if exists {
		return nil
	}
	if err := s.checkRemains(); err != nil && !errors.Is(err, fs.ErrNotExist) { // its directory may be missing too
		return err
	}
	return fmt.Errorf("%s: there is no ledger, and none is made here; give the path that its servers use: %w", s.path, fs.ErrNotExist)
}

// checkRemains refuses to make a ledger where one has been. SQLite would mix an old write-ahead log into the new file,
// and what was claimed in the old one would be forgotten.
func (s *Store) checkRemains() error {
	left, err := s.remains()
	if err != nil {
		return unavailable(s.path, "look for remains of a ledger", err)
	}
	if len(left) == 0 {
		return nil
	}
	return corrupt(s.path, "the file is missing, but a ledger has been here and left %s; what was claimed in it would be forgotten and could run again; "+
		"restore a backup, or, if the ledger is not wanted, remove what it left", strings.Join(left, ", "))
}

// remains are the files that only a ledger leaves. Its lock is none: it is made before a ledger is looked for. Nor is the
// mark of one that had taken no write.
func (s *Store) remains() (left []string, err error) {
	for _, ending := range engineFiles {
		_, exists, err := sizeOf(s.path + ending)
		if err != nil {
			return nil, err
		}
		if exists {
			left = append(left, s.path+ending)
		}
	}
	m, err := readMark(s.path)
	if err != nil {
		return nil, err
	}
	if m.found && (!m.legible || m.writes > 0) {
		left = append(left, s.path+markEnding)
	}
	holders, err := s.holds()
	for _, name := range holders {
		left = append(left, s.holdPath(name))
	}
	return left, err
}

// writeDraft writes an empty ledger to draft.
func (s *Store) writeDraft(ctx context.Context, draft string) error {
	if err := makeBeside(s.path, draft); err != nil {
		return err
	}
	db, err := openPool(draft, 1, s.busyTimeout, nil, durable...)
	if err != nil {
		return err
	}
	first := firstAccount(s.steps)
	_, err = db.ExecContext(ctx, createSQL(s.steps), accountFields(&first)...)
	return errors.Join(err, db.Close())
}

func removeDraft(draft string) error {
	var failures []error
	for _, ending := range append([]string{""}, engineFiles...) {
		if err := os.Remove(draft + ending); !errors.Is(err, fs.ErrNotExist) {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}
