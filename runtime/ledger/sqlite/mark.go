package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	markEnding = ".mark"
	// stillOpen stands in a mark where a digest is as soon as the ledger has been closed.
	stillOpen = "open"
	// markFormat gives every mark the same length, so that one replaces another in a single write.
	markFormat = "writes %020d in-file %020d %-64s\n"
	markWords  = 5
)

// mark says how far a ledger has come. It lies beside it, because the ledger itself cannot tell that it lost its latest
// writes: SQLite takes a write-ahead log that was cut, or whose bytes were flipped, for one that ends earlier, and a
// claim that is forgotten can be made again. A mark is written after each write and is synced only when a ledger is
// opened or closed: it may say less than what is on disk and never more.
type mark struct {
	found   bool // there is a file
	legible bool // and it says something

	writes int64  // that were acknowledged
	inFile int64  // that were in the file without its log, and on disk
	closed string // digest of the file as the last one that had it open left it; "" while it is in use
}

// readMark gives the mark of the ledger at path. One that is missing, or that a power loss has cut, says nothing.
func readMark(path string) (mark, error) {
	content, err := os.ReadFile(path + markEnding)
	if errors.Is(err, fs.ErrNotExist) {
		return mark{}, nil
	}
	if err != nil {
		return mark{}, err
	}
	m, legible := parseMark(string(content))
	m.found, m.legible = true, legible
	return m, nil
}

func parseMark(content string) (m mark, legible bool) {
	words := strings.Fields(content)
	if len(words) != markWords {
		return mark{}, false
	}
	m.writes, _ = strconv.ParseInt(words[1], 10, 64) // what is no number is not written like this either
	m.inFile, _ = strconv.ParseInt(words[3], 10, 64)
	if words[4] != stillOpen {
		m.closed = words[4]
	}
	if m.text() != content {
		return mark{}, false
	}
	return m, true
}

func (m mark) text() string {
	closed := m.closed
	if closed == "" {
		closed = stillOpen
	}
	return fmt.Sprintf(markFormat, m.writes, m.inFile, closed)
}

// settle replaces the mark of the ledger at path, unless that one says that the ledger had come further. It is on disk when
// it returns.
func (m mark) settle(path string) error {
	known, err := readMark(path)
	if err != nil {
		return unavailable(path, "read "+path+markEnding, err)
	}
	if m.writes < known.writes {
		return missing(path, m.writes, known.writes)
	}
	m.inFile = max(m.inFile, known.inFile)
	if err := m.writeSettled(path); err != nil {
		return unavailable(path, "write "+path+markEnding, err)
	}
	return nil
}

func (m mark) writeSettled(path string) error {
	if err := makeMark(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path+markEnding, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	text := m.text()
	_, err = f.WriteAt([]byte(text), 0)
	if err == nil {
		err = errors.Join(f.Truncate(int64(len(text))), f.Sync(), syncDirectory(filepath.Dir(path)))
	}
	return errors.Join(err, f.Close())
}

// makeMark makes the mark of the ledger at path, without content, if there is none.
func makeMark(path string) error {
	if err := makeBeside(path, path+markEnding); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// missing says that a ledger has fewer writes than its mark.
func missing(path string, writes, marked int64) error {
	return corrupt(path, "the latest %d of its %d writes are missing: its write-ahead log was cut or removed, or an older copy was put in its place; "+
		"bring back what is missing, or, to go on without it although what was applied is forgotten, remove %s", marked-writes, marked, path+markEnding)
}

// check fails if the ledger behind db is not as far as its mark says.
func (m mark) check(ctx context.Context, db querier, path string) error {
	c, err := readAccount(ctx, db)
	if err != nil {
		return explainRows(ctx, path, "read its clock", err)
	}
	if c.writes < m.writes {
		return missing(path, c.writes, m.writes)
	}
	return nil
}

// checkDigest fails if the ledger behind db, which has no log, is not as the last one that had it open left it.
func (m mark) checkDigest(ctx context.Context, db querier, path string, size int64) error {
	c, err := readAccount(ctx, db)
	if err != nil {
		return explainRows(ctx, path, "read its clock", err)
	}
	// A ledger that has come further was written to after the digest was made; a power loss may leave such a mark.
	if m.closed == "" || c.writes > m.writes || size > checkedWhole {
		return nil
	}
	digest, err := digestOf(ctx, db, size)
	if err != nil {
		return explainRows(ctx, path, "read its pages", err)
	}
	if digest != m.closed {
		return corrupt(path, "it is not as it was when it was closed: it was damaged, or another program has written to it; "+
			"if you know what was written and trust it, remove %s, and else: %s", path+markEnding, restoreAdvice)
	}
	return nil
}

// digestOf is the digest of all bytes of a file of that size. It reads them through the engine: closing a file that was
// opened otherwise drops the locks that the engine has on it.
func digestOf(ctx context.Context, db querier, size int64) (string, error) {
	rows, err := db.QueryContext(ctx, pagesSQL)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, size)
	err = each(rows, func(page *[]byte) []any { return []any{page} }, func(page []byte) { hash.Write(page) })
	return hex.EncodeToString(hash.Sum(nil)), err
}

// markOpen takes the digest out of the mark, which fits no longer once the ledger is written to by whomever. Who only looks
// leaves it as it is.
func (s *Store) markOpen(ctx context.Context) error {
	known, err := s.verifyFiles(ctx)
	if err != nil {
		return err
	}
	if err := s.verifyAccount(ctx, known); err != nil {
		return err
	}
	if s.looks {
		return nil
	}
	return s.markInUse().settle(s.path)
}

// markInUse is the mark of a ledger that is as far as this store has seen it come.
func (s *Store) markInUse() mark { return mark{writes: s.seen.writes, inFile: s.seen.settled} }

// markClosed leaves the digest of a ledger that nobody has open any more, and that no others have tables in. It does nothing
// about one that others use, that was only looked at, or that is too large to be read in good time.
func (s *Store) markClosed(ctx context.Context) error {
	if s.looks {
		return nil
	}
	wait := s.patience(ctx)
	defer wait.end()
	if inUse(s.path) || s.turn.take(wait) != nil {
		return nil
	}
	defer s.turn.leave()
	size, _, err := sizeOf(s.path)
	if err != nil || inUse(s.path) || size > checkedWhole || !s.place.holds() {
		return nil
	}
	db, err := openPool(s.path, 1, s.busyTimeout, immutable, careful...)
	if err != nil {
		return err
	}
	c, err := readAccount(ctx, db)
	m := mark{writes: c.writes, inFile: c.writes}
	if err == nil {
		m.closed, err = s.digestUnshared(ctx, db, size)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return m.settle(s.path)
}

// digestUnshared is the digest of a file that is the ledger's alone; "" of one that others write to too.
func (s *Store) digestUnshared(ctx context.Context, db querier, size int64) (string, error) {
	shared, err := s.isShared(ctx, db)
	if shared || err != nil {
		return "", err
	}
	return digestOf(ctx, db, size)
}

// inUse tells whether a ledger has a write-ahead log, as it has while anybody has it open.
func inUse(path string) bool {
	_, exists, err := sizeOf(path + logEnding)
	return exists || err != nil
}
