package spec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// withPayload is a spec whose operation has a payload of some properties, written as a flow map.
func withPayload(top, properties string) string {
	return "version: 1\npackage: things\nserver: {name: things}\n" + top + `
operations:
  set_thing:
    description: Change a thing.
    payload: {type: object, properties: {` + properties + `}}
    observe: none
    summary: Change ${payload}
    apply: go
    undo: go
`
}

// goNames are the Go names that the types of an operation have, by what has them.
func goNames(types []*schema.Type) map[string]string {
	all := map[string]string{}
	for _, t := range types {
		all[t.Path] = t.GoName
		for _, field := range t.Fields {
			all[t.Path+" "+field.Name] = field.GoName
		}
		for _, value := range t.Values {
			all[t.Path+"="+value.Text] = value.GoName
		}
	}
	return all
}

func TestHostileNamesBecomeGoNamesAndStayAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"3gpp": "X3gpp", "6to4Interface": "X6to4Interface", "type": "Type", "func": "Func", "$meta": "Meta",
		"filter-query": "FilterQuery", "日本": "X日本", "string": "String", "nil": "Nil", "context": "Context", "json": "JSON",
		"user id": "UserID", "a.b": "AB", "@id": "ID", "-1": "Minus1", "+1": "Plus1", "ünï": "Ünï", "URL": "URL",
		"MarshalJSON": "MarshalJSON", "Payload": "Payload",
	} {
		op := accept(t, withPayload("", fmt.Sprintf("%q: {type: string}", name))).Operations[0]
		if got := op.Payload.Fields[0]; got.Name != name || got.GoName != want {
			t.Errorf("property %q has the name %q and the Go name %q, want %q", name, got.Name, got.GoName, want)
		}
	}
}

func TestPropertiesThatNoTagCanSayHaveNoField(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "-", "a,b", `"`, "'", "`", `\`, "\n", "\u2028", "\u007f", "😀", "e\u0301"} {
		payload := accept(t, withPayload("", fmt.Sprintf("a: {type: string}, %q: {type: string}", name))).Operations[0].Payload
		if len(payload.Fields) != 1 || payload.Others == nil {
			t.Errorf("property %q: fields %v, others %v", name, payload.Fields, payload.Others)
		}
	}
}

func TestIntegersAndBranchesHaveGoNames(t *testing.T) {
	t.Parallel()
	types := accept(t, withPayload("", `
      level: {type: integer, enum: [1, -1, 10]},
      target: {oneOf: [{type: object, required: [kind], properties: {kind: {const: page-id}}},
        {type: object, x-go-name: Space, required: [kind], properties: {kind: {const: "2"}}}]}`)).Operations[0].Types
	got := goNames(types)
	for _, t := range types {
		for _, branch := range t.Branches {
			got["branch "+branch.Value] = branch.GoName
		}
	}
	for has, want := range map[string]string{
		"payload.level=1": "SetThingLevel1", "payload.level=-1": "SetThingLevelMinus1", "payload.level=10": "SetThingLevel10",
		"branch page-id": "PageID", "branch 2": "Space", "payload.target(page-id)": "SetThingTargetPageID", "payload.target(Space)": "SetThingTargetSpace",
	} {
		if got[has] != want {
			t.Errorf("%s has the Go name %q, want %q", has, got[has], want)
		}
	}
}

func TestValuesOfEnumsBecomeConstants(t *testing.T) {
	t.Parallel()
	types := accept(t, withPayload("", `r: {type: string, enum: ["+1", "-1", "a b", 日本, 3gpp, "1.10", "11.0", type]}`)).Operations[0].Types
	want := map[string]string{
		"payload": "SetThingPayload", "payload r": "R", "payload.r": "SetThingR",
		"payload.r=+1": "SetThingRPlus1", "payload.r=-1": "SetThingRMinus1", "payload.r=a b": "SetThingRAB", "payload.r=日本": "SetThingR日本",
		"payload.r=3gpp": "SetThingR3gpp", "payload.r=1.10": "SetThingR1_10", "payload.r=11.0": "SetThingR11_0", "payload.r=type": "SetThingRType",
	}
	if diff := cmp.Diff(want, goNames(types)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAuthorsChooseGoNames(t *testing.T) {
	t.Parallel()
	checked := accept(t, withPayload("$defs: {_: {type: object, x-go-name: Blank, properties: {}}}", `
      _: {type: string, x-go-name: Underscore},
      user_id: {type: string},
      userId: {type: string, x-go-name: OtherID},
      blank: {$ref: '#/$defs/_'},
      size: {type: object, x-go-name: Extent, properties: {unit: {type: string, enum: [m]}}},
      list: {type: array, items: {type: object, x-go-name: Entry, properties: {}}},
      sign: {type: string, enum: ['<=', '', '+', a-b, a_b], x-go-names: {'<=': AtMost, '': None, '+': Plus, a_b: Under}}`))
	got := goNames(slices.Concat(checked.Operations[0].Types, checked.Defs))
	want := map[string]string{
		"payload": "SetThingPayload", "payload _": "Underscore", "payload user_id": "UserID", "payload userId": "OtherID",
		"payload blank": "Blank", "$defs._": "Blank", "payload size": "Extent", "payload.size": "SetThingExtent",
		"payload.size unit": "Unit", "payload.size.unit": "SetThingExtentUnit", "payload.size.unit=m": "SetThingExtentUnitM",
		"payload list": "List", "payload.list[]": "SetThingListEntry",
		"payload sign": "Sign", "payload.sign": "SetThingSign", "payload.sign=<=": "SetThingSignAtMost", "payload.sign=": "SetThingSignNone",
		"payload.sign=+": "SetThingSignPlus", "payload.sign=a-b": "SetThingSignAB", "payload.sign=a_b": "SetThingSignUnder",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, s := range checked.Schemas {
		if strings.Contains(string(s.JSON), "x-go-") {
			t.Errorf("clients are shown Go names: %s", s.JSON)
		}
	}
}

func TestDigestsDoNotDependOnGoNames(t *testing.T) {
	t.Parallel()
	plain := accept(t, withPayload("", "a: {type: string, enum: [b]}")).Operations[0]
	named := accept(t, withPayload("", "a: {type: string, enum: [b], x-go-name: Other, x-go-names: {b: Value}}")).Operations[0]
	if plain.Digest != named.Digest {
		t.Error("approvals end with a Go name")
	}
}

func TestReadRefusesNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, src, want string }{
		{"separators only", withPayload("", "_: {type: string}"), "property '_' has no Go name (write x-go-name: NAME into property '_')"},
		{"separators only, of an object", withPayload("", "--: {type: object, properties: {a: {enum: [b]}}}"), "property '--' has no Go name (write x-go-name: NAME into property '--')"},
		{"a definition of separators", withPayload("$defs: {_: {type: object, properties: {}}}", "a: {$ref: '#/$defs/_'}"),
			"definition '_' has no Go name (write x-go-name: NAME into '$defs._')"},
		{"a value of signs", withPayload("", "a: {enum: ['<=']}"), "value '<=' has no Go name (write x-go-names: {'<=': NAME} beside its enum)"},
		{"an empty value", withPayload("", "a: {enum: ['']}"), "value '' has no Go name (write x-go-names: {'': NAME} beside its enum)"},
		{"properties alike", withPayload("", "user_id: {type: string}, userID: {type: string}"),
			"property 'userID' has the Go name UserID, as property 'user_id' at 8:42 has (write x-go-name: NAME into property 'userID')"},
		{"a name of the author's that is taken", withPayload("", "a: {type: string}, b: {type: string, x-go-name: A}"),
			"property 'b' has the Go name A, as property 'a' at 8:42 has (write x-go-name: NAME into property 'b')"},
		{"a property like the field for all others", strings.Replace(withPayload("", "additional_properties: {type: string}"), "{type: object,", "{type: object, additionalProperties: true,", 1),
			"property 'additional_properties' has the Go name AdditionalProperties, which is that of the field for properties that have none of their own (write x-go-name: NAME into property 'additional_properties')"},
		{"a branch like a method", withPayload("", "a: {oneOf: [{type: object, required: [k], properties: {k: {const: b}}}, {type: object, required: [k], properties: {k: {const: marshal_json}}}]}"),
			"the branch for 'marshal_json' has the Go name MarshalJSON, which is that of a method that every choice of types has (write x-go-name: NAME into the branch for 'marshal_json')"},
		{"branches alike", withPayload("", "a: {oneOf: [{type: object, required: [k], properties: {k: {const: a-b}}}, {type: object, required: [k], properties: {k: {const: a_b}}}]}"),
			"the branch for 'a_b' has the Go name AB, as the branch for 'a-b' at 8:54 has (write x-go-name: NAME into the branch for 'a_b')"},
		{"a value like a type", withPayload("", "mode: {enum: [kind]}, mode_kind: {type: object, properties: {}}"),
			"the type of 'payload.mode_kind' has the Go name SetThingModeKind, as value 'kind' of 'payload.mode' at 8:56 has (write x-go-name: NAME into 'payload.mode_kind')"},
		{"a type like the payload", withPayload("", "payload: {type: object, properties: {}}"),
			"the type of 'payload.payload' has the Go name SetThingPayload, as the type of 'payload' at 8:5 has (write x-go-name: NAME into 'payload.payload')"},
		{"a type like an alias", withPayload("", "change: {enum: [a]}"),
			"operation 'set_thing' has the Go name SetThingChange, as the type of 'payload.change' at 8:42 has (write x-go-name: NAME into 'payload.change')"},
		{"a definition like what is always there", withPayload("$defs: {register: {type: object, properties: {}}}", "a: {$ref: '#/$defs/register'}"),
			"the type of '$defs.register' has the Go name Register, which is that of the function that registers the tools (write x-go-name: NAME into '$defs.register')"},
		{"a definition within defaults, for two operations", `{version: 1, package: p, server: {name: s}, defaults: {description: D., summary: 'Do ${payload}', observe: none, apply: go, undo: go,
		payload: {type: object, properties: {a: {$ref: '#/$defs/A'}}, $defs: {A: {enum: [a]}}}}, operations: {one: {}, other: {}}}`,
			"the type of 'payload.$defs.A' has the Go name A, as it has where it is used before (move it into the $defs of the document)"},
		{"a name that is none", withPayload("", "a: {type: string, x-go-name: lower}"), "'lower' is no exported Go name (begin with a capital letter; go on with letters and digits)"},
		{"a name that is no text", withPayload("", "a: {type: string, x-go-name: 5}"), "must be text, not a number (begin with a capital letter; go on with letters and digits)"},
		{"a name of a value that is none", withPayload("", "a: {enum: [b], x-go-names: {b: 2fa}}"), "'2fa' is no exported Go name (begin with a capital letter; go on with letters and digits)"},
		{"names of values that are no map", withPayload("", "a: {enum: [b], x-go-names: [B]}"), "must be a map, not a list (write {VALUE: NAME})"},
		{"a value that is not there", withPayload("", "a: {enum: [blue], x-go-names: {bleu: B}}"), "the enum has no value 'bleu' (did you mean 'blue'?)"},
		{"a name for nothing", withPayload("", "a: {type: array, items: {type: string, x-go-name: Tag}}"),
			"there is nothing here that is named in Go (take it out, or write it into a property or into what becomes a type of its own)"},
		{"names of values of nothing", withPayload("", "a: {type: string, x-go-names: {b: B}}"),
			"there are no values here that are named in Go (take it out, or write it beside an enum)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, faults := spec.Read(specFile, []byte(test.src))
			if len(faults) != 1 {
				t.Fatalf("got %v", faults)
			}
			if got := faults[0].Message + " (" + faults[0].Hint + ")"; got != test.want || faults[0].Pos.Line == 0 {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// Two names may differ, and what is made of them not.
func TestReadRefusesOperationsOfWhichSomethingHasOneName(t *testing.T) {
	t.Parallel()
	const state = ", state: {type: object, properties: {a: {type: string}}}"
	operation := func(name, observe string) string {
		return "  " + name + ": {description: D., payload: {type: object, properties: {}}, summary: D, apply: go, undo: go, observe: " + observe + "}\n"
	}
	for _, test := range []struct{ operations, want string }{
		{operation("id2", "none") + operation("id_2", "none"), "operation 'id_2' has the Go name id2Operation, as operation 'id2' at 5:3 has"},
		{operation("file", "{go: true, after: go}"+state) + operation("after_file", "go"+state),
			"operation 'after_file' has the Go name ObserveAfterFile, as operation 'file' at 5:3 has"},
		{operation("set__it", "none") + operation("set_it", "none"), "operation 'set_it' has the Go name SetIt, as operation 'set__it' at 5:3 has"},
	} {
		_, faults := spec.Read(specFile, []byte("version: 1\npackage: p\nserver: {name: s}\noperations:\n"+test.operations))
		if len(faults) != 1 || faults[0].Code != diag.NameTaken || faults[0].Message != test.want || faults[0].Pos.Line != 6 {
			t.Errorf("got  %v\nwant %s", faults, test.want)
		}
	}
}

func TestNamesOfAReconcileCollideAsOthersDo(t *testing.T) {
	t.Parallel()
	src := withPayload("$defs: {SetThingDoubtful: {type: object, properties: {a: {type: string}}}}\n", "d: {$ref: '#/$defs/SetThingDoubtful'}") + "    reconcile: go\n"
	_, faults := spec.Read(specFile, []byte(src))
	if len(faults) != 1 || faults[0].Code != diag.NameTaken || !strings.Contains(faults[0].Message, "SetThingDoubtful") {
		t.Errorf("faults %v", faults)
	}
}
