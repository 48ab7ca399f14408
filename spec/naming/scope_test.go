package naming_test

import (
	"fmt"
	"testing"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/naming"
)

func at(line, column int) diag.Pos { return diag.Pos{File: "a.yaml", Line: line, Column: column} }

func TestAddRefusesNamesThatAreTaken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		thing naming.Thing
		want  string
	}{
		{"free", naming.Thing{GoName: "Name", What: "property 'name'"}, ""},
		{"by another thing", naming.Thing{GoName: "UserID", What: "property 'userId'"},
			"property 'userId' has the Go name UserID, as property 'user_id' at 2:3 has (rename one of them)"},
		{"by another thing, with a name of its own to write", naming.Thing{GoName: "UserID", What: "property 'userId'", Rename: "write x"},
			"property 'userId' has the Go name UserID, as property 'user_id' at 2:3 has (write x)"},
		{"by a thing that can have another name", naming.Thing{GoName: "Theme", What: "property 'theme_'"},
			"property 'theme_' has the Go name Theme, as property 'theme' at 3:3 has (write y)"},
		{"by itself in another place", naming.Thing{GoName: "Theme", What: "property 'theme'", Pos: at(3, 3)},
			"property 'theme' has the Go name Theme, as it has where it is used before (move it into the $defs of the document)"},
		{"by what is always there", naming.Thing{GoName: "Config", What: "definition 'config'"},
			"definition 'config' has the Go name Config, which is that of a type of every package (rename it)"},
		{"by what is always there, with a name of its own to write", naming.Thing{GoName: "Config", What: "definition 'config'", Rename: "write x"},
			"definition 'config' has the Go name Config, which is that of a type of every package (write x)"},
		{"a keyword", naming.Thing{GoName: "func", What: "function 'func'"},
			"function 'func' has the Go name func, which is a keyword of Go (rename it)"},
		{"a predeclared name", naming.Thing{GoName: "string", What: "function 'string'"},
			"function 'string' has the Go name string, which Go has declared already (rename it)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var scope naming.Scope
			scope.Reserve("a type of every package", "Config", "Register")
			for _, thing := range []naming.Thing{
				{GoName: "UserID", What: "property 'user_id'", Pos: at(2, 3)},
				{GoName: "Theme", What: "property 'theme'", Rename: "write y", Pos: at(3, 3)},
			} {
				if fault, ok := scope.Add(thing); !ok {
					t.Fatal(fault)
				}
			}
			if test.thing.Pos.Line == 0 {
				test.thing.Pos = at(9, 5)
			}
			fault, ok := scope.Add(test.thing)
			if test.want != "" {
				test.want = fmt.Sprintf("a.yaml:%d:%d: %s [CS1403]", test.thing.Pos.Line, test.thing.Pos.Column, test.want)
			}
			if ok != (test.want == "") || !ok && fault.String() != test.want {
				t.Errorf("Add() = %v, %v, want %s", fault, ok, test.want)
			}
		})
	}
}

func TestScopesAreApart(t *testing.T) {
	t.Parallel()
	var one, other naming.Scope
	thing := naming.Thing{GoName: "ID", What: "property 'id'", Pos: at(1, 1)}
	for _, scope := range []*naming.Scope{&one, &other} {
		if fault, ok := scope.Add(thing); !ok {
			t.Error(fault)
		}
	}
}

func ExampleScope() {
	var fields naming.Scope
	for line, name := range []string{"user_id", "userId"} {
		fault, ok := fields.Add(naming.Thing{
			GoName: "UserID", What: "property " + diag.Quote(name), Pos: diag.Pos{File: "a.yaml", Line: line + 1, Column: 1},
		})
		if !ok {
			fmt.Println(fault)
		}
	}
	// Output: a.yaml:2:1: property 'userId' has the Go name UserID, as property 'user_id' at 1:1 has (rename one of them) [CS1403]
}
