package postgres

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// A cap is counted under a lock of the database that everybody takes who writes under that cap, in a statement before: what
// the count does not see must have been begun after it. So that writes under a cap that is far from full do not wait for each
// other's commits, they share the lock, and go through only while the count is below the cap by slack, which is as many as
// all connections of the server can write in one transaction each.
//
// So a cap is never exceeded. Of all the statements that went through while the lock was shared, look at the one whose
// snapshot is the latest. The others that it did not count were begun before that snapshot and were not committed by then:
// they are of transactions that were open at that moment. There is at most one for each connection, its own among them, and
// each writes at most mostItems. It counted fewer than the cap less slack, so that all of them together are within the cap.
// Nearer to the cap the lock is exclusive. Its holder sees all that was written under the lock, and waits for those who
// share it.
//
// Caps that count the same changes must have a lock in common, also where one server knows an operation by one name more than
// another, or counts for all callers what another counts for each. So a cap has a lock for each name of an operation that it
// counts, whatever else it asks for. One that names no operation, as of what waits, is kept only among those that ask for the
// same: the previews of one caller do not wait for those of another.

// mostItems is how many items go to the database in one transaction.
const mostItems = 64

// noServer is what a server that does not say how many connections it takes is taken to take: too many for a lock to be
// shared.
const noServer = 1 << 40

// locks are those of the caps of a transaction: whether each is exclusive.
type locks map[int64]bool

// locksOf are the numbers of the locks of a cap. Where two happen to be the same, some wait more.
func (o *options) locksOf(c ledger.Cap) (keys []int64) {
	if len(c.Of.Operations) == 0 {
		return []int64{o.lockOf(c.Of)}
	}
	for _, operation := range c.Of.Operations {
		keys = append(keys, o.lockOf(ledger.Query{Server: c.Of.Server, Operations: []string{operation}}))
	}
	return keys
}

// lockOf is the number of a lock.
func (o *options) lockOf(q ledger.Query) int64 {
	of, _ := json.Marshal(q) // of texts, numbers and times
	digest := sha256.Sum256(append([]byte("cap\n"+o.schema+"\n"), of...))
	return int64(binary.BigEndian.Uint64(digest[:]))
}

// locksFor are those that items need.
func (s *Store) locksFor(items []*item) locks {
	needed := locks{}
	for _, i := range items {
		for _, c := range i.caps {
			never := int64(c.Max) <= s.connections.Load()*mostItems
			for _, key := range s.locksOf(c) {
				needed[key] = needed[key] || i.exclusive || never
			}
		}
	}
	return needed
}

// exclusive tells whether nobody else writes what a cap counts.
func (l locks) exclusive(o *options, c ledger.Cap) bool {
	return !slices.ContainsFunc(o.locksOf(c), func(key int64) bool { return !l[key] })
}

// statement takes the locks, in an order that is the same for all, and waits that long for each. It is the first of its transaction.
func (l locks) statement(o *options, wait time.Duration) (query string, args []any) {
	keys := make([]int64, 0, len(l))
	for key := range l {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, cmp.Compare)
	exclusive := make([]bool, len(keys))
	for n, key := range keys {
		exclusive[n] = l[key]
	}
	var c clause
	o.addSettings(&c, wait)
	c.add(` SELECT count(CASE WHEN exclusive THEN pg_advisory_xact_lock(key)::text ELSE pg_advisory_xact_lock_shared(key)::text END), `+alive+`
FROM settings CROSS JOIN unnest(?::bigint[], ?::boolean[]) AS locks (key, exclusive)`, keys, exclusive)
	return c.statement(o)
}

// addCounts is the clause that counts for the caps of an item, whose own record does not count. Only a verdict that asks has
// it counted.
func addCounts(c *clause, i *item) {
	if len(i.caps) == 0 {
		return
	}
	c.add(fmt.Sprintf(",\ncounts AS MATERIALIZED (\n\tSELECT coalesce(current_setting('max_connections', true)::bigint, %d) AS connections", noServer))
	for n, one := range i.caps {
		of := selected(one.Of)
		of.Where("id <> ?", i.id())
		query, args := of.UpTo(one.Max)
		c.add(fmt.Sprintf(",\n\t\t(%s) AS c%d", query, n), storedArgs(args)...)
	}
	c.add("\n)")
}

// addVerdicts are the branches of a verdict for the caps of an item, in their order.
func (l locks) addVerdicts(c *clause, o *options, i *item) {
	for n, one := range i.caps {
		unseen := mostItems
		if l.exclusive(o, one) {
			unseen = 0
		}
		c.add(fmt.Sprintf("\n\t\tWHEN (SELECT c%d FROM counts) >= ?::bigint THEN %d", n, int(full)+n), one.Max)
		c.add(fmt.Sprintf("\n\t\tWHEN (SELECT c%d >= ?::bigint - connections * ?::bigint FROM counts) THEN %d", n, int(unsure)+n), one.Max, unseen)
	}
}
