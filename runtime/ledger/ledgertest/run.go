// Package ledgertest is the conformance suite of ledger stores: every promise of ledger.Store as a test, run against a
// real store. Two stores are interchangeable when both pass.
package ledgertest

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Opener opens one ledger, and the same one each time it is called: several stores may be on it at once. A store reads
// its time from clock, also inside its transactions. What it opens is closed when the test ends.
type Opener func(clock func() time.Time) ledger.Store

// Run runs the suite. NewLedger prepares an empty ledger for one test.
func Run(t *testing.T, newLedger func(t *testing.T) Opener) {
	for _, group := range [][]conformance{
		insertTests, requestTests, swapTests, pairTests, capTests, listTests, queryTests, pruneTests,
		eventTests, clockTests, turnTests, holdTests, keyTests, raceTests,
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
