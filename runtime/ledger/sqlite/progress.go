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
	writes  int64       // the most that the ledger was seen to have
	inFile  int64       // the most that anybody saw the file to have by itself, without its log
	settled int64       // of inFile, what is known to be on disk
	begun   string      // the beginning of the log when inFile was read
	log     int64       // the size of the log before the latest write, or look, of this store
	file    os.FileInfo // the file when inFile was read; nil before
	schema  int64       // the engine's count of changes to the schema, when the schema was last checked; 0 before
	lost    error       // once the ledger was found to have gone back, or to be damaged; for good
}

// verifyFiles makes sure, before a write, that the files are those that were opened and that none is an older copy. It
// gives the mark, which knows what other processes have seen.
func (s *Store) verifyFiles(ctx context.Context) (known mark, err error) {
	if s.seen.lost != nil {
		return mark{}, s.seen.lost
	}
	files, err := s.place.look()
	if err != nil {
		return mark{}, err
	}
	if known, err = s.mark.read(); err != nil {
		return mark{}, unavailable(s.path, "read "+s.path+markEnding, err)
	}
	s.noteSettled()
	s.seen.inFile, s.seen.settled = max(s.seen.inFile, known.inFile), max(s.seen.settled, known.inFile)
	if len(files) > 1 { // else all is in the file
		s.seen.log = files[1].Size()
	}
	return known, s.seen.keep(s.verifyFile(ctx, files[0]))
}

// verifyFile makes sure that the file has not gone back. The engine cannot tell: it goes on reading the latest pages from
// the log, and all others from what was copied over them. The file changes only when the log is copied into it, once in
// many writes, and is looked at only then.
func (s *Store) verifyFile(ctx context.Context, info os.FileInfo) error {
	if f := s.seen.file; f != nil && f.Size() == info.Size() && f.ModTime().Equal(info.ModTime()) {
		return nil
	}
	found, err := s.lookInFile(ctx, s.seen.inFile)
	if err != nil || found.torn {
		return err
	}
	if err := s.verifyOrigin(ctx, found.schema); err != nil {
		return err
	}
	s.seen.inFile, s.seen.file = found.writes, info
	if s.seen.begun, err = beginningOf(s.path); err != nil {
		return unavailable(s.path, "look at "+s.path+logEnding, err)
	}
	s.noteSettled()
	return nil
}

// inFile is what the file says by itself, without its log.
type inFile struct {
	torn   bool // it says nothing
	writes int64
	schema int64 // the engine's count of changes to the schema
}

// lookInFile reads the file alone, and fails if it has fewer writes than it had. It is torn when the log was being copied
// into it and the process died or the disk failed: such pages make sense only with those in the log.
func (s *Store) lookInFile(ctx context.Context, least int64) (found inFile, err error) {
	db, err := openPool(s.path, 1, s.busyTimeout, immutable, careful...)
	if err != nil {
		return found, explain(s.path, "look at the file", err)
	}
	c, err := readAccount(ctx, db)
	if err == nil {
		err = db.QueryRowContext(ctx, schemaCountSQL).Scan(&found.schema)
	}
	err = errors.Join(err, db.Close())
	switch {
	case err != nil && isOfContent(ctx, err):
		return inFile{torn: true}, nil
	case err != nil:
		return found, explain(s.path, "count the writes in the file", err)
	case c.writes < least:
		return found, corrupt(s.path, "an older copy was written over the file: it has %d writes and had %d, and does not go with its write-ahead log; %s",
			c.writes, least, restoreAdvice)
	}
	found.writes = c.writes
	return found, nil
}

// verifyOrigin makes sure that what is in the file came out of its log. A copy may have more writes than the file had, and
// has its pages elsewhere; but the engine counts a change to the schema when it makes one. The count of the file is
// therefore never above that of the ledger, and where it has just become the same, as after a later version added to the
// schema, the pages have to be looked at.
func (s *Store) verifyOrigin(ctx context.Context, count int64) error {
	if count <= s.seen.schema {
		return nil
	}
	now, err := s.writer.schemaCount(ctx)
	switch {
	case err != nil:
		return s.explain("look at its schema", err)
	case count > now:
		return corrupt(s.path, "a copy was written over the file, which does not go with its write-ahead log; %s", restoreAdvice)
	case s.seen.schema == 0: // Open looks at the pages before
		return nil
	}
	size, _, err := sizeOf(s.path)
	if err != nil {
		return unavailable(s.path, "look at the ledger", err)
	}
	return checkContent(ctx, s.writer.conn, s.path, size)
}

// verifyAccount reads the account in a transaction that has begun, and makes sure that the ledger has not gone back and
// is one that this store can still write to.
func (s *Store) verifyAccount(ctx context.Context, known mark) error {
	var c account
	if err := s.writer.getAccount.QueryRowContext(ctx).Scan(accountFields(&c)...); err != nil {
		return s.seen.keep(explainRows(ctx, s.path, "read the account", err))
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
	if err != nil {
		return s.explain("look at its schema", err)
	}
	if count == s.seen.schema {
		return nil
	}
	if err := s.checkObjects(ctx, s.writer.conn); err != nil {
		return err
	}
	if err := s.writer.checkUses(ctx); err != nil {
		return s.explainUnprepared(ctx, err)
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
