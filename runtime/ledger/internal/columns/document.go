package columns

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// errUnreadable says that something would not be read back as it is.
var errUnreadable = errors.New("it would not be read back as it is: a text in it is not valid UTF-8")

// document is a struct with a time, as JSON; the zero struct is NULL.
type document[T comparable] struct {
	of *T
	at func(*T) *time.Time
	// scanned is what the column holds; nil before it was scanned, and for NULL. Another version may have written more into
	// it than this one knows.
	scanned []byte
}

func decision(d *ledger.Decision) *document[ledger.Decision] {
	return &document[ledger.Decision]{of: d, at: func(d *ledger.Decision) *time.Time { return &d.At }}
}

func request(r *ledger.Request) *document[ledger.Request] {
	return &document[ledger.Request]{of: r, at: func(r *ledger.Request) *time.Time { return &r.At }}
}

func finding(f *ledger.Finding) *document[ledger.Finding] {
	return &document[ledger.Finding]{of: f, at: func(f *ledger.Finding) *time.Time { return &f.At }}
}

// Value implements driver.Valuer. Of what was scanned it is that, so that a check sum is made of the bytes that are stored.
func (d *document[T]) Value() (driver.Value, error) {
	if d.scanned != nil {
		return d.scanned, nil
	}
	var none T
	if *d.of == none {
		return nil, nil
	}
	stored := *d.of
	at := d.at(&stored)
	if *at = ToMillisecond(*at); stored == none {
		return nil, nil
	}
	encoded, err := json.Marshal(stored)
	if err != nil {
		return nil, err
	}
	var again T
	if err := json.Unmarshal(encoded, &again); err != nil || again != stored {
		return nil, errors.Join(errUnreadable, err)
	}
	return encoded, nil
}

// Scan implements sql.Scanner.
func (d *document[T]) Scan(src any) error {
	var stored T
	switch v := src.(type) {
	case nil:
		d.scanned = nil
	case []byte:
		if err := json.Unmarshal(v, &stored); err != nil {
			return err
		}
		d.scanned = append(make([]byte, 0, len(v)), v...)
	default:
		return fmt.Errorf("holds %T where JSON belongs", src)
	}
	*d.of = stored
	return nil
}
