package sqlite

import (
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"modernc.org/sqlite"
)

// The result codes of SQLite that the callers of a ledger tell apart. Extended codes carry these in their low byte.
const (
	codeBusy      = 5
	codeLocked    = 6
	codeReadOnly  = 8
	codeCorrupt   = 11
	codeFull      = 13
	codeCantOpen  = 14
	codeNotADB    = 26
	primaryCode   = 0xff
	restoreAdvice = "stop every server that uses it, keep a copy, and restore a backup"
)

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

func explain(path, doing string, err error) error {
	var engine *sqlite.Error
	if !errors.As(err, &engine) {
		return fmt.Errorf("%s: %s: %w", path, doing, err)
	}
	switch engine.Code() & primaryCode {
	case codeBusy, codeLocked:
		return fmt.Errorf("%s: %s: %w: something else holds its lock (%w)", path, doing, ledger.ErrBusy, err)
	case codeCorrupt, codeNotADB:
		return corrupt(path, "%s: %v; %s", doing, err, restoreAdvice)
	case codeReadOnly, codeCantOpen:
		return fmt.Errorf("%s: %s: %w; make the file and its directory writable for this user", path, doing, err)
	case codeFull:
		return fmt.Errorf("%s: %s: %w; make room on its disk", path, doing, err)
	}
	return fmt.Errorf("%s: %s: %w", path, doing, err)
}
