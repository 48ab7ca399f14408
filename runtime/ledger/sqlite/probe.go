package sqlite

import (
	"context"
	"errors"
	"net/url"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// immutable lets SQLite read the file alone: no locks, no companions, nothing written.
var immutable = url.Values{"mode": {"ro"}, "immutable": {"1"}}

// readOnly lets SQLite read the file and its write-ahead log. It may make FILE-shm.
var readOnly = url.Values{"mode": {"ro"}}

// look is a check of a ledger that changes nothing.
type look func(ctx context.Context, db querier) error

// probe makes sure that the file is a ledger of this version and, unless that is left for later, as it was written. It
// changes nothing.
func (s *Store) probe(ctx context.Context, size int64) error {
	known, err := readMark(s.path)
	if err != nil {
		return unavailable(s.path, "read "+s.path+markEnding, err)
	}
	if err := s.probeAll(ctx, known, size); err != nil {
		return err
	}
	if !known.legible && !(s.looks && !known.found) {
		s.logger.Warn("cannot tell whether the latest writes to the ledger are missing: its mark is gone or says nothing, as after a power loss, and is made again",
			"ledger", s.path, "mark", s.path+markEnding)
	}
	return nil
}

// probeAll makes the looks. A write-ahead log has to be read along: a process that died while it copied the log into the
// file leaves pages that make sense only with the others. The same goes for a journal, and a program that is in the middle
// of a transaction is waited for.
func (s *Store) probeAll(ctx context.Context, known mark, size int64) error {
	mode, alone := modeToLook(s.path)
	looks := []look{s.checkHeader, s.checkObjects, func(ctx context.Context, db querier) error { return known.check(ctx, db, s.path) }}
	if alone {
		looks = append(looks, func(ctx context.Context, db querier) error { return s.checkUnaltered(ctx, db, known, size) })
	}
	if !s.past {
		looks = append(looks, func(ctx context.Context, db querier) error { return checkContent(ctx, db, s.path, size) })
	}
	err := s.lookAt(ctx, mode, looks...)
	if needsRollback(err) {
		// A program died in the middle of a transaction, which the writer takes back, as SQLite always does. Until then only
		// the header can be believed.
		return s.lookAt(ctx, immutable, s.checkHeader)
	}
	if err == nil && !alone {
		_, err = s.lookInFile(ctx, known.inFile)
	}
	return err
}

// checkUnaltered makes sure that nothing has changed the ledger since it was closed. Who only looks is told by Check. A file
// that others have tables in may have changed all the time.
func (s *Store) checkUnaltered(ctx context.Context, db querier, known mark, size int64) error {
	shared, err := s.isShared(ctx, db)
	if err != nil {
		return explainRows(ctx, s.path, "read its schema", err)
	}
	if shared {
		return nil
	}
	err = known.checkDigest(ctx, db, s.path, size)
	if s.looks && errors.Is(err, ledger.ErrCorrupt) {
		s.altered = err
		return nil
	}
	return err
}

// modeToLook is how to read a ledger without changing it, and whether the file has everything in it.
func modeToLook(path string) (mode url.Values, alone bool) {
	for _, ending := range []string{logEnding, journalEnding} {
		if size, _, err := sizeOf(path + ending); err != nil || size > 0 {
			return readOnly, false
		}
	}
	return immutable, true
}

// lookAt makes looks up to the first that finds a fault.
func (s *Store) lookAt(ctx context.Context, mode url.Values, looks ...look) error {
	db, err := openPool(s.path, 1, s.busyTimeout, mode, careful...)
	if err != nil {
		return explain(s.path, "look at the ledger", err)
	}
	for _, l := range looks {
		if err = l(ctx, db); err != nil {
			break
		}
	}
	return errors.Join(err, db.Close())
}

// checkHeader tells a ledger that this program can use from other files.
func (s *Store) checkHeader(ctx context.Context, db querier) error {
	version, err := identify(ctx, db, s.path)
	if err != nil {
		return err
	}
	return s.verifyVersion(ctx, db, version)
}

// identify tells a ledger from other files and gives its schema number.
func identify(ctx context.Context, db querier, path string) (version int64, err error) {
	var id int64
	err = db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
	if err == nil {
		version, err = readVersion(ctx, db)
	}
	switch {
	case err != nil:
		return 0, explainLook(path, "read its header", err)
	case id != applicationID:
		return 0, unsupported(path, "it is a SQLite database, but no ledger; give the ledger a file of its own")
	}
	return version, nil
}
