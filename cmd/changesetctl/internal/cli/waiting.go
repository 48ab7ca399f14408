package cli

import (
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// byOperator is the approval that a person gives.
const byOperator = "operator"

// waitsFor is whose move a change waits for; "" for nobody's.
func waitsFor(v runtime.View) string {
	switch {
	case v.InDoubt:
		return "reconcile"
	case v.Awaits == runtime.AwaitsApply && v.Approval == byOperator && v.Decision == nil:
		return "approval"
	case v.Awaits == runtime.AwaitsApply:
		return "agent"
	case v.Awaits == runtime.AwaitsUndo && !isYes(v.UndoDecision):
		return "undo approval"
	case v.Awaits == runtime.AwaitsUndo && v.UndoRequest.Channel == channel:
		return "server"
	case v.Awaits == runtime.AwaitsUndo:
		return "agent"
	}
	return ""
}

func isYes(d *ledger.Decision) bool { return d != nil && d.Verdict == ledger.Approved }
