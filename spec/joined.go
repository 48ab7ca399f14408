package spec

import "github.com/changesetgen/changesetgen/spec/diag"

// checkJoined reads whether the bodies write in the transaction of the ledger. It is theirs alone to look in: a generated
// query has a connection of its own, which does not see what they wrote. There is no doubt about them to end.
func (c *checker) checkJoined(d *declaredOperation, op *Operation, r *resource) {
	node := d.policy.joined
	if !isTrue(node) {
		return
	}
	op.Joined = true
	if r.Observe.Kind == ObserveSQL || r.After != nil && r.After.Kind == ObserveSQL {
		c.faultsOf(op, diag.List{node.KeyFault(diag.JoinedLook, "write observe: {go: true}, and look with sqlite.Tx or postgres.Tx",
			"a query of the spec looks beside the transaction that the bodies write in")})
	}
	if reconcile := d.node.Get("reconcile"); reconcile != nil {
		c.faultsOf(op, diag.List{reconcile.KeyFault(diag.IdleKey, "take it out", "a joined change is never in doubt")})
	}
	op.Reconcile, op.DoneWhen = BodyNone, nil
}
