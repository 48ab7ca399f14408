package emit_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/google/go-cmp/cmp"
)

func TestMethodsAndMapsAreDeclared(t *testing.T) {
	t.Parallel()
	got := render(t, &emit.File{Header: "H", Package: "p", Decls: []emit.Decl{
		emit.Struct{Name: "open", Fields: []emit.Field{
			{Name: "Name", Type: emit.Name("string"), JSON: "a b/é"},
			{Name: "Others", Type: emit.Map(emit.Slice(emit.Map(emit.Pointer(emit.Name("open"))))), JSON: ",embed"},
		}},
		emit.Function{
			Doc:       []string{"Len counts."},
			Receiver:  emit.Param{Name: "o", Type: emit.Pointer(emit.Name("open"))},
			Name:      "Len",
			Signature: emit.Signature{Results: []emit.Expr{emit.Name("int")}},
			Body:      []emit.Stmt{emit.Return(emit.Name("len").Call(emit.Name("o").Dot("Others")))},
		},
	}})
	want := "// H\n\npackage p\n\n" +
		"type open struct {\n" +
		"\tName   string                        `json:\"a b/é\"`\n" +
		"\tOthers map[string][]map[string]*open `json:\",embed\"`\n" +
		"}\n\n" +
		"// Len counts.\n" +
		"func (o *open) Len() int {\n" +
		"\treturn len(o.Others)\n" +
		"}\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Render() (-want +got):\n%s", diff)
	}
}
