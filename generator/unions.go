package generator

import (
	"strconv"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// unionType declares a struct of which one field is set, and how it is read and written. Which one its tag says, which
// every branch has for a field of its own.
func unionType(t *schema.Type, doc string) []emit.Decl {
	fields := make([]emit.Field, len(t.Branches))
	for i, b := range t.Branches {
		fields[i] = commented(emit.Field{Name: b.GoName, Type: emit.Pointer(goType(b.Use.Type))}, t.Tag+": "+strconv.Quote(b.Value))
	}
	return []emit.Decl{
		emit.Struct{Doc: []string{doc, "One of its fields is set."}, Name: t.GoName, Fields: fields},
		branchesMethod(t),
		unionMarshal(t),
		unionUnmarshal(t),
	}
}

// What the methods of a union are made of.
const branchesName = "branches"

var unionValue = emit.Name("u")

// branchesMethod says which value of the tag stands for which field.
func branchesMethod(t *schema.Type) emit.Decl {
	branches := make([]emit.Key, len(t.Branches))
	for i, b := range t.Branches {
		branches[i] = emit.Key{Value: runtimePkg.Dot("BranchOf").Call(emit.String(b.Value), unionValue.Dot(b.GoName).Address())}
	}
	list := emit.Slice(runtimePkg.Dot("Branch"))
	return emit.Function{
		Receiver:  emit.Param{Name: "u", Type: emit.Pointer(emit.Name(t.GoName))},
		Name:      branchesName,
		Signature: emit.Signature{Results: []emit.Expr{list}},
		Body:      []emit.Stmt{emit.Return(emit.Lines(list, branches...))},
	}
}

// unionMarshal writes a union. Its receiver is a value, so that unions in lists and maps are written by it too.
func unionMarshal(t *schema.Type) emit.Decl {
	return emit.Function{
		Doc:       []string{"MarshalJSON writes the branch that is set."},
		Receiver:  emit.Param{Name: "u", Type: emit.Name(t.GoName)},
		Name:      "MarshalJSON",
		Signature: emit.Signature{Results: []emit.Expr{emit.Slice(emit.Name("byte")), errorType}},
		Body:      []emit.Stmt{emit.Return(runtimePkg.Dot("EncodeUnion").Call(emit.String(t.Tag), unionBranches()))},
	}
}

// unionUnmarshal reads a union.
func unionUnmarshal(t *schema.Type) emit.Decl {
	return emit.Function{
		Doc:      []string{"UnmarshalJSON sets the branch that " + strconv.Quote(t.Tag) + " names."},
		Receiver: emit.Param{Name: "u", Type: emit.Pointer(emit.Name(t.GoName))},
		Name:     "UnmarshalJSON",
		Signature: emit.Signature{
			Params:  []emit.Param{{Name: "raw", Type: emit.Slice(emit.Name("byte"))}},
			Results: []emit.Expr{errorType},
		},
		Body: []emit.Stmt{emit.Return(runtimePkg.Dot("DecodeUnion").Call(emit.Name("raw"), emit.String(t.Tag), unionBranches()))},
	}
}

func unionBranches() emit.Expr { return unionValue.Dot(branchesName).Call().Spread() }
