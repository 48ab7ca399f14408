package sqlite

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// access is how the connections of a store open its file.
type access struct {
	toWrite, toRead url.Values
	pragmas         []pragma
	files           []string // endings of those that the engine has open: all openFiles, or the first of them
}

var (
	// shared is that of everybody who can write, if only the index of the log.
	shared = access{toRead: readOnly, pragmas: logged, files: openFiles}
	// looking is that of who only looks at a ledger. The journal mode is taken as it is: to set another writes to the file.
	looking = access{toRead: readOnly, pragmas: durable, files: openFiles}
	// unshared reads a file that has everything in it, where nobody can write.
	unshared = access{toWrite: immutable, toRead: immutable, pragmas: careful, files: openFiles[:1]}
)

// connect opens the connections. The engine makes files beside a ledger even for who only reads it; where it cannot, as
// on a disk that is full or read-only, who only looks reads the file alone, if everything is in it.
func (s *Store) connect(ctx context.Context) error {
	if !s.looks {
		return s.connectBy(ctx, shared)
	}
	_, alone := modeToLook(s.path)
	err := s.connectBy(ctx, looking)
	if !alone || !errors.Is(err, ledger.ErrUnavailable) || s.disconnect(true) != nil {
		return err
	}
	s.writer, s.readers = nil, nil
	return s.connectBy(ctx, unshared)
}

// connectBy leaves what it opened before it failed to be closed.
func (s *Store) connectBy(ctx context.Context, a access) (err error) {
	s.access = a
	pragmas := a.pragmas
	if !s.looks {
		pragmas = append(slices.Clip(pragmas), enforced...)
	}
	if s.writer, err = connectWriter(ctx, s.path, s.busyTimeout, a.toWrite, pragmas); err != nil {
		return explainLook(s.path, "open for writing", err)
	}
	if err := s.expectLog(ctx); err != nil {
		return explainLook(s.path, "read its journal mode", err)
	}
	if err := s.evolve(ctx); err != nil {
		return err
	}
	if err := s.writer.prepare(ctx, s.logPages); err != nil {
		return s.explainUnprepared(ctx, err)
	}
	if s.readers, err = openReaders(ctx, s.path, s.busyTimeout, a); err != nil {
		return explainLook(s.path, "open for reading", err)
	}
	return nil
}

// expectLog takes a log and its index out of what is open where a look finds a file without them: a copy has none before a
// server opens it.
func (s *Store) expectLog(ctx context.Context) error {
	var mode string
	if err := s.writer.conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return err
	}
	if mode != walMode {
		s.access.files = openFiles[:1]
	}
	return nil
}
