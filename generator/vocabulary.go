package generator

import (
	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// The packages that generated code may import.
var (
	contextPkg = emit.Package{Path: "context", Name: "context"}
	sqlPkg     = emit.Package{Path: "database/sql", Name: "sql"}
	jsonPkg    = emit.Package{Path: "encoding/json", Name: "json"}
	timePkg    = emit.Package{Path: "time", Name: "time"}
	runtimePkg = emit.Package{Path: "github.com/changesetgen/changesetgen/runtime", Name: "runtime"}
	sqlopPkg   = emit.Package{Path: "github.com/changesetgen/changesetgen/runtime/sqlop", Name: "sqlop"}
	mcpPkg     = emit.Package{Path: "github.com/modelcontextprotocol/go-sdk/mcp", Name: "mcp"}
)

// What generated code says in many places.
var (
	anyType   = emit.Name("any")
	errorType = emit.Name("error")
	nilValue  = emit.Name("nil")
	trueValue = emit.Name("true")

	ctxParam = emit.Param{Name: "ctx", Type: contextPkg.Dot("Context")}
	ctxValue = emit.Name("ctx")
	cfgValue = emit.Name("cfg")
)

// payloadParam is the parameter of a look before apply, changeParam that of what is shown and of apply, and appliedParam
// that of undo and of a look after apply.
func (op *operation) payloadParam() emit.Param {
	return emit.Param{Name: "p", Type: op.payloadType()}
}

func (op *operation) changeParam() emit.Param {
	return emit.Param{Name: "c", Type: emit.Pointer(emit.Name(op.change))}
}

func (op *operation) appliedParam() emit.Param {
	return emit.Param{Name: "c", Type: emit.Pointer(emit.Name(op.applied))}
}

// payloadType, stateType and resultType are the types that a runtime.Operation is made for.
func (op *operation) payloadType() emit.Expr { return pointerTo(op.Payload) }
func (op *operation) stateType() emit.Expr   { return pointerTo(op.resource.State) }
func (op *operation) resultType() emit.Expr  { return pointerTo(op.Result) }

// pointerTo is the type *t, or that of nothing where there is no such type.
func pointerTo(t *schema.Type) emit.Expr {
	if t == nil {
		return emit.Pointer(runtimePkg.Dot("None"))
	}
	return emit.Pointer(goType(t))
}

// blankUnless names a parameter _ unless the body that it is for uses it.
func blankUnless(used bool, p emit.Param) emit.Param {
	if !used {
		p.Name = "_"
	}
	return p
}
