package spec

import (
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// checkApproval reads who says yes to an apply and to an undo. The yes to an undo is that of the apply if nothing is said
// of it, and never under a condition: what it would look at may be gone by then.
func (c *checker) checkApproval(d *declaredOperation, op *Operation, r *resource) {
	op.Approval = approvalOf(d.policy.approval, ByToken)
	if d.policy.when != nil {
		op.ApprovalWhen = c.checkWhen(d, op, r)
	}
	if op.Undo != BodyNone {
		op.UndoApproval = approvalOf(d.policy.undoApproval, op.Approval)
	}
}

func approvalOf(node *document.Node, otherwise Approval) Approval {
	if node == nil {
		return otherwise
	}
	return Approval(node.Text)
}

// checkWhen reads the condition under which a person is asked. It is about what the preview looked at, so that it is told
// once and then bound: a value that may change unnoticed would let a change through that nobody was asked about.
func (c *checker) checkWhen(d *declaredOperation, op *Operation, r *resource) *expr.Condition {
	node := d.policy.when
	if op.Approval == ByToken && d.policy.approval != nil {
		c.faultsOf(op, diag.List{node.KeyFault(diag.IdleKey, "write by: operator, or take it out", "every change needs its token, whatever it changes")})
	}
	scope := op.payloadScope()
	if r.Absent != ExistsRefused { // there is nothing then
		scope = append(scope, r.stateScope(expr.State)...)
	}
	condition := c.condition(node, op, scope, insteadOfWhen)
	for _, path := range condition.Paths() {
		known := path.Of.Use.Type.Kind != schema.Invalid // or else it is reported
		if path.Root == expr.State && len(path.Fields) > 0 && known && !r.binds(path) {
			fault := node.Fault(diag.BadCondition, "add it to bind, or take it out of volatile",
				"%s may change before apply without being noticed", diag.Quote(path.String()))
			fault.Pos = path.At
			c.faultsOf(op, diag.List{fault})
		}
	}
	return condition
}

// What to do where one comparison is not enough.
const (
	insteadOfWhen     = "without when, every change needs the yes"
	insteadOfDoneWhen = "with reconcile: go, a method finds out more"
)

// condition reads a condition; nil if it is at fault. What to do instead is said where one comparison is not enough.
func (c *checker) condition(node *document.Node, op *Operation, scope expr.Scope, instead string) *expr.Condition {
	read, faults := expr.ReadCondition(node, scope)
	for i := range faults {
		if faults[i].Hint == expr.WriteEquals {
			faults[i].Hint += "; " + instead
		}
	}
	c.faultsOf(op, faults)
	if read != nil {
		c.checkMarkedAlike(node, read.Left, read.Right, op)
	}
	return read
}
