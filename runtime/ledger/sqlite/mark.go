package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

const (
	markEnding = ".mark"
	// stillOpen stands in a mark where a digest is as soon as the ledger has been closed.
	stillOpen = "open"
	// markFormat gives every mark the same length, so that one replaces another in a single write.
	markFormat = "writes %020d %-64s\n"
)

// mark says how far a ledger has come. It lies beside it, because the ledger itself cannot tell that it lost its latest
// writes: SQLite takes a write-ahead log that was cut, or whose bytes were flipped, for one that ends earlier, and a
// claim that is forgotten can be made again. A mark is written after each write and is not synced: it may say less than
// what is on disk and never more.
type mark struct {
	writes int64  // that were acknowledged
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
	words := strings.Fields(string(content))
	if len(words) != 3 || len(content) != len(mark{}.text()) {
		return mark{}, nil
	}
	m := mark{closed: words[2]}
	if m.closed == stillOpen {
		m.closed = ""
	}
	if m.writes, err = strconv.ParseInt(words[1], 10, 64); err != nil {
		return mark{}, nil
	}
	return m, nil
}

func (m mark) text() string {
	closed := m.closed
	if closed == "" {
		closed = stillOpen
	}
	return fmt.Sprintf(markFormat, m.writes, closed)
}

// write replaces the mark of the ledger at path.
func (m mark) write(path string) error {
	f, err := os.OpenFile(path+markEnding, os.O_CREATE|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(m.text()), 0)
	return errors.Join(err, f.Close())
}

// check fails if the ledger behind db is not as far as its mark says. Size is that of the file, and alone tells that it
// has no write-ahead log to be read along.
func (m mark) check(ctx context.Context, db *sql.DB, path string, size int64, alone bool) error {
	var writes int64
	if err := db.QueryRowContext(ctx, writesSQL).Scan(&writes); err != nil {
		return explainRows(path, "count its writes", err)
	}
	if writes < m.writes {
		return corrupt(path, "the latest %d of its %d writes are missing: its write-ahead log was cut or removed, or an older copy was put in its place; "+
			"bring back what is missing, or, to go on without it although what was applied is forgotten, remove %s", m.writes-writes, m.writes, path+markEnding)
	}
	if m.closed == "" || !alone || size > checkedWhole {
		return nil
	}
	digest, err := digestOf(ctx, db, size)
	if err != nil {
		return explainRows(path, "read its pages", err)
	}
	if digest != m.closed {
		return corrupt(path, "it is not as it was when it was closed: it was damaged, or another program has written to it; "+
			"if you know what was written and trust it, remove %s, and else: %s", path+markEnding, restoreAdvice)
	}
	return nil
}

// digestOf is the digest of all bytes of a file of that size. It reads them through the engine: closing a file that was
// opened otherwise drops the locks that the engine has on it.
func digestOf(ctx context.Context, db *sql.DB, size int64) (string, error) {
	rows, err := db.QueryContext(ctx, pagesSQL)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, size)
	err = each(rows, func(page *[]byte) []any { return []any{page} }, func(page []byte) { hash.Write(page) })
	return hex.EncodeToString(hash.Sum(nil)), err
}

// markOpen takes the digest out of the mark, which fits no longer once the ledger is written to by whomever.
func (s *Store) markOpen(ctx context.Context) error {
	var m mark
	if err := s.writer.conn.QueryRowContext(ctx, writesSQL).Scan(&m.writes); err != nil {
		return explainRows(s.path, "count its writes", err)
	}
	if err := m.write(s.path); err != nil {
		return unavailable(s.path, "make "+s.path+markEnding, err)
	}
	return nil
}

// markClosed leaves the digest of a ledger that nobody has open any more. It does nothing about one that others use, or
// that is too large to be read in good time.
func (s *Store) markClosed(ctx context.Context) error {
	wait, cancel := s.patience(ctx)
	defer cancel()
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
	m := mark{}
	if err = db.QueryRowContext(ctx, writesSQL).Scan(&m.writes); err == nil {
		m.closed, err = digestOf(ctx, db, size)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return m.write(s.path)
}

// inUse tells whether a ledger has a write-ahead log, as it has while anybody has it open.
func inUse(path string) bool {
	_, exists, err := sizeOf(path + "-wal")
	return exists || err != nil
}
