package generator

import (
	"strconv"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// policyKeys are how changes of an operation are guarded, as part of its runtime.Meta.
func policyKeys(p *spec.Policy) []emit.Key {
	var keys []emit.Key
	add := func(name string, present bool, value emit.Expr) {
		if present {
			keys = append(keys, emit.Key{Name: name, Value: value})
		}
	}
	add("Aliases", len(p.Aliases) > 0, texts(p.Aliases))
	add("Approval", p.Approval == spec.ByOperator, runtimePkg.Dot("ByOperator"))
	add("UndoApproval", p.UndoApproval == spec.ByOperator, runtimePkg.Dot("ByOperator"))
	add("Joined", p.Joined, trueValue)
	add("Retry", p.Retry, trueValue)
	add("AllowNoChange", p.AllowNoChange, trueValue)
	add("UndoWithoutResult", p.UndoWithoutResult, trueValue)
	add("Limits", p.Limits != spec.Limits{}, limits(&p.Limits))
	add("ClosedWorld", p.ClosedWorld, trueValue)
	add("ToolNames", p.ToolNames != spec.ToolNames{}, toolNames(&p.ToolNames))
	return keys
}

func limits(l *spec.Limits) emit.Expr {
	var keys []emit.Key
	if l.Changes > 0 {
		keys = append(keys,
			emit.Key{Name: "Changes", Value: emit.Name(strconv.Itoa(l.Changes))},
			emit.Key{Name: "Per", Value: duration(l.Per)})
	}
	if l.OfAll {
		keys = append(keys, emit.Key{Name: "OfAll", Value: trueValue})
	}
	if l.MaxItems > 0 {
		keys = append(keys, emit.Key{Name: "MaxItems", Value: emit.Name(strconv.Itoa(l.MaxItems))})
	}
	return emit.Literal(runtimePkg.Dot("Limits"), keys...)
}

func toolNames(names *spec.ToolNames) emit.Expr {
	var keys []emit.Key
	for _, tool := range []struct{ key, name string }{
		{"Preview", names.Preview}, {"Apply", names.Apply}, {"Undo", names.Undo},
	} {
		if tool.name != "" {
			keys = append(keys, emit.Key{Name: tool.key, Value: emit.String(tool.name)})
		}
	}
	return emit.Literal(runtimePkg.Dot("ToolNames"), keys...)
}

// approvalWhenKey tells which changes need the yes of the operation's approval.
func approvalWhenKey(op *operation) []emit.Key {
	if op.ApprovalWhen == nil {
		return nil
	}
	return []emit.Key{{Name: "ApprovalWhen", Value: conditionHook(op, changeScope(op), op.ApprovalWhen)}}
}

// itemsKey counts what a change affects.
func itemsKey(op *operation) []emit.Key {
	path := op.Limits.Items
	if path == nil {
		return nil
	}
	items := lookScope(op).plain(path)
	count := emit.Name("len").Call(items)
	if path.Type().Use.Type.Kind == schema.Integer {
		count = runtimePkg.Dot("Count").Call(items)
	}
	return []emit.Key{{Name: "Items", Value: emit.InlineFunc(emit.Signature{
		Params:  []emit.Param{op.payloadParam()},
		Results: []emit.Expr{emit.Name("int")},
	}, count)}}
}

// doneWhenKey tells from a fresh look whether an apply in doubt was done. The look may have found nothing.
func doneWhenKey(op *operation) []emit.Key {
	if op.DoneWhen == nil {
		return nil
	}
	scope := changeScope(op)
	state := scope[expr.State]
	state.mayBeAbsent = true
	scope[expr.State] = state
	return []emit.Key{{Name: "DoneWhen", Value: conditionHook(op, scope, op.DoneWhen)}}
}

// reconcileKey finds out whether an apply in doubt was done.
func reconcileKey(op *operation) []emit.Key {
	if op.reconcileMethod == "" {
		return nil
	}
	return []emit.Key{{Name: "Reconcile", Value: method(op.reconcileMethod)}}
}

// conditionHook is a hook that tells whether a condition on a change holds.
func conditionHook(op *operation, s scope, condition *expr.Condition) emit.Expr {
	signature := emit.Signature{Params: []emit.Param{op.changeParam()}, Results: []emit.Expr{emit.Name("bool")}}
	return emit.FuncFit(signature, s.condition(condition))
}
