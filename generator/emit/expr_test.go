package emit_test

import (
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/google/go-cmp/cmp"
)

// hook is a variable with a function of an x that returns a value.
func hook(t *testing.T, value emit.Expr) string {
	t.Helper()
	signature := emit.Signature{
		Params:  []emit.Param{{Name: "x", Type: emit.Pointer(emit.Name("int"))}},
		Results: []emit.Expr{emit.Name("bool")},
	}
	got := render(t, &emit.File{Header: "H", Package: "p", Decls: []emit.Decl{emit.Var{Name: "hook", Value: emit.FuncFit(signature, value)}}})
	_, body, _ := strings.Cut(got, "var hook = ")
	return body
}

func TestWideConditionsAreBrokenAfterTheirOperators(t *testing.T) {
	t.Parallel()
	x, wide := emit.Name("x"), emit.Name(strings.Repeat("w", 60))
	some := emit.AllOf(x.IsNot(emit.Name("nil")), x.Deref().Is(emit.Name("3")))
	for _, test := range []struct {
		name  string
		value emit.Expr
		want  string
	}{
		{"one", emit.AllOf(x.Is(emit.Name("nil"))), "func(x *int) bool { return x == nil }\n"},
		{"narrow", emit.AnyOf(x.Is(emit.Name("nil")), some), "func(x *int) bool { return x == nil || x != nil && *x == 3 }\n"},
		{"grouped", emit.AllOf(wide, emit.AnyOf(some, x.Not()).Grouped()),
			"func(x *int) bool {\n\treturn " + strings.Repeat("w", 60) + " && (x != nil && *x == 3 || !x)\n}\n"},
		{"wide", emit.AllOf(wide, wide, x), "func(x *int) bool {\n\treturn " + strings.Repeat(strings.Repeat("w", 60)+" &&\n\t\t", 2) + "x\n}\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, hook(t, test.value)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
