package cli

import (
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What records say of who says yes, and of who asked.
const (
	byOperator = "operator" // the approval that a person gives
	agent      = "agent"    // the channel of what an agent asked for
)

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
	case v.Awaits == runtime.AwaitsUndo && v.UndoRequest.Channel != agent:
		return "server"
	case v.Awaits == runtime.AwaitsUndo:
		return "agent"
	}
	return ""
}

func isYes(d *ledger.Decision) bool { return d != nil && d.Verdict == ledger.Approved }
