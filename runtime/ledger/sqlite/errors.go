package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"modernc.org/sqlite"
)

// The result codes of SQLite that the callers of a ledger tell apart. Extended codes carry these in their low byte.
const (
	codeError      = 1
	codePerm       = 3
	codeBusy       = 5
	codeLocked     = 6
	codeReadOnly   = 8
	codeIO         = 10
	codeCorrupt    = 11
	codeFull       = 13
	codeCantOpen   = 14
	codeConstraint = 19
	codeAuth       = 23
	codeNotADB     = 26
	primaryCode    = 0xff

	codeReadOnlyRollback = 776 // extended: a journal has to be rolled back first
)

// ErrEarlier says that an earlier version made the ledger, and that Migrate makes it one of this version. It is
// ledger.ErrUnsupported.
var ErrEarlier = fmt.Errorf("%w", ledger.ErrUnsupported)

// restoreAdvice is what to do about a damaged ledger. A write-ahead log that stays behind would be mixed into the backup.
const restoreAdvice = "stop every server that uses it, move it aside together with its -wal, -shm and .mark files, and restore a backup"

// unsupported says why path cannot be used as a ledger, and what to do.
func unsupported(path, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", path, ledger.ErrUnsupported, fmt.Sprintf(format, args...))
}

// corrupt says what is wrong with the ledger at path, and what to do.
func corrupt(path, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", path, ledger.ErrCorrupt, fmt.Sprintf(format, args...))
}

// explain gives an error of the engine the meaning it has for a ledger. What it does not know it passes on.
func (s *Store) explain(doing string, err error) error {
	return explain(s.path, doing, err)
}

// explainLook is explain for the first look at a file. The statements are right, so if the engine finds fault with one,
// it is the file that is wrong.
func explainLook(path, doing string, err error) error {
	if codeOf(err) == codeError {
		return corrupt(path, "%s: %v; %s", doing, err, restoreAdvice)
	}
	return explain(path, doing, err)
}

// explainRows is explainLook for what was read of rows: if it is not the engine that finds fault, it is what a row says,
// unless the caller left.
func explainRows(ctx context.Context, path, doing string, err error) error {
	switch {
	case ctx.Err() != nil:
		return explain(path, doing, ctx.Err())
	case codeOf(err) == 0:
		return corrupt(path, "%s: %v; %s", doing, err, restoreAdvice)
	}
	return explainLook(path, doing, err)
}

// explainUnprepared is explainLook for the statements that write. If the engine finds fault with one although the ledger's tables
// are as they should be, a foreign key of another table on these is none that it can check.
func (s *Store) explainUnprepared(ctx context.Context, err error) error {
	if codeOf(err) != codeError {
		return explain(s.path, "prepare to write", err)
	}
	if err := s.checkObjects(ctx, s.writer.conn); err != nil {
		return err
	}
	return unsupported(s.path, "another table of the file keeps the ledger from writing: %v; drop that table, or have it refer to changes (id)", err)
}

// codeOf is the primary result code of an error of the engine, and 0 for any other.
func codeOf(err error) int {
	var engine *sqlite.Error
	if !errors.As(err, &engine) {
		return 0
	}
	return engine.Code() & primaryCode
}

// isOfContent tells whether an error of a read is about what is in the file, and not about reaching it, or about a caller
// who left.
func isOfContent(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	switch codeOf(err) {
	case 0, codeError, codeCorrupt, codeNotADB:
		return true
	}
	return false
}

// needsRollback tells whether only a connection that may write can read the file.
func needsRollback(err error) bool {
	var engine *sqlite.Error
	return errors.As(err, &engine) && engine.Code() == codeReadOnlyRollback
}

func explain(path, doing string, err error) error {
	switch codeOf(err) {
	case codeBusy, codeLocked:
		return fmt.Errorf("%s: %s: %w: something else holds its lock (%w)", path, doing, ledger.ErrBusy, err)
	case codeCorrupt, codeNotADB:
		return corrupt(path, "%s: %v; %s", doing, err, restoreAdvice)
	case codePerm, codeReadOnly, codeIO, codeFull, codeCantOpen:
		return unavailable(path, doing, err)
	}
	return fmt.Errorf("%s: %s: %w", path, doing, err)
}

// unavailable says that the disk did not do what the ledger at path needs, and what to do. The error is one of the
// engine or of the system, or that of a caller who left, which says nothing of the disk.
func unavailable(path, doing string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return explain(path, doing, err)
	}
	return fmt.Errorf("%s: %s: %w: %w; %s", path, doing, ledger.ErrUnavailable, err, diskAdvice(path, err))
}

// undecided says that the disk failed while a write was made durable: it may be there after the next start, or not.
func undecided(path string, err error) error {
	return fmt.Errorf("%s: whether this was recorded is not known: %w: %w; %s, and then look with: changesetctl show",
		path, ledger.ErrUnavailable, err, diskAdvice(path, err))
}

func diskAdvice(path string, err error) string {
	switch code := codeOf(err); {
	case code == codeFull, errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room on its disk"
	case code == codePerm, code == codeReadOnly, code == codeCantOpen, errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		if advice := ownerAdvice(path); advice != "" {
			return advice
		}
		return "make the file, its directory and its disk writable for this user, and if they are, take the file for damaged"
	}
	return "look at its disk, which may be full, and at the log of the system; if both are well, take the file for damaged"
}
