package sqlite

import (
	"crypto/sha256"
	"database/sql/driver"
	"hash"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// draft is a row, or what is replaced of one, ready to be bound but for the time of its write. Whoever wants the write makes
// it before its turn, so that nobody else waits for that.
type draft struct {
	values  []driver.NamedValue // the last two, the time and the check sum, are not there yet
	covered hash.Cloner         // what the check sum covers before the time
}

// spare is how many values follow those of a draft: its time, its check sum, and which row it is for.
const spare = 4

// newRow is the draft of recordColumns. The revision is the first.
func newRow(r *ledger.Record) (*draft, error) {
	fixed := columns.FixedOf(r)
	d := &draft{values: make([]driver.NamedValue, 0, columns.Count(recordColumns)+spare)}
	covered, err := d.add(make([]byte, 0, usualRow), fixed)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(covered)
	if d.values, err = appendBound(d.values, digest[:sumBytes], r.Revision); err != nil {
		return nil, err
	}
	return d, d.addMutable(r, covered[:0])
}

// newState is the draft of mutableColumns.
func newState(r *ledger.Record) (*draft, error) {
	d := &draft{values: make([]driver.NamedValue, 0, columns.Count(mutableColumns)+spare)}
	return d, d.addMutable(r, make([]byte, 0, usualRow))
}

// addMutable adds what mutableFields are, up to the time.
func (d *draft) addMutable(r *ledger.Record, covered []byte) error {
	fields := columns.MutableOf(r)
	covered = appendNumber(appendText(covered, r.ID), r.Revision)
	covered, err := d.add(covered, fields[:len(fields)-1])
	if err != nil {
		return err
	}
	sum := sha256.New().(hash.Cloner)
	_, err = sum.Write(covered)
	d.covered = sum
	return err
}

// add adds fields, and to covered what their check sum covers of them.
func (d *draft) add(covered []byte, fields []any) ([]byte, error) {
	for _, field := range fields {
		value, err := plain(field)
		if err != nil {
			return nil, err
		}
		if covered, err = appendField(covered, value); err != nil {
			return nil, err
		}
		if whole, ok := value.([]byte); ok && isPacked(field) {
			value = packBytes(whole)
		}
		d.values = append(d.values, driver.NamedValue{Ordinal: len(d.values) + 1, Value: value})
	}
	return covered, nil
}

// at are the values with the time of the write and their check sum, and what follows them. It may be called again: a
// write that is one of many may be made anew by itself.
func (d *draft) at(t time.Time, following ...int64) ([]driver.NamedValue, error) {
	updated, err := plain(columns.Time(&t))
	if err != nil {
		return nil, err
	}
	covered, err := appendField(nil, updated)
	if err != nil {
		return nil, err
	}
	sum, err := d.covered.Clone()
	if err != nil {
		return nil, err
	}
	if _, err := sum.Write(covered); err != nil {
		return nil, err
	}
	values, err := appendBound(d.values, updated, sum.Sum(nil)[:sumBytes])
	for _, n := range following {
		values = append(values, driver.NamedValue{Ordinal: len(values) + 1, Value: n})
	}
	return values, err
}
