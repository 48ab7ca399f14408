package spec_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec"
)

// policyOf is that of the only operation of a spec, without its expressions.
func policyOf(t *testing.T, operation string) spec.Policy {
	t.Helper()
	policy := accept(t, minimal("", operation)).Operations[0].Policy
	policy.DoneWhen, policy.ApprovalWhen, policy.Limits.Items = nil, nil, nil
	return policy
}

func TestPolicyIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	const nothing = "observe: none\n"
	for _, test := range []struct {
		name, operation string
		want            spec.Policy
	}{
		{"nothing", nothing, spec.Policy{Approval: spec.ByToken, UndoApproval: spec.ByToken}},
		{"an operator", nothing + "approval: operator", spec.Policy{Approval: spec.ByOperator, UndoApproval: spec.ByOperator}},
		{"an operator in a map", nothing + "approval: {by: operator}", spec.Policy{Approval: spec.ByOperator, UndoApproval: spec.ByOperator}},
		{"an operator for the undo alone", nothing + "undo_approval: operator", spec.Policy{Approval: spec.ByToken, UndoApproval: spec.ByOperator}},
		{"an operator for apply alone", nothing + "approval: operator\nundo_approval: {by: token}", spec.Policy{Approval: spec.ByOperator, UndoApproval: spec.ByToken}},
		{"an operator under a condition", nothing + "approval: {by: operator, when: payload.id == 'x'}", spec.Policy{Approval: spec.ByOperator, UndoApproval: spec.ByOperator}},
		{"limits of each caller", nothing + "limits: {changes: 20, per: 7d, by: caller}",
			spec.Policy{Approval: spec.ByToken, UndoApproval: spec.ByToken, Limits: spec.Limits{Changes: 20, Per: 7 * 24 * time.Hour}}},
		{"limits of all", nothing + "limits: {changes: 1e1, per: 1s, by: ledger}",
			spec.Policy{Approval: spec.ByToken, UndoApproval: spec.ByToken, Limits: spec.Limits{Changes: 10, Per: time.Second, OfAll: true}}},
		{"words", nothing + "retry: if_not_applied\nno_change: never\nreconcile: go\nrevision: ' 2 '\naliases: [b, a]\nannotations: {open_world: false}",
			spec.Policy{Approval: spec.ByToken, UndoApproval: spec.ByToken, Retry: true, AllowNoChange: true, Reconcile: spec.BodyGo, Revision: "2", Aliases: []string{"b", "a"}, ClosedWorld: true}},
		{"words that say what holds anyway", nothing + "result: {type: object, properties: {}}\nundo_needs_result: true\nannotations: {open_world: true}\napproval: token", spec.Policy{Approval: spec.ByToken, UndoApproval: spec.ByToken}},
		{"undo without the result", nothing + "result: {type: object, properties: {}}\nundo_needs_result: false",
			spec.Policy{Approval: spec.ByToken, UndoApproval: spec.ByToken, UndoWithoutResult: true}},
		{"joined", nothing + "joined: true", spec.Policy{Approval: spec.ByToken, UndoApproval: spec.ByToken, Joined: true}},
		{"not joined", nothing + "joined: false", spec.Policy{Approval: spec.ByToken, UndoApproval: spec.ByToken}},
		{"names of tools", nothing + "tool_names: {preview: Show-it, undo: _back}",
			spec.Policy{Approval: spec.ByToken, UndoApproval: spec.ByToken, ToolNames: spec.ToolNames{Preview: "Show-it", Undo: "_back"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, policyOf(t, test.operation)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What an operation inherits and has no use for is left out in silence; what it writes itself is not.
func TestDefaultsThatAnOperationHasNoUseForAreLeftOut(t *testing.T) {
	t.Parallel()
	src := minimal("defaults: {undo_needs_result: false, undo_approval: operator, tool_names: {undo: take_back}}", "observe: none")
	withoutUndo := accept(t, strings.Replace(src, "undo: go", "undo: none", 1)).Operations[0]
	if withoutUndo.UndoApproval != "" || withoutUndo.UndoWithoutResult || withoutUndo.ToolNames != (spec.ToolNames{}) {
		t.Errorf("an operation without an undo has %+v", withoutUndo.Policy)
	}
	if op := accept(t, src).Operations[0]; op.UndoWithoutResult || op.UndoApproval != spec.ByOperator {
		t.Errorf("an operation without a result has %+v", op.Policy)
	}
}

// What is found by a look is no default for an operation that looks at nothing; a method finds out without one.
func TestDefaultDoneWhenIsForOperationsThatLook(t *testing.T) {
	t.Parallel()
	op := accept(t, minimal("defaults: {reconcile: {done_when: state.v == payload.id}}", "observe: none")).Operations[0]
	if op.DoneWhen != nil {
		t.Errorf("done when %v", op.DoneWhen.Paths())
	}
	if op = accept(t, minimal("defaults: {reconcile: go}", "observe: none")).Operations[0]; op.Reconcile != spec.BodyGo {
		t.Error("no method finds out")
	}
}

func TestConditionsAndLimitsKeepTheirPaths(t *testing.T) {
	t.Parallel()
	op := accept(t, minimal("", `
observe: {go: true}
state: {type: object, required: [id], properties: {id: {type: string}}}
approval: {by: operator, when: "payload.id == 'x'"}
reconcile: {done_when: state.id == payload.id}
`)).Operations[0]
	if got := op.ApprovalWhen.Left.String(); got != "payload.id" {
		t.Errorf("approval when %s", got)
	}
	if paths := op.DoneWhen.Paths(); len(paths) != 2 || paths[0].String() != "state.id" || paths[1].String() != "payload.id" || !paths[0].Type().MayBeAbsent {
		t.Errorf("done when %v", paths)
	}
	items := accept(t, withPayload("", "ids: {type: array, items: {type: string}, default: []}")+"    limits: {items: payload.ids, max_items: 3}\n").Operations[0].Limits
	if items.Items.String() != "payload.ids" || items.MaxItems != 3 {
		t.Errorf("limits %+v", items)
	}
}
