package sqlite

import (
	"context"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// write is what one call wants written: a record moved on, a new one, or both.
type write struct {
	moved *transition
	added *addition
	caps  []ledger.Cap
}

// transition is a record as it is to be, at the revision that it is to have now.
type transition struct {
	record   ledger.Record
	notAfter time.Time
	event    ledger.Event
}

// addition is a new record.
type addition struct {
	record ledger.Record
	event  ledger.Event
}

// Insert implements ledger.Store. When several hold, ErrExists comes before ErrRequested, and that before ErrCap.
func (s *Store) Insert(ctx context.Context, r ledger.Record, e ledger.Event, caps ...ledger.Cap) error {
	return s.do(ctx, &write{added: &addition{r, e}, caps: caps})
}

// Swap implements ledger.Store. When several hold, ErrConflict comes before ErrExpired, and that before ErrCap.
func (s *Store) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	return s.do(ctx, &write{moved: &transition{r, notAfter, e}, caps: caps})
}

// SwapInsert implements ledger.Store. When several hold, the answers come in the order of Swap, and then of Insert.
func (s *Store) SwapInsert(
	ctx context.Context, old ledger.Record, e ledger.Event, fresh ledger.Record, first ledger.Event, caps ...ledger.Cap,
) error {
	return s.do(ctx, &write{moved: &transition{record: old, event: e}, added: &addition{fresh, first}, caps: caps})
}

// perform does a write in the transaction that was begun, or refuses it and leaves nothing of it behind. Nobody knows what
// it leaves behind when it failed. The clock is read once for each write: nothing has to be waited for any more.
func (s *Store) perform(ctx context.Context, w *write) (refused, failed error) {
	at := s.now()
	row, refused, failed := s.judge(ctx, w, at)
	if refused != nil || failed != nil {
		return refused, failed
	}
	if w.moved != nil && w.added != nil && len(w.caps) > 0 {
		return s.performCapped(ctx, w, row, at)
	}
	refused, failed = s.judgeCaps(ctx, w.caps, row, at)
	if refused != nil || failed != nil {
		return refused, failed
	}
	return nil, s.put(ctx, w, row, at)
}

// performCapped moves a record on before the caps of the one that is added with it are counted: they count it as it is then.
// When there is no room, that is taken back.
func (s *Store) performCapped(ctx context.Context, w *write, row int64, at time.Time) (refused, failed error) {
	before := s.writer.now
	if err := s.writer.exec(ctx, savepointSQL); err != nil {
		return nil, s.explain("set a savepoint", err)
	}
	if err := s.putMove(ctx, w.moved, row, at); err != nil {
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
func (s *Store) put(ctx context.Context, w *write, row int64, at time.Time) error {
	if w.moved != nil {
		if err := s.putMove(ctx, w.moved, row, at); err != nil {
			return err
		}
	}
	if w.added != nil {
		return s.putAddition(ctx, w.added, at)
	}
	return nil
}

// putMove replaces the mutable fields of the record in that row, and adds the event of that.
func (s *Store) putMove(ctx context.Context, m *transition, row int64, at time.Time) error {
	r := m.record
	r.Revision, r.UpdatedAt = r.Revision+1, at
	done, err := s.writer.swap.ExecContext(ctx, append(mutableFields(&r), row, m.record.Revision)...)
	if err == nil {
		err = expectOne(done)
	}
	if err != nil {
		return s.explain("update "+r.ID, err)
	}
	return s.record(ctx, row, r.Revision, at, m.event)
}

// putAddition adds a record with its first event.
func (s *Store) putAddition(ctx context.Context, a *addition, at time.Time) error {
	r := a.record
	r.Revision, r.UpdatedAt = 1, at
	done, err := s.writer.insert.ExecContext(ctx, recordFields(&r)...)
	if err != nil {
		return s.explain("insert "+r.ID, err)
	}
	row, err := done.LastInsertId()
	if err != nil {
		return s.explain("insert "+r.ID, err)
	}
	return s.record(ctx, row, r.Revision, at, a.event)
}

// record adds the event of a transition, which is numbered as the revision it made, and accounts for it.
func (s *Store) record(ctx context.Context, row, revision int64, at time.Time, e ledger.Event) error {
	e.Seq, e.At = revision, at
	if _, err := s.writer.event.ExecContext(ctx, eventFields(&eventRow{Event: e, change: row})...); err != nil {
		return s.explain("add an event", err)
	}
	s.writer.now = s.writer.now.withEvent(at)
	return nil
}
