package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
)

// checkReconcile reads how it is found out whether an apply in doubt was done. The look is a fresh one, the one after
// apply if there is another, which may find nothing whatever the first one had to find. A default condition is for
// operations that look at something.
func (c *checker) checkReconcile(d *declaredOperation, op *Operation, r *resource) {
	if d.policy.goes {
		op.Reconcile = BodyGo
	}
	node := d.policy.doneWhen
	if node == nil {
		return
	}
	own := d.node.Get("reconcile") != nil
	if len(r.stateScope(expr.State)) == 0 && !own {
		c.condition(node, op, anything, insteadOfDoneWhen) // for its form
		return
	}
	scope := op.payloadScope()
	for _, state := range r.stateScope(expr.State) {
		state.MayBeAbsent = true
		scope = append(scope, state)
	}
	op.DoneWhen = c.condition(node, op, scope, insteadOfDoneWhen)
	if op.DoneWhen != nil && op.looksByResult(r) {
		c.faultsOf(op, diag.List{node.KeyFault(diag.BadCondition, "write reconcile: go",
			"the look after apply needs the result, which nobody has of an apply in doubt")})
	}
	isState := func(path *expr.Path) bool { return path.Root == expr.State }
	if op.DoneWhen != nil && !slices.ContainsFunc(op.DoneWhen.Paths(), isState) {
		c.faultsOf(op, diag.List{node.Fault(diag.BadCondition, "write state.x == payload.x",
			"the condition says nothing of the state, so that it is the same before and after apply")})
	}
}

// checkNeedsResult reads whether an undo needs what apply returned. Where the look after apply needs it, so does undo.
func (c *checker) checkNeedsResult(d *declaredOperation, op *Operation, r *resource) {
	node := d.policy.undoNeedsResult
	if !node.Is(document.Boolean) || op.Undo == BodyNone {
		return
	}
	own := d.node.Get("undo_needs_result") != nil
	switch looksByResult := op.looksByResult(r); {
	case op.Result == nil && d.node.Get("result") == nil && own:
		c.fault(node.KeyFault(diag.IdleKey, "take it out, or write result: and its schema", "apply returns no result that an undo could need"))
	case !isFalse(node):
	case looksByResult && own:
		c.fault(node.KeyFault(diag.IdleKey, "take it out", "the look after apply needs the result, and undo needs that look"))
	default:
		op.UndoWithoutResult = op.Result != nil && !looksByResult
	}
}

// looksByResult tells whether the look after apply is given the result.
func (op *Operation) looksByResult(r *resource) bool {
	byQuery := slices.ContainsFunc(op.AfterArgs, func(node expr.Node) bool {
		path, ok := node.(*expr.Path)
		return ok && path.Root == expr.Result
	})
	return byQuery || op.Result != nil && r.After != nil && r.After.Kind == ObserveGo
}
