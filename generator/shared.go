package generator

import (
	"cmp"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// sharedFile is the file of what the operations have in common.
func sharedFile(m *model) *emit.File {
	f := &emit.File{
		Header:  header(m.Spec),
		Doc:     "Package " + m.Package + " holds the guarded operations of " + cmp.Or(m.Server.Title, m.Server.Name) + ".",
		Package: m.Package,
		Blank:   []string{"embed"},
	}
	f.Decls = append(f.Decls, runtimeCheck(), schemaVar(m), specVar(m))
	if hasMethods(m) {
		f.Decls = append(f.Decls, operationsInterface(m))
	}
	f.Decls = append(f.Decls, configStruct(m), registerFunction(m))
	for _, r := range m.resources {
		if !r.Inline {
			f.Decls = append(f.Decls, resourceDecls(r)...)
		}
	}
	f.Decls = append(f.Decls, namedTypes(m.Defs, func(t *schema.Type) string { return t.Path })...)
	return f
}

// runtimeCheck ties the generated code to the runtime at compile time.
func runtimeCheck() emit.Decl {
	return emit.Const{
		Doc:   []string{"If this line does not compile, the runtime module is older or newer than the generator: update one of them."},
		Name:  "_",
		Value: runtimePkg.Dot("SupportsV1"),
	}
}

// schemaVar embeds the schemas.
func schemaVar(m *model) emit.Decl {
	return emit.Var{Embed: m.schemaFile, Name: schemasName, Type: emit.Slice(emit.Name("byte"))}
}

// specVar is what the guard is told about the whole spec.
func specVar(m *model) emit.Decl {
	keys := []emit.Key{
		{Name: "Server", Value: emit.String(m.Server.Name)},
		{Name: "Title", Value: emit.String(m.Server.Title)},
	}
	if m.Tools == spec.SharedTools {
		keys = append(keys, emit.Key{Name: "Tools", Value: runtimePkg.Dot("SharedTools")})
	}
	if m.Prefix != "" {
		keys = append(keys, emit.Key{Name: "Prefix", Value: emit.String(m.Prefix)})
	}
	keys = append(keys, emit.Key{Name: "Schemas", Value: emit.Name(schemasName)})
	return emit.Var{Name: specName, Value: emit.Lines(runtimePkg.Dot("Spec"), keys...)}
}

// configStruct is what the server gives to Register.
func configStruct(m *model) emit.Decl {
	d := emit.Struct{
		Doc:  []string{configName + " is what the operations need: their hand-written bodies and the connections the spec names."},
		Name: configName,
	}
	if hasMethods(m) {
		d.Fields = append(d.Fields, emit.Field{Name: operationsName, Type: emit.Name(operationsName)})
	}
	for _, c := range m.connections {
		d.Fields = append(d.Fields, emit.Field{Name: c.GoName, Type: emit.Pointer(sqlPkg.Dot("DB"))})
	}
	return d
}

// registerFunction adds the operations to a server, after a look at the configuration in the order of its fields:
// method values of a nil interface would panic.
func registerFunction(m *model) emit.Decl {
	var body []emit.Stmt
	required := func(field string) {
		missing := runtimePkg.Dot("MissingConfig").Call(emit.String(field))
		body = append(body, emit.If(cfgValue.Dot(field).Is(nilValue), emit.Return(missing)))
	}
	if hasMethods(m) {
		required(operationsName)
	}
	for _, c := range m.connections {
		required(c.GoName)
	}
	var operations []emit.Expr
	for _, op := range m.operations {
		operations = append(operations, emit.Name(op.build).Call(cfgValue))
	}
	first := []emit.Expr{emit.Name("server"), emit.Name(specName)}
	return emit.Function{
		Doc: []string{
			registerName + " adds the tools of this spec to server; every write goes through guard.",
			"It fails if a name is registered already or a field of cfg is missing.",
		},
		Name: registerName,
		Signature: emit.Signature{
			Params: []emit.Param{
				{Name: "server", Type: emit.Pointer(mcpPkg.Dot("Server"))},
				{Name: "guard", Type: emit.Pointer(runtimePkg.Dot("Guard"))},
				{Name: "cfg", Type: emit.Name(configName)},
			},
			Results: []emit.Expr{errorType},
		},
		Body: append(body, emit.Return(emit.Name("guard").Dot("Register").CallLines(first, operations...))),
	}
}
