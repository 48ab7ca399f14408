package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Migrate makes a ledger that an earlier version of this program made, and that Open refuses for it, one that Open takes.
// It first writes a copy of the ledger as it was to a new file at backup, as Store.Backup does. It does nothing about a
// ledger that needs no migration, not even a copy. It is ledger.ErrBusy while anybody uses the ledger.
// What a copy to that place left that was killed in the middle of it is removed, and a copy that is there already is used.
//
// The ledger is made anew beside the old one and takes its place when it is whole: whatever goes wrong before, the old one
// is still there and as it was.
func Migrate(ctx context.Context, path, backup string, opts ...Option) error {
	path, err := locate(path)
	if err != nil {
		return err
	}
	s := &Store{path: path, options: newOptions(append(opts, MustExist())), closed: make(chan struct{}), turn: newTurn(path, false)}
	s.queue = s.newQueue()
	if err := s.expectLedger(); err != nil {
		return err
	}
	if err := checkPlace(path, s.logger); err != nil {
		return err
	}
	wait := s.patience(ctx)
	wait.length *= openPatience
	defer wait.end()
	defer s.turn.close()
	done, err := s.exclude(wait)
	if err != nil {
		return err
	}
	defer done()
	if needed, err := s.needsMigration(ctx); err != nil || !needed {
		return err
	}
	if backup, err = prepareCopy(backup); err != nil {
		return err
	}
	if err := s.settleOld(ctx); err != nil {
		return err
	}
	return s.migrate(ctx, backup)
}

// prepareCopy finds the place of the copy, and removes what an earlier migration left there that was killed. Nobody else
// migrates the ledger meanwhile.
func prepareCopy(backup string) (path string, err error) {
	if path, err = locate(backup); err != nil {
		return "", err
	}
	if err := checkName(path); err != nil {
		return "", err
	}
	if err := removeUnfinished(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // of its directory copyLedger tells
		return "", unavailable(path, "remove what an interrupted copy left", err)
	}
	return path, nil
}

// needsMigration tells a ledger of an earlier schema from one that this program can use.
func (s *Store) needsMigration(ctx context.Context) (needed bool, err error) {
	err = s.lookAt(ctx, immutable, func(ctx context.Context, db querier) error {
		version, err := identify(ctx, db, s.path)
		if needed = version > 0 && version < baseSchema; err != nil || needed {
			return err
		}
		return s.verifyVersion(ctx, db, version)
	})
	return needed, err
}

// settleOld makes sure that nobody uses the ledger and that it is as it was written, and copies its log into the file.
func (s *Store) settleOld(ctx context.Context) error {
	if err := s.checkNobodyLives(ctx); err != nil {
		return err
	}
	known, err := readMark(s.path)
	if err != nil {
		return unavailable(s.path, "read "+s.path+markEnding, err)
	}
	mode, _ := modeToLook(s.path)
	err = s.lookAt(ctx, mode,
		func(ctx context.Context, db querier) error { return checkSchema1(ctx, db, s.path, known) },
		func(ctx context.Context, db querier) error { return checkUnshared1(ctx, db, s.path) })
	if err != nil {
		return err
	}
	return s.copyLog(ctx)
}

// copyLog copies the log of a ledger into its file and removes it, which the engine does when the last one closes it. It
// fails while another program has the ledger open: that would go on writing to a file that nobody finds any more.
func (s *Store) copyLog(ctx context.Context) error {
	db, err := openPool(s.path, 1, 0, nil, exclusive...)
	if err == nil {
		_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		err = errors.Join(err, db.Close())
	}
	switch {
	case codeOf(err) == codeBusy:
		return fmt.Errorf("%s: %w: another program has it open; stop every server that uses it, and try again", s.path, ledger.ErrBusy)
	case err != nil:
		return s.explain("copy its log into the file", err)
	case inUse(s.path):
		return unavailable(s.path, "remove "+s.path+logEnding, errors.New("it is still there"))
	}
	return nil
}

// checkNobodyLives fails while a holder is alive: it may be running a body, of which it could not write down the end.
func (s *Store) checkNobodyLives(ctx context.Context) error {
	names, err := s.holds()
	if err != nil {
		return unavailable(s.path, "look for holders", err)
	}
	for _, name := range names {
		liveness, err := s.Holder(ctx, name)
		if err != nil {
			return err
		}
		if liveness == ledger.Alive {
			return fmt.Errorf("%s: %w: a server uses it (%s, %s); stop every server that does, and try again",
				s.path, ledger.ErrBusy, name, holdNote(s.holdPath(name)))
		}
	}
	return nil
}

// migrate puts a new ledger in the place of the old one, which nobody has open.
func (s *Store) migrate(ctx context.Context, backup string) error {
	draft := s.path + draftEnding
	if err := removeDraft(draft); err != nil {
		return unavailable(s.path, "remove what an interrupted start left", err)
	}
	old, err := openPool(s.path, readConnections, s.busyTimeout, immutable, careful...)
	if err != nil {
		return s.explain("read", err)
	}
	writes, err := s.writeMigrated(ctx, old, draft)
	if err == nil {
		err = s.copyOld(ctx, old, backup)
	}
	err = errors.Join(err, old.Close())
	if err == nil {
		err = s.replaceBy(draft, writes)
	}
	if err != nil {
		return fmt.Errorf("%s: migrate: %w", s.path, errors.Join(err, removeDraft(draft)))
	}
	s.logger.Info("migrated the ledger", "ledger", s.path, "to", s.schema(), "backup", backup)
	return nil
}

// copyOld copies the old ledger to backup, unless a migration that was killed after that has done so.
func (s *Store) copyOld(ctx context.Context, old querier, backup string) error {
	check := func(ctx context.Context, db querier) error { return checkSchema1(ctx, db, backup, mark{}) }
	err := copyLedger(ctx, old, s.path, backup, check)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	made, compared := isCopy(ctx, old, s.path, backup, check)
	if made {
		return compared
	}
	return errors.Join(err, compared)
}

// replaceBy puts a finished ledger in the place of the old one. The mark loses its digest before, and says no more than
// both have.
func (s *Store) replaceBy(draft string, writes int64) error {
	if err := (mark{writes: writes}).settle(s.path); err != nil {
		return err
	}
	if err := syncFile(draft); err != nil {
		return unavailable(s.path, "finish "+draft, err)
	}
	if err := errors.Join(os.Rename(draft, s.path), syncDirectory(filepath.Dir(s.path))); err != nil {
		return unavailable(s.path, "put "+draft+" in its place", err)
	}
	return nil
}
