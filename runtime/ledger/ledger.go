// Package ledger defines the durable store of changes: the records, their events, and what a store must promise.
//
// A Store only inserts, reads, and compares-and-sets. Which transitions are allowed is decided elsewhere, by a pure
// function; the compare-and-set on one record is all the mutual exclusion there is. A store is safe for concurrent use
// by many goroutines, and several processes may have the same ledger open.
package ledger

import (
	"context"
	"errors"
	"time"
)

// What a Store answers besides success; match with errors.Is.
var (
	ErrExists      = errors.New("a record with this id exists")
	ErrNotFound    = errors.New("no such record")
	ErrConflict    = errors.New("the record has changed since it was read")
	ErrExpired     = errors.New("the time limit of the transition has passed")
	ErrBusy        = errors.New("the ledger is busy")
	ErrCorrupt     = errors.New("the ledger is corrupt")
	ErrUnsupported = errors.New("the ledger cannot be used by this program")
	// ErrUnavailable says that the ledger's disk does not do what it is asked to: it is full, fails, or is read-only.
	ErrUnavailable = errors.New("the ledger cannot be read or written")
)

// Store is a ledger. Every method that writes is one durable transaction: when it returns nil, what it wrote survives
// a power loss. ErrBusy, ErrConflict, ErrExpired and ErrExists mean that nothing was written; any other error of
// Insert or Swap leaves open whether it was, and the caller has to look.
//
// A caller that gives up while its call waits for its turn gets the context's error and nothing is written. Once the
// transaction has begun, the context is ignored and the verdict is awaited.
type Store interface {
	// Insert adds a record with its first event. The record's Revision is stored as 1.
	// ErrExists if there is a record of that id.
	Insert(ctx context.Context, r Record, e Event) error

	// Get reads a record and the store's clock. ErrNotFound if there is none; the Clock is then valid all the same.
	Get(ctx context.Context, id string) (Record, Clock, error)

	// Swap replaces the mutable fields of a record with those of r, adds e, and raises the revision by one, if the
	// stored revision is r.Revision; else ErrConflict. With a notAfter that is not zero it is ErrExpired when the
	// store's clock, read inside the transaction, is at or after it.
	Swap(ctx context.Context, r Record, notAfter time.Time, e Event) error

	// List returns the records that match q, oldest first.
	List(ctx context.Context, q Query) ([]Record, error)

	// Events returns the events of a record, oldest first; none if there is no such record.
	Events(ctx context.Context, id string) ([]Event, error)

	// Now reads the store's clock.
	Now(ctx context.Context) (Clock, error)

	// Hold registers the caller among those who may claim, for as long as its process lives or until Release.
	Hold(ctx context.Context) (Hold, error)

	// Holder says whether the holder of that name, one's own or another's, is still there.
	Holder(ctx context.Context, name string) (Liveness, error)

	// Close frees what the store has open. Holds are not released by it.
	Close() error
}

// Clock is the store's view of time.
type Clock struct {
	Now    time.Time // the store's clock, UTC, to the millisecond
	Newest time.Time // the latest time of any event in the ledger; zero in an empty one
}

// Hold is one holder's registration. Its name is written into every claim.
type Hold interface {
	// Name is random and never used again.
	Name() string
	// Release gives the registration up. The caller must not have a body running. Claims that it leaves open are
	// seen as those of a holder that is gone.
	Release() error
}

// Liveness says what is known of a holder.
type Liveness int

// What may be known of a holder. Only Gone is proof.
const (
	Unknown Liveness = iota
	Alive
	Gone
)

// Query selects records. Zero fields select everything.
type Query struct {
	Statuses []Status
	Server   string
	After    string // only records with an id after this one, for the next page
	Limit    int    // 0: 1,000
}

// Event is one transition of a record, written in its transaction. The store numbers the events of a record from 1 and
// stamps the time.
type Event struct {
	Seq    int64
	At     time.Time
	Actor  string // agent, guard, or operator
	From   Status // "" for the first
	To     Status
	Code   string // a stable code of the cause, or ""
	Reason string // for operators; never holds a token
}
