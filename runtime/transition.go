package runtime

import (
	"errors"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// errNoTransition answers a request that leaves the change as it is, and has nothing to tell about that: the change is not
// where the request needs it to be, is under another claim, or is so already.
var errNoTransition = errors.New("the change is not in a state, or not under the claim, that allows this transition")

// moment is the time of a decision.
type moment struct {
	now    time.Time     // effective: never before any earlier decision
	behind time.Duration // how far the ledger's own clock is behind it
}

// policy is what the operator decides for all changes.
type policy struct {
	writes    bool
	writesEnv string // the environment variable that switches writes on
	maxSkew   time.Duration
}

// request is one thing asked of a change: a claim or a token for one, the outcome of a body, what a look found, the end of
// its time, or an operator's decision.
type request interface {
	// decide gives the record as it becomes, and the cause; it touches nothing else.
	decide(r ledger.Record, at moment, p policy) (ledger.Record, cause, error)
}

// cause says why a transition was made, for its event.
type cause struct {
	actor  string
	code   Code
	reason string
}

// The actors of events.
const (
	actorAgent    = "agent"
	actorGuard    = "guard"
	actorOperator = "operator"
)

// transition decides every move a change can make. It is pure: no clock, no database, no randomness. The error is a
// *refusal where an agent is to be told why not, a *decline where an operator is, else errNoTransition; the record is then
// as it was.
func transition(r ledger.Record, q request, at moment, p policy) (ledger.Record, ledger.Event, error) {
	next, why, err := q.decide(r, at, p)
	if err != nil {
		return r, ledger.Event{}, err
	}
	event := ledger.Event{Actor: why.actor, From: r.Status, To: next.Status, Code: string(why.code), Reason: why.reason}
	keepTexts(&r, &next, &event)
	return next, event, nil
}
