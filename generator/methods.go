package generator

import (
	"slices"

	"github.com/changesetgen/changesetgen/generator/emit"
)

// operationsInterface is what the author implements.
func operationsInterface(m *model) emit.Decl {
	d := emit.Interface{
		Doc:  []string{operationsName + " holds the bodies that are written by hand."},
		Name: operationsName,
	}
	for _, op := range m.operations {
		if group := methods(op); len(group) > 0 {
			d.Groups = append(d.Groups, group)
		}
	}
	return d
}

// hasMethods says whether anything is written by hand.
func hasMethods(m *model) bool {
	return slices.ContainsFunc(m.operations, func(op *operation) bool { return len(methods(op)) > 0 })
}

// methods are the hand-written bodies of one operation.
func methods(op *operation) []emit.Method {
	return slices.Concat(
		prepareMethod(op),
		observeMethod(op),
		observeAfterMethod(op),
		applyMethod(op),
		undoMethod(op),
		reconcileMethod(op),
	)
}

// prepareMethod makes the payload that is looked by, shown and stored.
func prepareMethod(op *operation) []emit.Method {
	if op.prepareMethod == "" {
		return nil
	}
	return []emit.Method{{
		Doc: []string{
			op.prepareMethod + " makes of a valid payload of " + op.Name + " the one that is looked by, shown, stored and run.",
			"It runs once, at preview, and writes nothing.",
		},
		Name: op.prepareMethod,
		Signature: emit.Signature{
			Params:  []emit.Param{ctxParam, op.payloadParam()},
			Results: []emit.Expr{op.payloadType(), errorType},
		},
	}}
}

// observeMethod looks at the resource before apply.
func observeMethod(op *operation) []emit.Method {
	if op.observeMethod == "" {
		return nil
	}
	return []emit.Method{{
		Doc:  []string{op.observeMethod + " looks at what " + op.Name + " would change; nil means that there is none."},
		Name: op.observeMethod,
		Signature: emit.Signature{
			Params:  []emit.Param{ctxParam, op.payloadParam()},
			Results: []emit.Expr{op.stateType(), errorType},
		},
	}}
}

// observeAfterMethod looks at the resource after apply.
func observeAfterMethod(op *operation) []emit.Method {
	if op.observeAfterMethod == "" {
		return nil
	}
	params := []emit.Param{ctxParam, op.payloadParam()}
	if op.Result != nil {
		params = append(params, emit.Param{Name: "r", Type: op.resultType()})
	}
	return []emit.Method{{
		Doc: []string{
			op.observeAfterMethod + " looks after " + op.Name + " has been applied, and again for its undo; nil means that there is none.",
		},
		Name:      op.observeAfterMethod,
		Signature: emit.Signature{Params: params, Results: []emit.Expr{op.stateType(), errorType}},
	}}
}

// applyMethod carries the operation out.
func applyMethod(op *operation) []emit.Method {
	if op.applyMethod == "" {
		return nil
	}
	results := []emit.Expr{errorType}
	if op.Result != nil {
		results = []emit.Expr{op.resultType(), errorType}
	}
	return []emit.Method{{
		Doc: []string{
			quoting(op.applyMethod+" carries out "+op.Name, op.Description, op.Title),
			"It runs at most once for a change.",
		},
		Name:      op.applyMethod,
		Signature: emit.Signature{Params: []emit.Param{ctxParam, op.changeParam()}, Results: results},
	}}
}

// undoMethod takes the operation back.
func undoMethod(op *operation) []emit.Method {
	if op.undoMethod == "" {
		return nil
	}
	return []emit.Method{{
		Doc:       []string{op.undoMethod + " takes an applied " + op.Name + " back."},
		Name:      op.undoMethod,
		Signature: emit.Signature{Params: []emit.Param{ctxParam, op.appliedParam()}, Results: []emit.Expr{errorType}},
	}}
}

// reconcileMethod finds out what became of an apply in doubt.
func reconcileMethod(op *operation) []emit.Method {
	if op.reconcileMethod == "" {
		return nil
	}
	return []emit.Method{{
		Doc: []string{
			op.reconcileMethod + " finds out whether a " + op.Name + " was done that ended without a word: its process died, say.",
			"It writes nothing. Only runtime.Done settles the change by itself.",
		},
		Name: op.reconcileMethod,
		Signature: emit.Signature{
			Params:  []emit.Param{ctxParam, {Name: "c", Type: emit.Pointer(emit.Name(op.doubtful))}},
			Results: []emit.Expr{runtimePkg.Dot("Verdict"), errorType},
		},
	}}
}
