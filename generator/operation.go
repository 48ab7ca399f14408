package generator

import (
	"slices"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// operationFile is the file of one operation.
func operationFile(m *model, op *operation) *emit.File {
	f := &emit.File{Header: header(m.Spec), Package: m.Package}
	f.Decls = append(f.Decls, operationTypes(op)...)
	if op.resource.Inline {
		f.Decls = append(f.Decls, resourceDecls(op.resource)...)
	}
	f.Decls = append(f.Decls, operationAliases(op), operationFunction(op))
	return f
}

// operationTypes declares what an operation takes and returns.
func operationTypes(op *operation) []emit.Decl {
	return namedTypes(op.Types, func(t *schema.Type) string {
		switch t {
		case op.Payload:
			return "what " + op.Name + " is asked to do, as validated and stored at preview"
		case op.Result:
			return "what " + op.applyMethod + " returns"
		default:
			return pathIn(t, op.Name)
		}
	})
}

// operationAliases names what the hand-written bodies are given.
func operationAliases(op *operation) emit.Decl {
	aliases := emit.Aliases{{
		Doc:  []string{op.change + " is one previewed " + op.Name + "."},
		Name: op.change,
		Of:   runtimePkg.Dot("Change").Of(op.payloadType(), op.stateType()),
	}}
	if op.applied != "" {
		aliases = append(aliases, emit.Type{
			Doc:  []string{op.applied + " is one applied " + op.Name + "."},
			Name: op.applied,
			Of:   runtimePkg.Dot("Applied").Of(op.payloadType(), op.stateType(), op.resultType()),
		})
	}
	if op.doubtful != "" {
		aliases = append(aliases, emit.Type{
			Doc:  []string{op.doubtful + " is one " + op.Name + " of which nobody knows whether it was done."},
			Name: op.doubtful,
			Of:   runtimePkg.Dot("Doubtful").Of(op.payloadType(), op.stateType()),
		})
	}
	return aliases
}

// operationFunction makes the runtime's view of an operation.
func operationFunction(op *operation) emit.Decl {
	generic := runtimePkg.Dot("Operation").Of(op.payloadType(), op.stateType(), op.resultType())
	hooks := slices.Concat(
		metaKey(op),
		prepareKey(op),
		observeKey(op),
		observeAfterKey(op),
		summaryKey(op),
		diffKey(op),
		losesKey(op),
		approvalWhenKey(op),
		itemsKey(op),
		applyKey(op),
		undoKey(op),
		doneWhenKey(op),
		reconcileKey(op),
	)
	return emit.Function{
		Name: op.build,
		Signature: emit.Signature{
			Params:  []emit.Param{{Name: "cfg", Type: emit.Name(configName)}},
			Results: []emit.Expr{emit.Pointer(generic)},
		},
		Body: []emit.Stmt{emit.Return(emit.Lines(generic, hooks...).Address())},
	}
}

// prepareKey makes the payload that is looked by, shown and stored.
func prepareKey(op *operation) []emit.Key {
	if op.prepareMethod == "" {
		return nil
	}
	return []emit.Key{{Name: "Prepare", Value: method(op.prepareMethod)}}
}

// observeKey looks at the resource before apply.
func observeKey(op *operation) []emit.Key {
	switch op.resource.Observe.Kind {
	case spec.ObserveGo:
		return []emit.Key{{Name: "Observe", Value: method(op.observeMethod)}}
	case spec.ObserveSQL:
		payload := blankUnless(len(op.ObserveArgs) > 0, op.payloadParam())
		query := runQuery(op.resource.observe, op.resource.Observe.Connection, lookScope(op).arguments(op.ObserveArgs))
		return []emit.Key{{Name: "Observe", Value: look(op, payload, query)}}
	default:
		return nil
	}
}

// observeAfterKey looks at the resource after apply, where that is another look.
func observeAfterKey(op *operation) []emit.Key {
	after := op.resource.After
	if after == nil {
		return nil
	}
	if after.Kind == spec.ObserveGo {
		args := []emit.Expr{ctxValue, emit.Name("c").Dot("Payload")}
		if op.Result != nil {
			args = append(args, emit.Name("c").Dot("Result"))
		}
		return []emit.Key{{Name: "ObserveAfter", Value: look(op, op.appliedParam(), method(op.observeAfterMethod).Call(args...), needResult(op)...)}}
	}
	applied := blankUnless(len(op.AfterArgs) > 0, op.appliedParam())
	query := runQuery(op.resource.after, after.Connection, appliedScope(op).arguments(op.AfterArgs))
	return []emit.Key{{Name: "ObserveAfter", Value: look(op, applied, query, needResult(op)...)}}
}

// needResult keeps a look after apply from looking by a result that is not there, as after one that was not valid.
func needResult(op *operation) []emit.Stmt {
	byResult := slices.ContainsFunc(op.AfterArgs, func(n expr.Node) bool {
		path, ok := n.(*expr.Path)
		return ok && path.Root == expr.Result
	})
	if !byResult && (op.Result == nil || op.observeAfterMethod == "") {
		return nil
	}
	missing := emit.Name("c").Dot("Result").Is(nilValue)
	return []emit.Stmt{emit.If(missing, emit.Return(nilValue, runtimePkg.Dot("ErrNoResult")))}
}

// look is a hook that looks at the resource, unless what comes before keeps it from it.
func look(op *operation, of emit.Param, result emit.Expr, before ...emit.Stmt) emit.Expr {
	return emit.Func(emit.Signature{
		Params:  []emit.Param{ctxParam, of},
		Results: []emit.Expr{op.stateType(), errorType},
	}, append(before, emit.Return(result))...)
}

// runQuery calls a function that runs a query.
func runQuery(function string, on *spec.Connection, args []emit.Expr) emit.Expr {
	db := cfgValue.Dot(on.GoName)
	return emit.Name(function).CallFit([]emit.Expr{ctxValue, db}, args...)
}

// summaryKey says in a sentence what would change.
func summaryKey(op *operation) []emit.Key {
	return []emit.Key{{Name: "Summary", Value: sentence(op, op.Summary)}}
}

// losesKey says what an undo cannot bring back.
func losesKey(op *operation) []emit.Key {
	if op.Loses == nil {
		return nil
	}
	return []emit.Key{{Name: "Loses", Value: sentence(op, op.Loses)}}
}

// sentence is a hook that makes a text about a change.
func sentence(op *operation, t *expr.Template) emit.Expr {
	return emit.InlineFunc(emit.Signature{
		Params:  []emit.Param{blankUnless(len(t.Nodes()) > 0, op.changeParam())},
		Results: []emit.Expr{emit.Name("string")},
	}, changeScope(op).text(t))
}

// applyKey carries the change out.
func applyKey(op *operation) []emit.Key {
	if op.applyMethod == "" {
		return nil
	}
	body := method(op.applyMethod)
	if op.Result == nil {
		body = runtimePkg.Dot("NoResult").Call(body)
	}
	return []emit.Key{{Name: "Apply", Value: body}}
}

// undoKey takes the change back.
func undoKey(op *operation) []emit.Key {
	if op.undoMethod == "" {
		return nil
	}
	return []emit.Key{{Name: "Undo", Value: method(op.undoMethod)}}
}

// method is a hand-written body.
func method(name string) emit.Expr { return cfgValue.Dot(operationsName).Dot(name) }
