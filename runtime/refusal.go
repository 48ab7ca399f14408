package runtime

import (
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// refusal is one complete answer that says no: what was wrong, and what to do next. It holds no token but a new one
// to undo, or one to try again.
type refusal struct {
	code          Code
	message, hint string
	changeID      string
	status        ledger.Status
	server        string // of the change; for events
	operation     string // as server
	changed       []state.Difference
	violations    []payload.Violation
	result        []byte     // canonical JSON of a stored result
	resultFlaw    string     // why there is none
	lookNeeded    bool       // a look that failed after apply has to be made up for
	asksUndo      bool       // an undo that waits for a person, who has to be told of it
	asksYes       *askForYes // a mark that the change waits for a person, if the record does not say so
	renewable     bool       // the caller may have a new undo token
	undoToken     string     // a new one, for whoever repeats an apply with its token
	undoExpires   string     // when it does; "" for never
	retry         *offer     // the change that tries this one again
	roomAt        time.Time  // when a limit has room again
	passes        bool       // its cause goes by: the same call is right again later, here or with another guard
}

func (r *refusal) Error() string { return string(r.code) + ": " + r.message }

// about names the change that the refusal is about, and where it stands.
func (r *refusal) about(change *ledger.Record) *refusal {
	r.changeID, r.status = change.ID, change.Status
	r.server, r.operation = change.Server, change.Operation
	return r
}

// alike names the change that another refusal is about, and where it stands.
func (r *refusal) alike(other *refusal) *refusal {
	r.changeID, r.status = other.changeID, other.status
	r.server, r.operation = other.server, other.operation
	return r
}
