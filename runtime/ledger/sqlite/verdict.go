package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// nowhere is no row: the engine numbers them from one.
const nowhere = 0

// yes is a truth as the driver reads it.
const yes = int64(1)

// found is the record that a write moves, as it is before that.
type found struct {
	row  int64 // nowhere if none is moved
	kept bool  // that the time of its claim stays as it is
}

// judge tells whether anything but its caps is against a write, and finds the record that it moves. It writes nothing.
func (s *Store) judge(ctx context.Context, w *write, at time.Time) (old found, refused, failed error) {
	if w.moved != nil {
		old, refused, failed = s.judgeMove(ctx, w.moved, at)
	}
	if w.added != nil && refused == nil && failed == nil {
		refused, failed = s.judgeAddition(ctx, w.added)
	}
	return old, refused, failed
}

// judgeMove finds a record that is as its caller has seen it, and in time.
func (s *Store) judgeMove(ctx context.Context, m *transition, at time.Time) (old found, refused, failed error) {
	values := make([]driver.Value, 2)
	args := appendValues(make([]driver.NamedValue, 0, 3), m.claimed, m.id, m.revision)
	switch err := s.writer.find.row(ctx, args, values); {
	case errors.Is(err, io.EOF):
		return found{}, fmt.Errorf("%s: update %s at revision %d: %w", s.path, m.id, m.revision, ledger.ErrConflict), nil
	case err != nil:
		return found{}, nil, s.explain("update "+m.id, err)
	case m.isLate(at):
		return found{}, fmt.Errorf("%s: update %s: %w", s.path, m.id, ledger.ErrExpired), nil
	}
	return found{row: values[0].(int64), kept: values[1] == yes}, nil, nil
}

// judgeAddition tells which of the keys that must be its own a record shares with another.
func (s *Store) judgeAddition(ctx context.Context, a *addition) (refused, failed error) {
	shared := make([]driver.Value, 3)
	r := a.record
	keys := appendValues(nil, r.ID, r.RetryOf, r.RequestID, r.Server, r.Operation, r.Scope, r.Caller)
	switch err := s.writer.taken.row(ctx, keys, shared); {
	case err != nil:
		return nil, s.explain("insert "+r.ID, err)
	case shared[0] == yes:
		return fmt.Errorf("%s: insert %s: %w", s.path, r.ID, ledger.ErrExists), nil
	case shared[1] == yes:
		return fmt.Errorf("%s: insert %s: %w: another one tries %s again", s.path, r.ID, ledger.ErrRequested, r.RetryOf), nil
	case shared[2] == yes:
		return fmt.Errorf("%s: insert %s: %w: another one has the request id %q", s.path, r.ID, ledger.ErrRequested, r.RequestID), nil
	}
	return nil, nil
}

// isLate tells whether the time limit of a transition has passed.
func (m *transition) isLate(at time.Time) bool {
	return !m.notAfter.IsZero() && !at.Before(columns.ToMillisecond(m.notAfter))
}

// judgeCaps refuses unless every cap has room for one more record, besides the one in that row.
func (s *Store) judgeCaps(ctx context.Context, caps []*limit, row int64, at time.Time) (refused, failed error) {
	for _, c := range caps {
		room, err := s.writer.roomFor(ctx, c, row, at)
		if err != nil {
			return nil, s.explain("count for a limit", err)
		}
		if !room {
			return fmt.Errorf("%s: %w", s.path, &ledger.CapError{Cap: c.cap}), nil
		}
	}
	return nil, nil
}

// errLost says that a row was there a moment ago, in the same transaction.
var errLost = errors.New("its row is not what it was a moment ago")

// isOne tells whether exactly one row was changed.
func isOne(done driver.Result) (bool, error) {
	changed, err := done.RowsAffected()
	return changed == 1, err
}
