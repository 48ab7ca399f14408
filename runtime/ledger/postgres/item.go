package postgres

import (
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// item is one write of those that go to the database together, and what came of it.
type item struct {
	swaps     bool // else it inserts
	record    ledger.Record
	event     ledger.Event
	notAfter  time.Time // of a swap; zero: there is none
	caps      []ledger.Cap
	exclusive bool // its caps have been found to be too full for others to count at the same time
	waits     bool // for what others have locked, until the busy timeout is over; else briefly, and for no row

	verdict verdict
	done    bool // by its statement; the transaction may still fail
}

// verdict is what the statement of a write says of an item. That of the n-th cap is n more than the first.
type verdict int

const (
	free     verdict = iota // to be written, unless another write was quicker
	conflict                // the revision is another one, or there is no such record
	expired
	over                    // the holder
	outdated                // the program
	locked                  // the row, by somebody else, or there is none
	full     verdict = 1000 // the first of the caps
	unsure   verdict = 2000 // the first of the caps may be full by what others have not committed yet
)

// capOf is the cap that a verdict of a kind, full or unsure, is about.
func (i *item) capOf(kind verdict) (c ledger.Cap, isIt bool) {
	at := int(i.verdict - kind)
	if at < 0 || at >= len(i.caps) {
		return ledger.Cap{}, false
	}
	return i.caps[at], true
}

// claimant is the holder whose registration a swap needs if the record becomes what a claim makes of it; "" where it does not.
// Who is called as no holder is was never registered, and is never over.
func (i *item) claimant() string {
	claims := i.record.Status == ledger.Applying || i.record.Status == ledger.Undoing
	if !claims || !isHoldName(i.record.Holder) {
		return ""
	}
	return i.record.Holder
}

// needs is how likely an item needs a lock that others keep, among those that do not wait for rows: most of all that of a cap,
// and then what another insert adds.
func (i *item) needs() int {
	switch {
	case len(i.caps) > 0:
		return 2
	case !i.swaps:
		return 1
	}
	return 0
}

// id names an item among those of a batch.
func (i *item) id() string { return i.record.ID }

// replaces is the revision that a swap replaces; 0 of an insert.
func (i *item) replaces() int64 {
	if i.swaps {
		return i.record.Revision
	}
	return 0
}
