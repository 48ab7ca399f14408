package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
)

// automatic is a spec with diff: auto for a payload and a look in block style.
func automatic(look, payload string) []byte {
	return fmt.Appendf(nil, `
version: 1
package: things
server: {name: things}
connections: {main: {sql: sqlite}}
operations:
  set_thing:
    summary: Change it.
    diff: auto
    apply: go
    undo: none
    payload: %s
%s
`, payload, look)
}

// rowsOf are the rows of the only operation: the label, before -> after, and what else is said.
func rowsOf(s *spec.Spec) []string {
	var rows []string
	for _, row := range s.Operations[0].Diff {
		text := fmt.Sprintf("%s: %v -> %v", row.Label, row.Before, row.After)
		for _, flag := range []struct {
			name string
			set  bool
		}{{"context", row.Context}, {"skips", row.SkipsAbsent()}, {"sensitive", row.Sensitive}, {"parts", row.Parts}} {
			if flag.set {
				text += ", " + flag.name
			}
		}
		if row.Hidden != nil {
			text += fmt.Sprintf(", hides %v", row.Hidden)
		}
		rows = append(rows, strings.ReplaceAll(text, "<nil>", "none"))
	}
	return rows
}

const (
	lookBySQL = "    observe: {db: main, sql: 'SELECT a, b FROM t WHERE k = ${payload.k}'}\n"
	lookByGo  = "    observe: go\n"
	state     = "    state: {type: object, required: [a], properties: {a: {type: string}, b: {type: object, properties: {c: {type: integer}, d: {type: integer}}}}}\n"
)

func TestAutoWritesARowForEachProperty(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, look, payload string
		want                []string
	}{
		{"an update", lookBySQL + state, "{type: object, required: [k, a], properties: {k: {type: string}, a: {type: string}, b: {type: object, properties: {c: {type: integer}}}, n: {type: boolean}}}", []string{
			"k: payload.k -> payload.k, context", "a: state.a -> payload.a", "b: state.b -> payload.b, skips, parts", "n: none -> payload.n, skips",
		}},
		{"a property that is looked by and in the state", strings.ReplaceAll(lookBySQL, "payload.k", "payload.a") + state, "{type: object, required: [a], properties: {a: {type: string}, b: {type: object, properties: {c: {type: integer}}}}}", []string{
			"a: state.a -> payload.a", "b: state.b -> payload.b, skips, parts",
		}},
		{"a removal", lookBySQL + state, "{type: object, required: [k], properties: {k: {type: string}}}", []string{
			"k: payload.k -> payload.k, context", "a: state.a -> none", "b: state.b -> none, parts",
		}},
		{"a removal of what is looked at by hand", lookByGo + state, "{type: object, required: [k], properties: {k: {type: string}}}", []string{
			"k: payload.k -> payload.k, context", "a: state.a -> none", "b: state.b -> none, parts",
		}},
		{"a removal by what is in the state", strings.ReplaceAll(lookBySQL, "payload.k", "payload.a") + state, "{type: object, required: [a], properties: {a: {type: string}}}", []string{
			"a: payload.a -> payload.a, context", "a: state.a -> none", "b: state.b -> none, parts",
		}},
		{"a removal, of what is bound", lookBySQL + state + "    bind: [state.b.d]\n", "{type: object, required: [k], properties: {k: {type: string}}}", []string{
			"k: payload.k -> payload.k, context", "b/d: state.b.d -> none",
		}},
		{"a removal, of what is not volatile", lookBySQL + state + "    volatile: [state.a, state.b.d]\n", "{type: object, required: [k], properties: {k: {type: string}}}", []string{
			"k: payload.k -> payload.k, context", "b/c: state.b.c -> none",
		}},
		{"an update that is looked at by hand", lookByGo + state, "{type: object, required: [a], properties: {a: {type: string}}}", []string{"a: state.a -> payload.a"}},
		{"what a query asks about without being found by it", strings.Replace(lookBySQL, "a, b", "a, (SELECT count(*) FROM t WHERE e = ${payload.e}) AS b", 1) + state, "{type: object, required: [k, e, a], properties: {k: {type: string}, e: {type: string}, a: {type: string}}}", []string{
			"k: payload.k -> payload.k, context", "e: none -> payload.e", "a: state.a -> payload.a",
		}},
		{"a create", strings.Replace(lookBySQL, "}'", "}', exists: refuse", 1) + state, "{type: object, required: [k, a], properties: {k: {type: string}, a: {type: string}}}", []string{
			"k: none -> payload.k", "a: none -> payload.a",
		}},
		{"nothing to look at", "    observe: none\n", "{type: object, properties: {'~/x': {type: object, additionalProperties: {type: string}}, 3-d: {type: [integer, 'null']}}}", []string{
			"~0~1x: none -> payload.~/x, skips, parts", "3-d: none -> payload.3-d, skips",
		}},
		{"what is sensitive", "    observe: none\n", "{type: object, properties: {a: {type: string, x-sensitive: true}, b: {type: object, properties: {c: {type: string, x-sensitive: true}}}, c: {type: object, x-sensitive: true, properties: {d: {type: string}}}}}", []string{
			"a: none -> payload.a, skips, sensitive", "b: none -> payload.b, skips, parts, hides [/c]", "c: none -> payload.c, skips, sensitive",
		}},
		{"an object that contains itself", "    observe: none\n", "{type: object, $defs: {N: {type: object, properties: {n: {$ref: '#/$defs/N'}, s: {type: string}}}}, properties: {a: {$ref: '#/$defs/N'}}}", []string{
			"a: none -> payload.a, skips, parts",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, faults := spec.Read(specFile, automatic(test.look, test.payload))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			if diff := cmp.Diff(test.want, rowsOf(s)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAutoRefusesWhatItCannotPair(t *testing.T) {
	t.Parallel()
	const key = "{type: object, required: [k], properties: {k: {type: string}}}"
	for _, test := range []struct{ name, look, payload, want string }{
		{"no property in the state, and one that is not looked by", lookBySQL + state, "{type: object, required: [k, n], properties: {k: {type: string}, n: {type: string}}}", diag.BadAuto},
		{"what is looked at by hand, by an unknown property", lookByGo + state, "{type: object, required: [k, n], properties: {k: {type: string}, n: {type: string}}}", diag.BadAuto},
		{"what may be found by something else", strings.Replace(lookBySQL, "}'", "} OR a IS NULL'", 1) + state, key, diag.BadAuto},
		{"what is looked at by hand, by what may be left out", lookByGo + state, "{type: object, properties: {k: {type: string}}}", diag.BadAuto},
		{"no properties", lookByGo + state, "{type: object, properties: {}}", diag.BadAuto},
		{"another kind", lookBySQL + state, "{type: object, required: [k], properties: {k: {type: string}, a: {type: integer}}}", diag.BadAuto},
		{"a list", "    observe: {db: main, sql: 'SELECT a FROM t WHERE k = ${payload.k}', many: list}\n    state: {type: array, items: {type: object, required: [a], properties: {a: {type: string}}}}\n", key, diag.BadAuto},
		{"what no approval is bound to", lookBySQL + state + "    volatile: [state.a]\n", "{type: object, required: [k], properties: {k: {type: string}, a: {type: string}}}", diag.UnboundShown},
		{"members without a name", lookBySQL + state + "    open: true\n", "{type: object, required: [k, a], properties: {k: {type: string}, a: {type: string}}}", diag.UnshownPayload},
		{"a list with something sensitive in its items", "    observe: none\n", "{type: object, properties: {a: {type: array, items: {type: object, properties: {b: {type: string, x-sensitive: true}}}}}}", diag.SensitiveShown},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, faults := spec.Read(specFile, automatic(test.look, test.payload))
			if len(faults) != 1 || faults[0].Code != test.want {
				t.Errorf("%v, want one of code %s", faults, test.want)
			}
		})
	}
}
