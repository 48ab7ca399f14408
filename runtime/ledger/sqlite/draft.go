package sqlite

import (
	"crypto/sha256"
	"database/sql/driver"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// draft is a row, or what is replaced of one, ready to be bound but for the time of its write. Whoever wants the write makes
// it before its turn, so that nobody else waits for that.
type draft struct {
	shape  shape
	values []driver.NamedValue // those that are given, but for the last two: the time and the check sum
	digest [sha256.Size]byte   // of what the check sum covers before the time
}

// How many values most new changes have, and most that are moved on, with what follows them.
const (
	usualNew   = 36
	usualMoved = 20
)

// newRow is the draft of recordColumns.
func newRow(r *ledger.Record) (*draft, error) {
	d := newDraft(addsChange, recordColumns, usualNew)
	var room [usualRow]byte
	covered, err := d.addAll(room[:0], columns.FixedOf(r))
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(covered)
	d.give(digest[:sumBytes])
	d.give(r.Revision)
	return d, d.addMutable(r)
}

// newState is the draft of mutableColumns.
func newState(r *ledger.Record) (*draft, error) {
	d := newDraft(moves, mutableColumns, usualMoved)
	return d, d.addMutable(r)
}

func newDraft(kind byte, list string, usual int) *draft {
	return &draft{
		shape:  append(make(shape, 0, 1+columns.Count(list)), kind),
		values: make([]driver.NamedValue, 0, usual),
	}
}

// addMutable adds mutableFields up to the time, and has the shape of all.
func (d *draft) addMutable(r *ledger.Record) error {
	var room [usualRow]byte
	fields := columns.MutableOf(r)
	covered, err := d.addAll(appendNumber(appendText(room[:0], r.ID), r.Revision), fields[:len(fields)-1])
	d.digest = sha256.Sum256(covered)
	d.shape = append(d.shape, given, given)
	return err
}

// addAll adds fields, and to covered what a check sum covers of them.
func (d *draft) addAll(covered []byte, fields []any) ([]byte, error) {
	for _, field := range fields {
		value, err := plain(field)
		if err != nil {
			return nil, err
		}
		if covered, err = appendField(covered, value); err != nil {
			return nil, err
		}
		whole, isBytes := value.([]byte)
		if _, isBody := field.(columns.Body); isBytes && isBody {
			value = packBytes(whole)
		}
		d.add(value)
	}
	return covered, nil
}

// add adds a value, as a word of the statement if it is one that most rows have.
func (d *draft) add(value driver.Value) {
	switch text, isText := value.(string); {
	case value == nil:
		d.shape = append(d.shape, none)
	case isText && text == "":
		d.shape = append(d.shape, empty)
	default:
		d.give(value)
	}
}

func (d *draft) give(value driver.Value) {
	d.shape = append(d.shape, given)
	d.values = appendValues(d.values, value)
}

// at are the values with the time of the write and their check sum, and what follows them. It may be called again: a
// write that is one of many may be made anew by itself.
func (d *draft) at(t time.Time, following ...driver.Value) ([]driver.NamedValue, error) {
	updated, err := columns.Time(&t).Value()
	if err != nil {
		return nil, err
	}
	covered, err := appendField(appendText(make([]byte, 0, usualEvent), d.digest[:]), updated)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(covered)
	return appendValues(appendValues(d.values, updated, digest[:sumBytes]), following...), nil
}

// eventDraft is the values of eventColumns but for three: the row of its change, its time, and the check sum.
type eventDraft struct {
	draft
	seq  int64
	rest []byte // what the check sum covers after the time
}

// Where they are among those that are given.
const (
	eventChange = 0
	eventTime   = 2
	eventRest   = 2 // in columns.EventOf: what follows the time
)

// newEvent is the draft of an event that makes a revision.
func newEvent(e ledger.Event, revision int64) (*eventDraft, error) {
	d := &eventDraft{draft: *newDraft(addsEvent, eventColumns, columns.Count(eventColumns)), seq: revision}
	d.give(nil)
	d.give(revision)
	d.give(nil)
	var err error
	d.rest, err = d.addAll(make([]byte, 0, usualEvent), columns.EventOf(&e)[eventRest:])
	d.give(nil)
	return d, err
}

// at are the values. It may be called again.
func (d *eventDraft) at(t time.Time, row int64) ([]driver.NamedValue, error) {
	at, err := columns.Time(&t).Value()
	if err != nil {
		return nil, err
	}
	var room [usualEvent]byte
	covered, err := appendField(appendNumber(appendNumber(room[:0], row), d.seq), at)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(append(covered, d.rest...))
	d.values[eventChange].Value, d.values[eventTime].Value, d.values[len(d.values)-1].Value = row, at, digest[:sumBytes]
	return d.values, nil
}
