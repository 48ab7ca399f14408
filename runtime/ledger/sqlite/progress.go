package sqlite

import (
	"context"
	"errors"
	"os"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// progress is how far a store has seen its ledger come. A ledger never goes back, unless somebody writes an older copy
// over its files; a claim that the copy does not know could then be made again. The turn guards it.
type progress struct {
	writes int64       // the most that the ledger was seen to have
	inFile int64       // the most that the file was seen to have by itself, without its log
	file   os.FileInfo // the file when inFile was read; nil before
	schema int64       // the engine's count of changes to the schema, when the schema was last checked; 0 before
	lost   error       // once the ledger was found to have gone back, or to be damaged; for good
}

// verifyFiles makes sure, before a write, that the files are those that were opened and that none is an older copy. It
// gives the mark, which knows what other processes have seen.
func (s *Store) verifyFiles(ctx context.Context) (known mark, err error) {
	if s.seen.lost != nil {
		return mark{}, s.seen.lost
	}
	if err := s.place.check(); err != nil {
		return mark{}, err
	}
	if known, err = readMark(s.path); err != nil {
		return mark{}, unavailable(s.path, "read "+s.path+markEnding, err)
	}
	return known, s.seen.keep(s.verifyFile(ctx, known))
}

// verifyFile makes sure that the file has not gone back. The engine cannot tell: it goes on reading the latest pages from
// the log, and all others from what was copied over them. The file changes only when the log is copied into it, once in
// many writes, and is looked at only then.
func (s *Store) verifyFile(ctx context.Context, known mark) error {
	info, err := os.Lstat(s.path)
	if err != nil {
		return unavailable(s.path, "look at the ledger", err)
	}
	if f := s.seen.file; f != nil && f.Size() == info.Size() && f.ModTime().Equal(info.ModTime()) {
		return nil
	}
	writes, err := s.writesInFile(ctx, max(s.seen.inFile, known.inFile))
	if err != nil || writes < 0 {
		return err
	}
	s.seen.inFile, s.seen.file = writes, info
	return nil
}

// writesInFile counts the writes that are in the file alone, and fails if there are fewer than there were. It is -1 if
// they cannot be counted: when the log is copied into the file, and the process dies or the disk fails, pages are left
// that are torn, or make sense only with those in the log.
func (s *Store) writesInFile(ctx context.Context, least int64) (int64, error) {
	db, err := openPool(s.path, 1, s.busyTimeout, immutable, careful...)
	if err != nil {
		return 0, explain(s.path, "look at the file", err)
	}
	c, err := readAccount(context.WithoutCancel(ctx), db)
	err = errors.Join(err, db.Close())
	switch {
	case err != nil && isOfContent(err):
		return -1, nil
	case err != nil:
		return 0, explain(s.path, "count the writes in the file", err)
	case c.writes < least:
		return 0, corrupt(s.path, "an older copy was written over the file: it has %d writes and had %d, and does not go with its write-ahead log; %s",
			c.writes, least, restoreAdvice)
	}
	return c.writes, nil
}

// verifyAccount reads the account in a transaction that has begun, and makes sure that the ledger has not gone back and
// is one that this store can still write to.
func (s *Store) verifyAccount(ctx context.Context, known mark) error {
	var c account
	if err := s.writer.getAccount.QueryRowContext(ctx).Scan(accountFields(&c)...); err != nil {
		return s.seen.keep(explainRows(s.path, "read the account", err))
	}
	if least := max(s.seen.writes, known.writes); c.writes < least {
		return s.seen.keep(corrupt(s.path, "the latest %d of its %d writes are missing: an older copy was written over it while it was in use; %s",
			least-c.writes, least, restoreAdvice))
	}
	s.seen.writes, s.writer.now = c.writes, c
	if err := errors.Join(s.verifySchema(c), s.verifyKey(c)); err != nil {
		return err
	}
	return s.seen.keep(s.verifyObjects(ctx))
}

// verifyObjects checks the schema again once it was changed, as by a later version of this program, or by hand.
func (s *Store) verifyObjects(ctx context.Context) error {
	count, err := s.writer.schemaCount(ctx)
	if err != nil || count == s.seen.schema {
		return err
	}
	if err := s.checkObjects(ctx, s.writer.conn); err != nil {
		return err
	}
	s.seen.schema = count
	return nil
}

// keep has the store refuse all writes from then on if err says that the ledger is damaged. What was copied over it may
// later look whole, once others have written to it.
func (p *progress) keep(err error) error {
	if errors.Is(err, ledger.ErrCorrupt) {
		p.lost = err
	}
	return err
}
