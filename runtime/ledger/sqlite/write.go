package sqlite

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// write is what one call wants written: a record moved on, a new one, or both.
type write struct {
	moved *transition
	added *addition
	caps  []ledger.Cap
}

// transition is a record as it is to be, made ready, and the revision that it is to have now.
type transition struct {
	id       string
	revision int64
	find     []driver.NamedValue // the arguments of findSQL
	notAfter time.Time
	state    *draft
	event    eventDraft
}

// addition is a new record, made ready.
type addition struct {
	record *ledger.Record
	keys   []driver.NamedValue // the arguments of takenSQL
	row    *draft
	event  eventDraft
}

// newTransition fails if there is something in the record that the ledger cannot keep.
func (s *Store) newTransition(r ledger.Record, notAfter time.Time, e ledger.Event) (*transition, error) {
	m := &transition{id: r.ID, revision: r.Revision, notAfter: notAfter}
	var err error
	if m.find, err = bound(columns.Time(&r.ClaimedAt), r.ID, r.Revision); err == nil {
		r.Revision++
		m.state, err = newState(&r)
	}
	if err == nil {
		m.event, err = newEvent(e, r.Revision)
	}
	if err != nil {
		return nil, s.explain("update "+r.ID, err)
	}
	return m, nil
}

// newAddition fails if there is something in the record that the ledger cannot keep.
func (s *Store) newAddition(r ledger.Record, e ledger.Event) (*addition, error) {
	r.Revision = 1
	a := &addition{record: &r}
	var err error
	if a.keys, err = bound(r.ID, r.RetryOf, r.RequestID, r.Server, r.Operation, r.Scope, r.Caller); err == nil {
		a.row, err = newRow(&r)
	}
	if err == nil {
		a.event, err = newEvent(e, r.Revision)
	}
	if err != nil {
		return nil, s.explain("insert "+r.ID, err)
	}
	return a, nil
}

// Insert implements ledger.Store. When several hold, ErrExists comes before ErrRequested, and that before ErrCap.
func (s *Store) Insert(ctx context.Context, r ledger.Record, e ledger.Event, caps ...ledger.Cap) error {
	added, err := s.newAddition(r, e)
	if err != nil {
		return err
	}
	return s.do(ctx, &write{added: added, caps: caps})
}

// Swap implements ledger.Store. When several hold, ErrConflict comes before ErrExpired, and that before ErrCap.
func (s *Store) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	moved, err := s.newTransition(r, notAfter, e)
	if err != nil {
		return err
	}
	return s.do(ctx, &write{moved: moved, caps: caps})
}

// SwapInsert implements ledger.Store. When several hold, the answers come in the order of Swap, and then of Insert.
func (s *Store) SwapInsert(
	ctx context.Context, old ledger.Record, e ledger.Event, fresh ledger.Record, first ledger.Event, caps ...ledger.Cap,
) error {
	moved, err := s.newTransition(old, time.Time{}, e)
	if err != nil {
		return err
	}
	added, err := s.newAddition(fresh, first)
	if err != nil {
		return err
	}
	return s.do(ctx, &write{moved: moved, added: added, caps: caps})
}

// perform does a write in the transaction that was begun, or refuses it and leaves nothing of it behind. Nobody knows what
// it leaves behind when it failed. The clock is read once for each write: nothing has to be waited for any more.
func (s *Store) perform(ctx context.Context, w *write) (refused, failed error) {
	at := s.now()
	old, refused, failed := s.judge(ctx, w, at)
	if refused != nil || failed != nil {
		return refused, failed
	}
	if w.moved != nil && w.added != nil && len(w.caps) > 0 {
		return s.performCapped(ctx, w, old, at)
	}
	refused, failed = s.judgeCaps(ctx, w.caps, old.row, at)
	if refused != nil || failed != nil {
		return refused, failed
	}
	return nil, s.put(ctx, w, old, at)
}

// performCapped moves a record on before the caps of the one that is added with it are counted: they count it as it is then.
// When there is no room, that is taken back.
func (s *Store) performCapped(ctx context.Context, w *write, old found, at time.Time) (refused, failed error) {
	before := s.writer.now
	if err := s.writer.exec(ctx, savepointSQL); err != nil {
		return nil, s.explain("set a savepoint", err)
	}
	if err := s.putMove(ctx, w.moved, old, at); err != nil {
		return nil, err
	}
	refused, failed = s.judgeCaps(ctx, w.caps, nowhere, at)
	end := releaseSQL
	if refused != nil {
		s.writer.now, end = before, takeBackSQL
	}
	if failed == nil {
		if err := s.writer.exec(ctx, end); err != nil {
			failed = s.explain("end a savepoint", err)
		}
	}
	if refused != nil || failed != nil {
		return refused, failed
	}
	return nil, s.putAddition(ctx, w.added, at)
}

// put writes what was found good.
func (s *Store) put(ctx context.Context, w *write, old found, at time.Time) error {
	if w.moved != nil {
		if err := s.putMove(ctx, w.moved, old, at); err != nil {
			return err
		}
	}
	if w.added != nil {
		return s.putAddition(ctx, w.added, at)
	}
	return nil
}

// putMove replaces the mutable fields of the record that was found, and adds the event of that.
func (s *Store) putMove(ctx context.Context, m *transition, old found, at time.Time) error {
	values, err := m.state.at(at, old.row, m.revision)
	if err != nil {
		return s.explain("update "+m.id, err)
	}
	swap := s.writer.swap
	if old.kept {
		swap = s.writer.keep
	}
	done, err := swap.exec(ctx, values)
	if err == nil {
		err = expectOne(done)
	}
	if err != nil {
		return s.explain("update "+m.id, err)
	}
	return s.record(ctx, m.event, old.row, at)
}

// putAddition adds a record with its first event.
func (s *Store) putAddition(ctx context.Context, a *addition, at time.Time) error {
	values, err := a.row.at(at)
	if err != nil {
		return s.explain("insert "+a.record.ID, err)
	}
	done, err := s.writer.insert.exec(ctx, values)
	if err != nil {
		return s.explain("insert "+a.record.ID, err)
	}
	row, err := done.LastInsertId()
	if err != nil {
		return s.explain("insert "+a.record.ID, err)
	}
	return s.record(ctx, a.event, row, at)
}

// record adds the event of a transition, which is numbered as the revision it made, and accounts for it.
func (s *Store) record(ctx context.Context, e eventDraft, row int64, at time.Time) error {
	values, err := e.at(at, row)
	if err == nil {
		_, err = s.writer.event.exec(ctx, values)
	}
	if err != nil {
		return s.explain("add an event", err)
	}
	s.writer.now = s.writer.now.withEvent(at)
	return nil
}
