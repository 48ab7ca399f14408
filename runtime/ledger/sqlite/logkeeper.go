package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

const (
	// logBound is the size that the write-ahead log is brought back to: more than what the engine lets it have by itself,
	// where nobody reads for long and no transaction is large.
	logBound = 64 << 20
	// logWarned is how many times its bound the log is when an operator is told.
	logWarned = 4
	// logPatience is how long writers wait, at most, for those who are just reading to leave the log: as long as a slow
	// commit.
	logPatience = 50 * time.Millisecond
	// never is a number of pages from which on the engine does not copy the log.
	never = 0
	// logRest and logLongestRest are how long it takes until the next try, at first and after many.
	logRest        = 50 * time.Millisecond
	logLongestRest = time.Second
	// logPages is from how many pages on the engine copies the log into the file by itself, at the end of a commit. All who
	// write wait for that, mostly for the disk. A page that was changed many times is copied once, so a longer log takes less
	// of each write, and few writes meet it.
	logPages = 12288
)

// errLogHeld says that somebody reads a state of the ledger for which the log is needed.
var errLogHeld = errors.New("its log is needed by who reads an earlier state of it")

// keptLog is whether the log is larger than its bound and is being brought back. The turn guards it.
type keptLog struct{ shrinking bool }

// watchLog has the log brought back once it is larger than its bound. The engine does not: it begins the log again only
// when a write finds nobody reading from it, leaves the file as large as it was, and after somebody has read for long
// copies all of it within one commit. Until the log is back, nothing is copied within commits. The caller has the turn.
func (s *Store) watchLog(ctx context.Context, size int64) {
	if size <= s.logBound || s.log.shrinking {
		return
	}
	if s.writer.copyLogFrom(ctx, never) == nil {
		s.log.shrinking = true
		go s.shrinkLog()
	}
}

// shrinkLog tries until the log is within its bound again, or the store is closed, or never writes again. A file that is not
// in its place may be put back.
func (s *Store) shrinkLog() {
	told := false
	for rest := logRest; ; rest = min(2*rest, logLongestRest) {
		err := s.tryToShrinkLog(context.Background())
		switch {
		case err == nil && told:
			s.logger.Info("the write-ahead log of the ledger is within its bound again", "ledger", s.path)
			return
		case err == nil, errors.Is(err, ledger.ErrCorrupt):
			return
		case !told:
			told = s.tellOfLog(err)
		}
		select {
		case <-s.closed:
			return
		case <-time.After(rest):
		}
	}
}

// tellOfLog warns once the log is too large for nobody to know of it.
func (s *Store) tellOfLog(cause error) (told bool) {
	size, _, err := sizeOf(s.path + logEnding)
	if err != nil || size <= logWarned*s.logBound {
		return false
	}
	s.logger.Warn("the write-ahead log of the ledger grows, because it cannot be copied into the file; if something reads an earlier state "+
		"of the ledger, such as a shell with an open transaction, end it",
		"ledger", s.path, "log_bytes", size, "readers", readersOfLog(s.path), "cause", cause)
	return true
}

// tryToShrinkLog copies the log into the file beside those who write, and then, while nobody writes, the little that came
// since, and cuts it. It fails while somebody needs the log.
func (s *Store) tryToShrinkLog(ctx context.Context) error {
	done, err := s.read()
	if err != nil {
		return err
	}
	defer done()
	if err := s.besideNoWriter(ctx, func() error { return nil }); err != nil {
		return err
	}
	db, err := openPool(s.path, 1, logPatience, s.access.toWrite, s.access.pragmas...)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // it has nothing to write any more
	if err := checkpoint(ctx, db, "PASSIVE"); err != nil {
		return err
	}
	return s.besideNoWriter(ctx, func() error {
		if err := checkpoint(ctx, db, "TRUNCATE"); err != nil {
			return err
		}
		err := s.writer.copyLogFrom(ctx, s.logPages)
		s.log.shrinking = err != nil
		return err
	})
}

// besideNoWriter has the turn for as long as do takes, and makes sure before that the log belongs to the file: what was
// written over it must not be mixed with it.
func (s *Store) besideNoWriter(ctx context.Context, do func() error) error {
	wait := s.patience(ctx)
	defer wait.end()
	leave, err := s.exclude(wait)
	if err != nil {
		return err
	}
	defer leave()
	if _, err := s.verifyFiles(ctx); err != nil {
		return err
	}
	return do()
}

// copyLogFrom has the engine copy the log by itself from so many pages on.
func (w *writer) copyLogFrom(ctx context.Context, pages int) error {
	return w.exec(ctx, fmt.Sprintf("PRAGMA wal_autocheckpoint = %d", pages))
}

// checkpoint copies the log into the file, all of it or an error. A PASSIVE one keeps nobody waiting; a TRUNCATE cuts the
// log when it is done.
func checkpoint(ctx context.Context, db *sql.DB, mode string) error {
	var busy bool
	var frames, copied int64
	err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &frames, &copied)
	if err == nil && (busy || copied < frames) {
		return errLogHeld
	}
	return err
}
