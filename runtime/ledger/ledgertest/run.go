// Package ledgertest is the conformance suite of ledger stores: every promise of ledger.Store as a test, run against a
// real store. Two stores are interchangeable when both pass. Whoever writes a store runs it in a test of their own: Run, and
// RunJoin where the store is a ledger.Joiner.
//
// The suite knows a store by its interface alone. Whether it writes one change at a time, or many at once, or those that
// wait in one transaction, is for the store to choose: what comes of it is promised. What no test of one process can show
// is left to the store's own tests: that what was acknowledged survives a power loss, that a claim which waits for a lock
// of the database is judged by the time after the wait, and that a holder is found to be gone once its process died.
//
// Package faults has the calls of a store fail on purpose, for tests of what uses one.
package ledgertest

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Opener opens a store on one ledger, and on the same one each time it is called. Several are used at once, as if they were
// in several processes: they share nothing but the ledger. An Opener fails the test when it cannot open the store, and
// closes it when the test ends, unless the test did.
//
// A store reads its time from clock, instead of the clock that it reads otherwise, for whatever it writes down, compares
// with a limit, or gives back. It reads it once its turn has come and before it writes, and needs it for nothing else: a
// clock may stop whoever reads it for as long as a test likes. Where the time is the database's, it is read from clock at
// the moment the statement is sent, and goes with the statement. How long a Hold lasts without being renewed is no matter
// of clock.
//
// Calls may wait for each other for long, on a machine that is busy: a store that gives up waiting is opened with a
// minute of patience at least. What else it has to be given, such as a key of sensitive values, is the same for all of them.
type Opener func(clock func() time.Time) ledger.Store

// Run runs the suite, a subtest for each promise, all of them in parallel. NewLedger prepares an empty ledger for one
// subtest, which nothing else uses; what it has to clear away it leaves to t.Cleanup. The names of the subtests are
// stable: a store that cannot keep one of the promises is no store.
func Run(t *testing.T, newLedger func(t *testing.T) Opener) {
	for _, group := range [][]conformance{
		insertTests, requestTests, swapTests, pairTests, capTests, listTests, queryTests, pruneTests,
		eventTests, clockTests, turnTests, holdTests, keyTests, raceTests, batchTests,
	} {
		for _, c := range group {
			t.Run(c.promise, func(t *testing.T) {
				t.Parallel()
				c.test(t, newLedger(t))
			})
		}
	}
}

// conformance is one promise and the test that it is kept.
type conformance struct {
	promise string
	test    func(t *testing.T, open Opener)
}
