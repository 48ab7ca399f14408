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
	caps  []*limit
}

// transition is a record as it is to be, made ready, and the revision that it is to have now.
type transition struct {
	id       string
	revision int64
	claimed  driver.Value // the time of the claim
	notAfter time.Time
	state    *draft
	event    *eventDraft
}

// addition is a new record, made ready.
type addition struct {
	record  *ledger.Record
	claimed driver.Value
	row     *draft
	event   *eventDraft
}

// newTransition fails if there is something in the record that the ledger cannot keep.
func (s *Store) newTransition(r ledger.Record, notAfter time.Time, e ledger.Event) (*transition, error) {
	m := &transition{id: r.ID, revision: r.Revision, notAfter: notAfter}
	var err error
	if m.claimed, err = columns.Time(&r.ClaimedAt).Value(); err == nil {
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
	if a.claimed, err = columns.Time(&r.ClaimedAt).Value(); err == nil {
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
	return s.doCapped(ctx, &write{added: added}, caps)
}

// Swap implements ledger.Store. When several hold, ErrConflict comes before ErrExpired, and that before ErrCap.
func (s *Store) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	moved, err := s.newTransition(r, notAfter, e)
	if err != nil {
		return err
	}
	return s.doCapped(ctx, &write{moved: moved}, caps)
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
	return s.doCapped(ctx, &write{moved: moved, added: added}, caps)
}

// doCapped has a write done if every cap has room.
func (s *Store) doCapped(ctx context.Context, w *write, caps []ledger.Cap) (err error) {
	if w.caps, err = newLimits(caps); err != nil {
		return s.explain("count for a limit", err)
	}
	return s.do(ctx, w)
}

// perform does a write in the transaction that was begun, or refuses it and leaves nothing of it behind. Nobody knows what
// it leaves behind when it failed. The clock is read once for each write: nothing has to be waited for any more.
func (s *Store) perform(ctx context.Context, w *write) (refused, failed error) {
	at := s.now()
	switch {
	case w.moved == nil:
		return s.performAddition(ctx, w, at)
	case w.added == nil && len(w.caps) == 0:
		if done, failed := s.putKnown(ctx, w.moved, at); done || failed != nil {
			return nil, failed
		}
	}
	old, refused, failed := s.judge(ctx, w, at)
	if refused != nil || failed != nil {
		return refused, failed
	}
	if w.added != nil && len(w.caps) > 0 {
		return s.performCapped(ctx, w, old, at)
	}
	refused, failed = s.judgeCaps(ctx, w.caps, old.row, at)
	if refused != nil || failed != nil {
		return refused, failed
	}
	return nil, s.put(ctx, w, old, at)
}

// performAddition looks for what shares a key with a new record only once something is against it: mostly nothing does, and
// the engine finds out by itself.
func (s *Store) performAddition(ctx context.Context, w *write, at time.Time) (refused, failed error) {
	refused, failed = s.judgeCaps(ctx, w.caps, nowhere, at)
	if failed != nil {
		return nil, failed
	}
	if refused == nil {
		var row int64
		if row, failed = s.insert(ctx, w.added, at); failed == nil {
			return nil, s.record(ctx, w.added.event, row, at)
		}
		if codeOf(failed) != codeConstraint {
			return nil, failed
		}
	}
	if taken, err := s.judgeAddition(ctx, w.added); taken != nil || err != nil {
		return taken, err
	}
	return refused, failed
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
		clear(s.writer.counts)
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

// putKnown is putMove for a record whose row is known. It does nothing if the record is not there as its caller has seen it,
// or the caller is late: what it is then is for others to find out.
func (s *Store) putKnown(ctx context.Context, m *transition, at time.Time) (done bool, failed error) {
	known, ok := s.writer.rows[m.id]
	if !ok || m.isLate(at) {
		return false, nil
	}
	return s.replace(ctx, m, found{row: known.row, kept: known.claimed == m.claimed}, at)
}

// putMove replaces the mutable fields of the record that was found, and adds the event of that.
func (s *Store) putMove(ctx context.Context, m *transition, old found, at time.Time) error {
	done, err := s.replace(ctx, m, old, at)
	if err == nil && !done {
		err = s.explain("update "+m.id, errLost)
	}
	return err
}

// replace does nothing if the record is not there as it is said to be.
func (s *Store) replace(ctx context.Context, m *transition, old found, at time.Time) (done bool, failed error) {
	values, err := m.state.at(at, old.row, m.revision, m.id)
	if err != nil {
		return false, s.explain("update "+m.id, err)
	}
	kind := byte(moves)
	if old.kept {
		kind = movesOn
	}
	result, err := s.exec(ctx, m.state.shape.as(kind), values)
	if err == nil {
		done, err = isOne(result)
	}
	if err != nil {
		return false, s.explain("update "+m.id, err)
	}
	if !done {
		delete(s.writer.rows, m.id)
		return false, nil
	}
	s.writer.know(m.id, knownRow{row: old.row, claimed: m.claimed})
	return true, s.record(ctx, m.event, old.row, at)
}

// putAddition adds a record with its first event.
func (s *Store) putAddition(ctx context.Context, a *addition, at time.Time) error {
	row, err := s.insert(ctx, a, at)
	if err != nil {
		return err
	}
	return s.record(ctx, a.event, row, at)
}

// insert adds a record alone. It leaves nothing behind when it fails for a constraint.
func (s *Store) insert(ctx context.Context, a *addition, at time.Time) (row int64, err error) {
	values, err := a.row.at(at)
	if err != nil {
		return nowhere, s.explain("insert "+a.record.ID, err)
	}
	done, err := s.exec(ctx, a.row.shape, values)
	if err == nil {
		row, err = done.LastInsertId()
	}
	if err != nil {
		return nowhere, s.explain("insert "+a.record.ID, err)
	}
	s.writer.know(a.record.ID, knownRow{row: row, claimed: a.claimed})
	return row, nil
}

// record adds the event of a transition, which is numbered as the revision it made, and accounts for it.
func (s *Store) record(ctx context.Context, e *eventDraft, row int64, at time.Time) error {
	values, err := e.at(at, row)
	if err == nil {
		_, err = s.exec(ctx, e.shape, values)
	}
	if err != nil {
		return s.explain("add an event", err)
	}
	s.writer.now = s.writer.now.withEvent(at)
	return nil
}

// exec runs the statement of a shape.
func (s *Store) exec(ctx context.Context, of shape, values []driver.NamedValue) (driver.Result, error) {
	statement, err := s.writer.shaped(ctx, of)
	if err != nil {
		return nil, err
	}
	return statement.exec(ctx, values)
}
