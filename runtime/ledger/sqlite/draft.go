package sqlite

import (
	"crypto/sha256"
	"database/sql/driver"
	"slices"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// draft is a row, or what is replaced of one, ready to be bound but for the time of its write. Whoever wants the write makes
// it before its turn, so that nobody else waits for that.
type draft struct {
	values []driver.NamedValue // but for the last two, the time and the check sum
	digest [sha256.Size]byte   // of what the check sum covers before the time
}

// spare is how many values follow those of a draft: its time, its check sum, and which row it is for.
const spare = 4

// newRow is the draft of recordColumns.
func newRow(r *ledger.Record) (*draft, error) {
	d := &draft{values: make([]driver.NamedValue, 0, columns.Count(recordColumns)+spare)}
	var room [usualRow]byte
	covered, err := d.add(room[:0], columns.FixedOf(r))
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(covered)
	if d.values, err = appendBound(d.values, digest[:sumBytes], r.Revision); err != nil {
		return nil, err
	}
	return d, d.addMutable(r)
}

// newState is the draft of mutableColumns.
func newState(r *ledger.Record) (*draft, error) {
	d := &draft{values: make([]driver.NamedValue, 0, columns.Count(mutableColumns)+spare)}
	return d, d.addMutable(r)
}

// addMutable adds mutableFields up to the time.
func (d *draft) addMutable(r *ledger.Record) error {
	var room [usualRow]byte
	fields := columns.MutableOf(r)
	covered, err := d.add(appendNumber(appendText(room[:0], r.ID), r.Revision), fields[:len(fields)-1])
	d.digest = sha256.Sum256(covered)
	return err
}

// add adds fields, and to covered what a check sum covers of them.
func (d *draft) add(covered []byte, fields []any) ([]byte, error) {
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
		d.values = append(d.values, driver.NamedValue{Ordinal: len(d.values) + 1, Value: value})
	}
	return covered, nil
}

// at are the values with the time of the write and their check sum, and what follows them. It may be called again: a
// write that is one of many may be made anew by itself.
func (d *draft) at(t time.Time, following ...any) ([]driver.NamedValue, error) {
	updated := columns.Time(&t)
	values, err := appendBound(d.values, updated, sum{[]any{d.digest[:], updated}})
	if err != nil {
		return nil, err
	}
	return appendBound(values, following...)
}

// eventDraft is the values of eventColumns but for three: the row of its change, its time, and the check sum.
type eventDraft []driver.NamedValue

// Where they are.
const (
	eventChange = 0
	eventTime   = 2
)

// newEvent is the draft of an event that makes a revision.
func newEvent(e ledger.Event, revision int64) (eventDraft, error) {
	e.Seq = revision
	return bound(slices.Concat([]any{nil}, columns.EventOf(&e), []any{nil})...)
}

// at are the values. It may be called again.
func (d eventDraft) at(t time.Time, row int64) (values []driver.NamedValue, err error) {
	last := len(d) - 1
	d[eventChange].Value = row
	if d[eventTime].Value, err = columns.Time(&t).Value(); err != nil {
		return nil, err
	}
	var room [usualEvent]byte
	covered := room[:0]
	for _, value := range d[:last] {
		if covered, err = appendField(covered, value.Value); err != nil {
			return nil, err
		}
	}
	digest := sha256.Sum256(covered)
	d[last].Value = digest[:sumBytes]
	return d, nil
}
