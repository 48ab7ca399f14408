package spec

import (
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// Policy is what a spec says of how changes of an operation are guarded, beyond what a guard does for every change. The
// zero Policy adds nothing.
type Policy struct {
	Approval     Approval        // who says yes to an apply
	ApprovalWhen *expr.Condition // the changes that need that yes; nil: every one does
	UndoApproval Approval        // who says yes to an undo
	Limits       Limits

	DoneWhen  *expr.Condition // tells from a fresh state whether an apply in doubt was done; nil: nothing does
	Reconcile BodyKind        // finds that out where DoneWhen does not
	Retry     bool            // an apply that is proved to have written nothing may be tried again

	Joined            bool     // the bodies write to the database of the ledger alone, in the transaction that records the change
	AllowNoChange     bool     // a preview whose rows change nothing is one like any other
	UndoWithoutResult bool     // undo runs where the result was not kept
	Revision          string   // of the hand-written bodies; "" if nothing is said
	Aliases           []string // what the operation was called before
	ClosedWorld       bool     // the bodies reach nothing outside the server's own system
	ToolNames         ToolNames
}

// checkPolicy reads how changes of an operation are guarded. All else of the operation is known.
func (c *checker) checkPolicy(d *declaredOperation, op *Operation, r *resource) {
	c.checkWord(d.policy.revision)
	op.Revision = strings.TrimSpace(textOf(d.policy.revision))
	op.Retry = d.policy.retry != nil
	op.AllowNoChange = d.policy.noChange != nil
	op.ClosedWorld = isFalse(d.policy.openWorld)
	c.checkApproval(d, op, r)
	c.checkReconcile(d, op, r)
	c.checkJoined(d, op, r)
	c.checkNeedsResult(d, op, r)
	c.checkLimits(d, op)
}

// checkUnusedPolicy checks the form of what defaults say of the guarding of operations that take none of it.
func (c *checker) checkUnusedPolicy(d *declaredOperation) {
	nothing := &Operation{Payload: new(schema.Type)}
	c.checkWord(d.policy.revision)
	c.checkLimits(d, nothing)
	if d.policy.when != nil {
		c.condition(d.policy.when, nothing, anything, insteadOfWhen)
	}
	if d.policy.doneWhen != nil {
		c.condition(d.policy.doneWhen, nothing, anything, insteadOfDoneWhen)
	}
	for _, node := range d.policy.aliases {
		c.checkAliasName(node, nothing)
	}
	for _, key := range []string{"preview", "apply", "undo"} {
		if node := text(d.policy.toolNames.Get(key)); node != nil {
			c.checkToolName(nothing, ownTool{node.Text, node, true})
		}
	}
}

// Approval is who says yes to a change. None is that of an undo that there is not.
type Approval string

// Those who may say yes.
const (
	ByToken    Approval = "token"    // whoever presents the token
	ByOperator Approval = "operator" // a person, in a channel that the agent cannot reach
)

// Limits bound what an operation may do. Zero fields bound nothing.
type Limits struct {
	Changes  int           // how many changes may be claimed in any time of length Per
	Per      time.Duration // with Changes
	OfAll    bool          // Changes counts those of all callers of the server together
	Items    *expr.Path    // what counts the things that a change affects: a list, or an integer
	MaxItems int           // with Items
}

// ToolNames are names of tools that an operation chooses; "" is one that is made of its own name.
type ToolNames struct{ Preview, Apply, Undo string }
