// Package memledger is a ledger in memory, for measurements in which what counts is the cost of everything else. It keeps
// every promise of a ledger.Store but the one that a write survives the process.
package memledger

import (
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Book is what the stores on one ledger share. It is safe for concurrent use.
type Book struct {
	turn chan struct{} // has room for the one that writes

	mu      sync.RWMutex
	entries map[string]*entry
	// byStatus are the entries of each status, of which guards ask for few: those that wait, are open, or were rejected.
	byStatus map[ledger.Status]map[string]*entry
	requests map[request]string // the ids of the changes that were requested
	retries  map[string]string  // the ids of the changes that try another one again
	newest   time.Time          // of all events
	holders  map[string]ledger.Liveness
	key      [32]byte
}

// entry is a change with its events.
type entry struct {
	record ledger.Record
	events []ledger.Event
}

// request is what no two changes have in common, unless the id is "".
type request struct{ id, server, operation, scope, caller string }

// New makes an empty ledger.
func New() *Book {
	b := &Book{
		turn: make(chan struct{}, 1), entries: map[string]*entry{}, byStatus: map[ledger.Status]map[string]*entry{},
		requests: map[request]string{}, retries: map[string]string{}, holders: map[string]ledger.Liveness{},
	}
	_, _ = rand.Read(b.key[:]) // never fails
	return b
}

// put stores a record at the revision it has, with the event that led to it. The caller holds the lock.
func (b *Book) put(r ledger.Record, at time.Time, e ledger.Event) {
	known := b.entries[r.ID]
	if known == nil {
		known = &entry{}
		b.entries[r.ID] = known
	} else {
		delete(b.byStatus[known.record.Status], r.ID)
	}
	r.UpdatedAt = at
	e.Seq, e.At = r.Revision, at
	known.record, known.events = r, append(known.events, e)
	if b.byStatus[r.Status] == nil {
		b.byStatus[r.Status] = map[string]*entry{}
	}
	b.byStatus[r.Status][r.ID] = known
	if r.RequestID != "" {
		b.requests[requestOf(&r)] = r.ID
	}
	if r.RetryOf != "" {
		b.retries[r.RetryOf] = r.ID
	}
	if b.newest.IsZero() || at.After(b.newest) {
		b.newest = at
	}
}

// drop forgets a record. The caller holds the lock.
func (b *Book) drop(r *ledger.Record) {
	delete(b.entries, r.ID)
	delete(b.byStatus[r.Status], r.ID)
	delete(b.requests, requestOf(r))
	delete(b.retries, r.RetryOf)
}

func requestOf(r *ledger.Record) request {
	return request{r.RequestID, r.Server, r.Operation, r.Scope, r.Caller}
}

// among gives the entries that a query can select: those of its statuses.
func (b *Book) among(q *ledger.Query, give func(*entry)) {
	groups := []map[string]*entry{b.entries}
	if q.Statuses != nil {
		groups = nil
		for _, status := range q.Statuses {
			groups = append(groups, b.byStatus[status])
		}
	}
	for _, group := range groups {
		for _, e := range group {
			give(e)
		}
	}
}

// selected are the records that match a query, in its order and from where it begins.
func (b *Book) selected(q ledger.Query, now time.Time) []*entry {
	found := map[string]*entry{} // a query may name a status twice
	b.among(&q, func(e *entry) {
		if matches(&e.record, &q, now) && (q.After == "" || q.Newest && e.record.ID < q.After || !q.Newest && e.record.ID > q.After) {
			found[e.record.ID] = e
		}
	})
	sorted := make([]*entry, 0, len(found))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		sorted = append(sorted, found[id])
	}
	if q.Newest {
		slices.Reverse(sorted)
	}
	return sorted
}
