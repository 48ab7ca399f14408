package spec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// examplePath is the spec that the documentation is about.
var examplePath = filepath.Join("..", "examples", "settings.changeset.yaml")

func load(t testing.TB, path string) []byte {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// accept reads a spec that must be without fault.
func accept(t testing.TB, src string) *spec.Spec {
	t.Helper()
	checked, faults := spec.Read(specFile, []byte(src))
	if len(faults) > 0 {
		t.Fatalf("refused: %v", faults)
	}
	return checked
}

// minimal is a spec with one operation, to which tests add keys of the top and of the operation.
func minimal(top, operation string) string {
	return `
version: 1
package: things
server: {name: things}
connections: {main: {sql: sqlite}, other: {sql: postgres}}
` + top + `
operations:
  set_thing:
    description: Change a thing.
    payload: {type: object, required: [id], properties: {id: {type: string}, size: {type: integer}}}
    summary: Change ${payload}
    apply: go
    undo: go
    ` + strings.ReplaceAll(strings.TrimSpace(operation), "\n", "\n    ") + "\n"
}

// look is an inline resource with a query.
const look = `
observe: {db: main, sql: 'SELECT name FROM things WHERE id = ${payload.id}'}
state: {type: object, required: [name], properties: {name: {type: string}, tags: {type: array, items: {type: string}}}}
`

func TestReadTheExample(t *testing.T) {
	t.Parallel()
	checked, faults := spec.Read(examplePath, load(t, examplePath))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	op := checked.Operations[0]
	got := fmt.Sprintln(checked.File, checked.Stem, checked.Package, checked.Server, checked.Tools, checked.Prefix) +
		fmt.Sprintln(op.Name, op.GoName, op.Title, "-", op.Description, op.Apply == spec.BodyGo, op.Undo == spec.BodyGo, op.Inverse) +
		fmt.Sprintln(op.Resource.Name, op.Resource.GoName, op.Resource.Observe.Connection.Name, op.Resource.Observe.SQL, op.Resource.Bind, op.Resource.Volatile) +
		fmt.Sprintln(names(op.Types), names(op.Resource.Types), len(op.Diff), paths(op.ObserveArgs))
	want := `settings.changeset.yaml settings settings {settings Settings} per_operation 
set_setting SetSetting Change a setting - Change one setting of the signed-in user. true true exact
setting Setting main SELECT value, locked, version FROM settings WHERE key = ? [[value] [locked]] [[version]]
[SetSettingPayload SetSettingKey SetSettingResult] [SettingState] 1 [payload.key]
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var schemas []string
	for _, s := range checked.Schemas[:3] {
		schemas = append(schemas, s.Name)
	}
	if diff := cmp.Diff([]string{"set_setting.payload", "set_setting.result", "setting.state"}, schemas); diff != "" {
		t.Errorf("schemas (-want +got):\n%s", diff)
	}
}

func names(types []*schema.Type) []string {
	var all []string
	for _, t := range types {
		all = append(all, t.GoName)
	}
	return all
}

func paths(nodes []expr.Node) []string {
	var all []string
	for _, node := range nodes {
		all = append(all, node.(*expr.Path).String())
	}
	return all
}

func TestReadTakesJSON(t *testing.T) {
	t.Parallel()
	src := `{"version": 1, "package": "p", "server": {"name": "s"}, "operations": {
	"do_it": {"description": "Do it.", "payload": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}},
	"observe": "none", "summary": "Do \u00e4 ${payload.a}", "apply": "go", "undo": "none"}}}`
	checked, faults := spec.Read("p.spec.json", []byte(src))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if checked.Stem != "p" || checked.Operations[0].Summary.Parts[0].Text != "Do ä " {
		t.Errorf("got %+v", checked.Operations[0].Summary)
	}
}

func TestOperationsInheritDefaults(t *testing.T) {
	t.Parallel()
	checked := accept(t, `
version: 1
package: p
server: {name: s}
resources:
  thing:
    observe: go
    state: {type: object, required: [a], properties: {a: {type: string}}}
defaults:
  description: By default.
  payload: {type: object, properties: {}}
  resource: thing
  summary: By default
  diff: [{label: a, before: state.a}]
  apply: go
  undo: go
  ttl: 90s
  undo_ttl: 7d
  timeout: 1m
  inverse: {kind: compensating, loses: the history}
operations:
  plain: {}
  own:
    description: Its own.
    observe: none
    diff: []
    undo: none
    ttl: 1h
  lasting: {undo_ttl: never}
`)
	plain, own := checked.Operations[0], checked.Operations[1]
	if plain.Description != "By default." || plain.Resource.Name != "thing" || len(plain.Diff) != 1 || plain.Inverse != spec.Compensating || plain.Loses == nil {
		t.Errorf("plain: %+v", plain)
	}
	if plain.TTL != 90*time.Second || plain.UndoTTL != 7*24*time.Hour || plain.UndoForever || plain.Timeout != time.Minute {
		t.Errorf("times of plain: %v %v %v", plain.TTL, plain.UndoTTL, plain.Timeout)
	}
	if own.Description != "Its own." || !own.Resource.Inline || len(own.Diff) != 0 || own.Undo != spec.BodyNone || own.Inverse != "" || own.Loses != nil {
		t.Errorf("own: %+v", own)
	}
	if own.TTL != time.Hour || own.UndoForever || own.Timeout != time.Minute {
		t.Errorf("times of own: %v %v", own.TTL, own.Timeout)
	}
	if lasting := checked.Operations[2]; !lasting.UndoForever || lasting.UndoTTL != 0 || lasting.TTL != 90*time.Second {
		t.Errorf("times of lasting: %v %v", lasting.TTL, lasting.UndoTTL)
	}
	if plain.Title != "Plain" || checked.Server.Title != "s" {
		t.Errorf("titles: %q, %q", plain.Title, checked.Server.Title)
	}
}

func TestAnOperationThatLooksAtNothingTakesNoDefaultsOfAState(t *testing.T) {
	t.Parallel()
	checked := accept(t, `
version: 1
package: p
server: {name: s}
defaults:
  observe: go
  state: {type: object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}
  bind: [state.a]
  volatile: [state.b]
  description: D.
  payload: {type: object, properties: {}}
  summary: S.
  apply: go
  undo: go
operations:
  look: {}
  text: {observe: none}
  map: {observe: {none: true}}
  later: {observe: {none: true, after: go}}
`)
	for i, want := range []bool{true, false, false, true} {
		op := checked.Operations[i]
		if r := op.Resource; (r.State != nil) != want || (len(r.Bind) == 1) != want || (len(r.Volatile) == 1) != want {
			t.Errorf("%s: state %v, bind %v, volatile %v", op.Name, r.State, r.Bind, r.Volatile)
		}
	}
}

func TestReadLooks(t *testing.T) {
	t.Parallel()
	const state = "state: {type: object, required: [name], properties: {name: {type: string}}}\n"
	for _, test := range []struct {
		name, operation string
		kind            spec.ObserveKind
		absent          spec.Absence
		many            bool
		after           string // kind and SQL
	}{
		{"nothing", "observe: none", spec.ObserveNone, spec.AbsentAllowed, false, ""},
		{"by hand", "observe: go\n" + state, spec.ObserveGo, spec.AbsentRefused, false, ""},
		{"by hand, absent or not", "observe: {go: true, absent: allow}\n" + state, spec.ObserveGo, spec.AbsentAllowed, false, ""},
		{"a create", "observe: {go: true, exists: refuse}\n" + state, spec.ObserveGo, spec.ExistsRefused, false, ""},
		{"a create with nothing to look at", "observe: {none: true, after: go}\n" + state, spec.ObserveNone, spec.AbsentAllowed, false, "2 "},
		{"by query", look, spec.ObserveSQL, spec.AbsentRefused, false, ""},
		{"a list", "observe: {db: main, many: list, sql: SELECT name FROM things}\nstate: {type: array, items: {type: object, required: [name], properties: {name: {type: string}}}}",
			spec.ObserveSQL, spec.AbsentRefused, true, ""},
		{"after, on the same connection", "observe: {db: other, sql: SELECT name FROM things, after: {sql: 'SELECT name FROM things WHERE id = ${result.id}'}}\n" + state +
			"result: {type: object, required: [id], properties: {id: {type: string}}}", spec.ObserveSQL, spec.AbsentRefused, false, "1 SELECT name FROM things WHERE id = $1"},
		{"after, by hand", "observe: {go: true, after: {go: true}}\n" + state, spec.ObserveGo, spec.AbsentRefused, false, "2 "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := accept(t, minimal("", test.operation)).Operations[0].Resource
			after := ""
			if r.After != nil {
				after = fmt.Sprintf("%d %s", r.After.Kind, r.After.SQL)
			}
			if r.Observe.Kind != test.kind || r.Absent != test.absent || r.Many != test.many || after != test.after {
				t.Errorf("got kind %d, absent %d, many %v, after %q", r.Observe.Kind, r.Absent, r.Many, after)
			}
			if (r.State == nil) != (test.kind == spec.ObserveNone && test.after == "") {
				t.Errorf("state %v", r.State)
			}
			if test.many && r.State.GoName != "SetThingState" {
				t.Errorf("the list is called %q", r.State.GoName)
			}
		})
	}
}

func TestStateMayBeAbsentWhereAbsenceIsAllowed(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]bool{"absent: refuse": false, "absent: allow": true, "exists: refuse": true} {
		op := accept(t, minimal("", `
observe: {go: true, `+setting+`}
state: {type: object, required: [name], properties: {name: {type: string}}}
diff: [{label: name, before: state.name}]
`)).Operations[0]
		if got := op.Diff[0].Before.Type().MayBeAbsent; got != want {
			t.Errorf("%s: may be absent: %v", setting, got)
		}
	}
}

func TestRowsOfContextShowOneValue(t *testing.T) {
	t.Parallel()
	op := accept(t, minimal("", look+`
diff:
  - {label: one, before: state.name, context: true}
  - {label: other, after: state.name, context: true}
  - {label: both, before: state.name, after: state.name, context: true}
  - {label: made, known_after_apply: true}
`)).Operations[0]
	for _, row := range op.Diff[:3] {
		if got := paths([]expr.Node{row.Before, row.After}); got[0] != "state.name" || got[1] != "state.name" || !row.Context {
			t.Errorf("%v", got)
		}
	}
	if made := op.Diff[3]; made.Before != nil || made.After != nil || !made.KnownAfterApply {
		t.Errorf("%+v", made)
	}
}

func TestReadSaysWhichOperationASharedQueryFails(t *testing.T) {
	t.Parallel()
	_, faults := spec.Read(specFile, []byte(`
version: 1
package: p
server: {name: s}
connections: {main: {sql: sqlite}}
resources:
  thing:
    observe: {db: main, sql: 'SELECT a FROM t WHERE id = ${payload.id}'}
    state: {type: object, required: [a], properties: {a: {type: string}}}
defaults: {description: D., resource: thing, summary: 'Do ${payload.name}', apply: go, undo: none}
operations:
  good: {payload: {type: object, required: [name], properties: {id: {type: string}, name: {type: string}}}}
  bad: {payload: {type: object, properties: {key: {type: string}}}}
`))
	var got []string
	for _, d := range faults {
		got = append(got, d.Where+": "+d.Message)
	}
	want := []string{
		"resources.thing.observe.sql: undefined field 'id', in operation 'bad'",
		"operations.bad.summary: undefined field 'name'",
		"operations.good.payload: 'payload.id' is never shown to the person who approves",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadRefusesNamesThatNoPackageCanHave(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"main", "documentation", "builtin", "unsafe", "func", "C", "_", "things_test", "my_things", "Things", "thingä", "1st", "my-things", ""} {
		src := strings.Replace(minimal("", look), "package: things", "package: '"+name+"'", 1)
		if _, faults := spec.Read(specFile, []byte(src)); len(faults) != 1 || faults[0].Code != diag.BadName || faults[0].Hint == "" {
			t.Errorf("%s: %v", name, faults)
		}
	}
	for _, name := range []string{"things", "t2", "mains", "init"} {
		accept(t, strings.Replace(minimal("", look), "package: things", "package: "+name, 1))
	}
}

func TestABrokenKeywordBesideADefaultIsReportedOnce(t *testing.T) {
	t.Parallel()
	for _, keyword := range []string{"minLength: '1'", "minLength: 0x1", "pattern: 5", "title: []"} {
		_, faults := spec.Read(specFile, []byte(minimal("", `
observe: none
result: {type: object, properties: {a: {type: string, default: x}, b: {type: string, `+keyword+`}}}`)))
		if len(faults) != 1 || !strings.Contains(faults[0].Where, ".properties.b.") {
			t.Errorf("%s: %v", keyword, faults)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, file, src, want string }{
		{"a file of one platform", "settings_linux.yaml", minimal("", look), "CS1405"},
		{"a file whose name breaks a line", "settings.a\nb.yaml", minimal("", look), "CS1405"},
		{"a file without a name", ".yaml", minimal("", look), "CS1405"},
		{"a file in the place of a generated one", "settings.changeset.json", minimal("", look), "CS1405"},
		{"a prefix that clients refuse", specFile, minimal("prefix: 1-", look), "CS1404"},
		{"the same type in payload and $defs", specFile, minimal("$defs: {SetThingState: {enum: [a]}}", look+"result: {type: object, properties: {a: {$ref: '#/$defs/SetThingState'}}}"), "CS1403"},
		{"an overlap of bind and volatile", specFile, minimal("", "observe: go\nstate: {type: object, properties: {a: {type: object, properties: {b: {type: string}}}}}\nbind: [state.a]\nvolatile: [state.a.b]"), "CS1506"},
		{"fields of a list", specFile, minimal("", "observe: {go: true, many: list}\nstate: {type: array, items: {type: object, properties: {a: {type: string}}}}\nbind: [state.a]"), "CS1204"},
		{"a state without a query", specFile, minimal("", "observe: none\nbind: [state.a]"), "CS1506"},
		{"absent: refuse with nothing to find", specFile, minimal("", "observe: {none: true, absent: refuse}"), "CS1505"},
		{"absent: allow with nothing to find", specFile, minimal("", "observe: {none: true, absent: allow}"), "CS1505"},
		{"exists: refuse with nothing to find", specFile, minimal("", "observe: {none: true, exists: refuse}"), "CS1505"},
		{"a look by what was not there", specFile, minimal("", "observe: {go: true, exists: refuse, after: {db: main, sql: 'SELECT name FROM things WHERE name = ${before.name}'}}\nstate: {type: object, required: [name], properties: {name: {type: string}}}"), "CS1202"},
		{"a query without its connection", specFile, minimal("", "observe: {db: mian, sql: SELECT 1 AS one}\nstate: {type: object, properties: {one: {}}}"), "CS1501"},
		{"a timeout of nothing", specFile, minimal("", look+"timeout: 0s"), "CS1107"},
		{"days that overflow", specFile, minimal("", look+"undo_ttl: 4294967295d"), "CS1107"},
		{"a reference that is no text", specFile, minimal("", "observe: none\nresult: {type: object, properties: {m: {$ref: 5}}}"), "CS1103"},
		{"a list", specFile, "[]", "CS1103"},
		{"text", specFile, "hello", "CS1103"},
		{"a syntax error", specFile, "a: [", "CS1003"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checked, faults := spec.Read(test.file, []byte(test.src))
			if checked != nil || len(faults) != 1 || faults[0].Code != test.want {
				t.Errorf("got %v, want one %s", faults, test.want)
			}
		})
	}
}

// invalidTypes finds types that the generator could not print.
func invalidTypes(t *testing.T, types []*schema.Type) {
	t.Helper()
	for _, named := range types {
		if named.GoName == "" || named.Kind == schema.Invalid {
			t.Errorf("%s: kind %v, name %q", named.Path, named.Kind, named.GoName)
		}
		for _, field := range named.Fields {
			if field.Use.Type == nil || field.Use.Type.Kind == schema.Invalid {
				t.Errorf("%s.%s has no type", named.Path, field.Name)
			}
		}
	}
}

// Any bytes are a spec without faults, or have faults that lie in the file.
func FuzzRead(f *testing.F) {
	for _, pattern := range []string{filepath.Join("..", "testdata", "golden", "*", specFile), examplePath} {
		seeds, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range seeds {
			f.Add(load(f, path))
		}
	}
	f.Add([]byte(minimal("", look)))
	f.Add([]byte("connections: {main: {sql: postgres}}\noperations:\n  o:\n    description: d\n    observe:\n      db: main\n      sql: |"))
	f.Add([]byte(minimal("", "observe: none\nresult: {type: object, properties: {m: {$ref: 5}}}")))
	f.Fuzz(func(t *testing.T, src []byte) {
		checked, faults := spec.Read(specFile, src)
		if (checked == nil) != (len(faults) > 0) {
			t.Fatalf("a spec: %v, faults: %v", checked != nil, faults)
		}
		lines := strings.Split(strings.TrimPrefix(string(src), "\ufeff"), "\n")
		for _, d := range faults {
			if d.Pos.Line < 1 || d.Pos.Line > len(lines) || d.Pos.Column < 1 || d.Pos.Column > len([]rune(lines[d.Pos.Line-1]))+1 {
				t.Errorf("%v is not in the file", d)
			}
			if strings.ContainsAny(d.String(), "\n\r") {
				t.Errorf("%q is not one line", d.String())
			}
		}
		if checked == nil {
			return
		}
		invalidTypes(t, checked.Defs)
		for _, op := range checked.Operations {
			invalidTypes(t, op.Types)
			invalidTypes(t, op.Resource.Types)
		}
	})
}

func ExampleRead() {
	_, faults := spec.Read("settings.changeset.yaml", []byte("version: 1\npackage: settings\nsever: {name: settings}\noperations: {}\n"))
	for _, d := range faults {
		fmt.Println(d)
	}
	// Output:
	// settings.changeset.yaml:1:1: missing key 'server' [CS1102]
	// settings.changeset.yaml:3:1: sever: unknown key 'sever' (did you mean 'server'?) [CS1101]
	// settings.changeset.yaml:4:13: operations: must not be empty [CS1105]
}
