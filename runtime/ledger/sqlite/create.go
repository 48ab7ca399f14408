package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
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

// immutable lets SQLite read the file alone: no locks, no companions, nothing written.
var immutable = url.Values{"mode": {"ro"}, "immutable": {"1"}}

// readOnly lets SQLite read the file and its write-ahead log. It may make FILE-shm.
var readOnly = url.Values{"mode": {"ro"}}

// probe makes sure that the file is a ledger of this version, without changing it. A write-ahead log has to be read
// along: a process that died while it copied the log into the file leaves pages that make sense only with the others.
func (s *Store) probe(ctx context.Context, size int64) error {
	known, err := readMark(s.path)
	if err != nil {
		return unavailable(s.path, "read "+s.path+markEnding, err)
	}
	mode, alone := immutable, true
	if logged, _, err := sizeOf(s.path + "-wal"); err != nil || logged > 0 {
		mode, alone = readOnly, false
	}
	db, err := openPool(s.path, 1, s.busyTimeout, mode, careful...)
	if err != nil {
		return explain(s.path, "look at the ledger", err)
	}
	err = checkHeader(ctx, db, s.path)
	if err == nil {
		err = checkTables(ctx, db, s.path)
	}
	if err == nil {
		err = known.check(ctx, db, s.path, size, alone)
	}
	if err == nil {
		err = checkContent(ctx, db, s.path, size)
	}
	return errors.Join(err, db.Close())
}

// checkHeader tells a ledger of this version from other files.
func checkHeader(ctx context.Context, db *sql.DB, path string) error {
	var id, version int64
	err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
	if err == nil {
		err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	}
	switch {
	case err != nil:
		return explainLook(path, "read its header", err)
	case id != applicationID:
		return unsupported(path, "it is a SQLite database, but no ledger; give the ledger a file of its own")
	case version > schemaVersion:
		return unsupported(path, "a newer version of this program made it (schema %d, this one reads %d); update this program", version, schemaVersion)
	case version < schemaVersion:
		return corrupt(path, "its schema number is %d, which no ledger has; %s", version, restoreAdvice)
	}
	return nil
}

// checkTables makes sure that the tables are there and that the file is as long as it says.
func checkTables(ctx context.Context, db *sql.DB, path string) error {
	var tables int
	if err := db.QueryRowContext(ctx, tablesSQL).Scan(&tables); err != nil {
		return explainLook(path, "read its schema", err)
	}
	if tables != schemaTables {
		return corrupt(path, "it has %d of its %d tables; %s", tables, schemaTables, restoreAdvice)
	}
	return nil
}
