package faults

import (
	"fmt"
	"math/rand/v2"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Method is which method of a store was called.
type Method string

// The methods that faults come in between. Close goes through.
const (
	Insert       Method = "Insert"
	Get          Method = "Get"
	Swap         Method = "Swap"
	SwapInsert   Method = "SwapInsert"
	List         Method = "List"
	Count        Method = "Count"
	Prune        Method = "Prune"
	Events       Method = "Events"
	Now          Method = "Now"
	Hold         Method = "Hold"
	Release      Method = "Release" // of a Hold
	Holder       Method = "Holder"
	SensitiveKey Method = "SensitiveKey"
	Join         Method = "Join"
	// Commit is within a Join: the body has returned, and nothing is committed. Whatever fails here has all of it rolled back.
	Commit Method = "Commit"
)

// Call is one call of a store.
type Call struct {
	N, Nth int // its number of all calls, and of those of the method, since the plan was given; from 1
	Method Method

	Change string         // the id of the change that it is about; "" for none
	Record *ledger.Record // that is written; of SwapInsert the old one. Nil for what writes none. Not to be changed
	Event  ledger.Event   // that is written with it
	Query  ledger.Query   // of List, Count and Prune
	Holder string         // whom Holder asks about, or who is released
}

// String tells of the call: "call 7, Swap 2 of chg_1 to applying".
func (c Call) String() string {
	text := fmt.Sprintf("call %d, %s %d", c.N, c.Method, c.Nth)
	if c.Change != "" {
		text += " of " + c.Change
	}
	if c.Event.To != "" {
		text += " to " + string(c.Event.To)
	}
	if c.Holder != "" {
		text += " of " + c.Holder
	}
	return text
}

// Plan says what comes in between a call. It is asked once for each call, for one at a time, in the order of their numbers.
// It must not call the Store; what it gives may. Nil is a plan without faults.
type Plan func(Call) Fault

// Nth has the fault come at the n-th call from now on, whatever it is.
func Nth(n int, f Fault) Plan {
	return func(c Call) Fault {
		if c.N == n {
			return f
		}
		return Fault{}
	}
}

// NthOf has the fault come at the n-th call of a method from now on.
func NthOf(m Method, n int, f Fault) Plan {
	return func(c Call) Fault {
		if c.Method == m && c.Nth == n {
			return f
		}
		return Fault{}
	}
}

// Share is how often a fault comes: in so many of 10,000 calls.
type Share struct {
	Of    int
	Fault Fault
}

// outOf is what shares are of.
const outOf = 10_000

// Seeded draws a fault for each call. The n-th call has the same fault whenever the seed is the same, whatever comes between
// the others; which call is the n-th is up to those who make them.
func Seeded(seed uint64, shares ...Share) Plan {
	return func(c Call) Fault {
		drawn := rand.New(rand.NewPCG(seed, uint64(c.N))).IntN(outOf)
		for _, s := range shares {
			if drawn -= s.Of; drawn < 0 {
				return s.Fault
			}
		}
		return Fault{}
	}
}
