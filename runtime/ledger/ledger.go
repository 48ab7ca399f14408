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
	// ErrRequested says that there is a record with this request id of the same server, operation, scope and caller, or
	// one that tries the same change again.
	ErrRequested = errors.New("a record of this request exists")
	// ErrCap is what every *CapError is.
	ErrCap = errors.New("a limit of the ledger is reached")
	// ErrUnavailable says that what the ledger is kept in does not do what it is asked to: its disk is full, fails, or is
	// read-only, or its database cannot be reached.
	ErrUnavailable = errors.New("the ledger cannot be read or written")
	// ErrHoldOver says that the Hold of a claim is over: others may be looking at what it left already.
	ErrHoldOver = errors.New("the holder of the claim is not registered any more")
)

// Store is a ledger. Every method that writes is one durable transaction: when it returns nil, what it wrote survives
// a power loss. ErrBusy, ErrConflict, ErrExpired, ErrExists, ErrRequested, ErrHoldOver and ErrCap mean that nothing was
// written; any other error of a write leaves open whether it was, and the caller has to look. What Get tells after a Swap that
// ended so is what stays: a write that is still on its way then, in a network, comes to nothing. A store that can lose sight of
// its writes has that from an event of its own, of CodeWithdrawn, which moves the record to another revision.
//
// A caller that gives up while its call waits for its turn gets the context's error and nothing is written. Once the
// transaction has begun, the context is ignored and the verdict is awaited.
type Store interface {
	// Insert adds a record with its first event, if every cap has room. The record's Revision is stored as 1.
	// ErrExists if there is a record of that id, ErrRequested if there is one of that request or of that RetryOf.
	Insert(ctx context.Context, r Record, e Event, caps ...Cap) error

	// Get reads a record and the store's clock. ErrNotFound if there is none; the Clock is then valid all the same.
	Get(ctx context.Context, id string) (Record, Clock, error)

	// Swap replaces the mutable fields of a record with those of r, adds e, and raises the revision by one, if the
	// stored revision is r.Revision; else ErrConflict. With a notAfter that is not zero it is ErrExpired when the
	// store's clock, read inside the transaction, is at or after it. Caps are counted in the same transaction. With a
	// record that becomes applying or undoing it is ErrHoldOver when the Hold named there is known to be over.
	Swap(ctx context.Context, r Record, notAfter time.Time, e Event, caps ...Cap) error

	// SwapInsert is a Swap of old without limits and an Insert of fresh with these caps, both or neither.
	SwapInsert(ctx context.Context, old Record, e Event, fresh Record, first Event, caps ...Cap) error

	// List returns the records that match q, oldest first, or newest first with q.Newest. With a *DamagedError it returns
	// those before the record that is damaged; the next page begins after that.
	List(ctx context.Context, q Query) ([]Record, error)

	// Count returns how many records match q on all pages, whatever its Limit and After.
	Count(ctx context.Context, q Query) (int, error)

	// Prune deletes the oldest records that match q with their events, at most limit of them, and returns how many that
	// were, even with an error. Whatever q says, it deletes nothing pending, applying or undoing; and nothing applied
	// unless q names that status, and then only where undo is over. It begins after q.After, and takes no notice of q's
	// Newest and Limit. Each record goes as a whole; all of them do not go at once, and writes of others come between.
	Prune(ctx context.Context, q Query, limit int) (int, error)

	// Events returns the events of a record, oldest first; none if there is no such record.
	Events(ctx context.Context, id string) ([]Event, error)

	// Now reads the store's clock.
	Now(ctx context.Context) (Clock, error)

	// Hold registers the caller among those who may claim, for as long as its process lives, or is heard of, or until
	// Release.
	Hold(ctx context.Context) (Hold, error)

	// Holder says whether the holder of that name, one's own or another's, is still there.
	Holder(ctx context.Context, name string) (Liveness, error)

	// SensitiveKey is the key of the hashes of what must not be guessed. It is made when it is first asked for, is the
	// same for all who share the ledger, and is no part of what List and Get return. ErrUnsupported says that it was lost,
	// or is another one than the ledger's.
	SensitiveKey(ctx context.Context) ([]byte, error)

	// Close frees what the store has open. Holds are not released by it.
	Close() error
}

// Joiner is a Store in whose database others keep data of their own, which they can change in the transaction that records
// the change.
type Joiner interface {
	Store

	// Join begins a transaction, calls body with a context that carries it, does in it what Swap does with the record and
	// event that body returns, and commits all of it. The package of the store says how body comes by the transaction from
	// its context. When body fails or panics, or ctx is over before the commit, nothing is written, whatever body did; nor
	// is it when body ended the transaction itself, or tried to. The error is then one that wraps ErrRolledBack beside the
	// cause; a panic is passed on. The errors of Swap mean that nothing was written. Any other leaves open whether all of it
	// was, or nothing: never a part. Once the record is at another revision, as after a Swap, it never will be.
	//
	// Body has to return when its context is over: others wait until it has. It must not call the store.
	Join(ctx context.Context, body func(ctx context.Context) (Record, Event, error)) error

	// JoinLimit is how long a body may take without keeping others from the ledger for too long; 0: it keeps nobody.
	JoinLimit() time.Duration
}

// ErrRolledBack says of a Join that nothing of it was written.
var ErrRolledBack = errors.New("nothing was written: the transaction was rolled back")

// ErrOvertaken says of a Join, beside ErrRolledBack, that others have changed since the first look of its transaction what body
// was to change.
var ErrOvertaken = errors.New("others have changed it since it was looked at")

// Cap lets a write go through only while fewer than Max records match Of. They are counted inside the transaction of
// the write, and the record that is written is not counted.
type Cap struct {
	Of  Query
	Max int
}

// CapError says which of the caps of a write had no room. It is ErrCap.
type CapError struct{ Cap Cap }

func (e *CapError) Error() string { return ErrCap.Error() }

// Is tells that e is ErrCap.
func (e *CapError) Is(target error) bool { return target == ErrCap }

// DamagedError says that one record cannot be read, and nothing of the others. It is ErrCorrupt.
type DamagedError struct {
	ID  string // "" where that is damaged too, so that nobody knows what comes behind the record
	Err error
}

func (e *DamagedError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *DamagedError) Unwrap() error { return e.Err }

// Is tells that e is ErrCorrupt.
func (e *DamagedError) Is(target error) bool { return target == ErrCorrupt }

// Clock is the store's view of time.
type Clock struct {
	Now    time.Time // the store's clock, UTC, to the millisecond
	Newest time.Time // the latest time of any event in the ledger; zero in an empty one
}

// Hold is one holder's registration. Its name is written into every claim.
type Hold interface {
	// Name is random and never used again.
	Name() string
	// Lost is closed when others may soon take the holder for gone although its process lives: the ledger has not been
	// reached for most of the time that a registration lasts without being renewed, or says that it is over. Nothing is to be
	// claimed with it any more, and what it has claimed is to be brought to an end. The channel is the same each time, and is
	// closed when Lost returns if that is so by the clocks at that moment: whoever is about to begin something asks anew. It is
	// nil where a registration lasts exactly as long as the process.
	Lost() <-chan struct{}
	// Release gives the registration up. The caller must not have a body running. Claims that it leaves open are
	// seen as those of a holder that is gone. When it fails it may be called again; once it did not, that does nothing.
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

// String is how people are told.
func (l Liveness) String() string {
	switch l {
	case Alive:
		return "alive"
	case Gone:
		return "gone"
	}
	return "unknown"
}

// MarshalText names it in JSON.
func (l Liveness) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Query selects records. Zero fields select everything.
type Query struct {
	Statuses    []Status
	Server      string
	Operations  []string // any of these
	By          *Party   // only of that scope and caller
	RequestID   string
	PayloadHash string
	RetryOf     string

	UpdatedBefore time.Time     // only records whose last event was before it
	UpdatedWithin time.Duration // only records whose last event was less than that ago, by the store's clock
	ClaimedWithin time.Duration // only records whose ClaimedAt is less than that ago, by the store's clock
	Unexpired     bool          // only records whose ExpiresAt is after the store's clock
	UndoOver      bool          // only settled records that no undo token can be used on any more, by the store's clock
	UndoRequested bool          // only applied records with an UndoRequest
	Joined        bool          // only records with Joined
	IDs           []string      // only these records; none of them if it is empty and not nil

	Newest bool   // newest first
	After  string // only records that come after this id, in the order asked for: the next page
	Limit  int    // 0: 1,000
}

// Party is whom a record acts for, as it stores them.
type Party struct{ Scope, Caller string }

// CodeWithdrawn is the code of an event by which a store moves a record to another revision and changes nothing else of it, so
// that a write that nobody answered for cannot come later. Its actor is ledger.
const CodeWithdrawn = "withdrawn"

// Event is one transition of a record, written in its transaction. The store numbers the events of a record from 1 and
// stamps the time.
type Event struct {
	Seq    int64
	At     time.Time
	Actor  string // agent, guard, operator, or ledger
	From   Status // "" for the first
	To     Status
	Code   string // a stable code of the cause, or ""
	Reason string // for operators; never holds a token
}
